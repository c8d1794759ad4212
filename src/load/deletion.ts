import { type LoadResult, noChange } from '../load_result.ts';
import type { Outcome, RecordAnswer, Verdict } from '../outcome.ts';
import { type KnownRow, newKnown } from '../warehouse/known.ts';
import type { LoadSession } from './load_session.ts';
import { storeTombstone } from './record.ts';

/**
 * The evidence that a company was deleted. A 404 for a known company proves that only under two conditions:
 *
 * - The 404 has the same form as the 404 for an id that never existed.
 * - In the same run, a call for another known company is sent after the 404 has arrived, and succeeds.
 *
 * Without these conditions, a moved path or a failing upstream would mark every company as gone. An earlier success
 * proves nothing, because a path can move during a run. Calls are ordered by their ids, because the clock can be set.
 */
export interface Evidence {
  /** The form of the 404 for an id that never existed; null if it is unknown. */
  readonly absentShape: string | null;
  /** The last call that had arrived when this run's last successful call for a known company was sent. */
  readonly respondedAfter: number;
}

export interface Missing {
  readonly shape: string;
  /** The call that returned the 404. */
  readonly missingCall: number;
}

export function isProven(
  { shape, missingCall }: Missing,
  { absentShape, respondedAfter }: Evidence,
): boolean {
  // The success always belongs to another company, because a company is no longer missing once its own call succeeds.
  const isKnownForm = shape === absentShape || replacementIn(shape) !== null;
  return isKnownForm && respondedAfter >= missingCall;
}

/** Returns the id of the entity that replaces a missing one, as `missing_shape` stores it, or null if there is none. */
function replacementIn(shape: string | null): string | null {
  return shape?.startsWith(REPLACED_BY) === true ? shape.slice(REPLACED_BY.length) : null;
}

const REPLACED_BY = 'replaced by ';

/** Processes a response that reports a deletion, either by a 410 or by the dialect's deletion mark. */
export function deriveGone(
  session: LoadSession,
  outcome: Outcome,
  entityId: string,
  answer: RecordAnswer | null,
): LoadResult {
  const before = session.known.find(entityId);
  if (before === undefined && answer === null) return noChange(outcome);
  if (answer !== null && before?.goneAt == null) storeTombstone(session, outcome, answer, before);
  const known = session.known.find(entityId) ?? (newKnown(entityId, outcome.sentAt) as KnownRow);
  const isNewlyGone = known.goneAt === null;
  // The upstream itself reported the deletion, so a later listing must not trigger another call. `missingShape` is
  // therefore null.
  const reported = { ...known, missingShape: null };
  if (isNewlyGone) markGone(session, reported, { goneAt: outcome.sentAt, callId: outcome.callId });
  else confirmGone(session, reported, outcome.sentAt);
  return {
    ...noChange(outcome),
    record: answer === null ? null : { isNew: before?.fetchedAt == null, changed: isNewlyGone },
    newCompanies: before === undefined ? 1 : 0,
    gone: isNewlyGone,
    goneCount: isNewlyGone ? 1 : 0,
  };
}

/**
 * Processes a 404, or a response that refers to another entity's record. If the company is known, it is marked as
 * missing. Otherwise, the 404 shows what a response for an id that never existed looks like.
 */
export function deriveAbsent(
  session: LoadSession,
  outcome: Outcome,
  entityId: string,
  { shape, replacedBy }: Verdict & { readonly is: 'absent' },
): LoadResult {
  const known = session.known.find(entityId);
  if (known === undefined && replacedBy !== undefined) return noChange(outcome);
  if (known === undefined) {
    session.absentShape = shape;
    return { ...noChange(outcome), goneCount: settleMissing(session, outcome.callId).length };
  }
  if (known.goneAt !== null) {
    // A listing showed the company after its deletion. This 404 confirms the deletion, so later listings are ignored
    // unless they show a change.
    const isConfirmed = shape === session.absentShape || shape === known.missingShape;
    confirmGone(session, isConfirmed ? { ...known, missingShape: null } : known, outcome.sentAt);
    return noChange(outcome);
  }
  session.known.replace(known, {
    ...known,
    askedAt: outcome.sentAt,
    flaggedAt: null,
    missingAt: outcome.sentAt,
    missingShape: shape,
    missingRun: session.runId,
    missingCall: outcome.callId,
  });
  const settled = settleMissing(session, outcome.callId);
  return { ...noChange(outcome), missing: true, gone: settled.includes(entityId), goneCount: settled.length };
}

/** Records that a call for a known company succeeded. Returns how many missing companies are now proven to be gone. */
export function noteSuccess(session: LoadSession, { callId, sentAfter = callId - 1 }: Outcome): number {
  session.respondedAfter = Math.max(session.respondedAfter, sentAfter);
  return session.mayHaveMissing ? settleMissing(session, callId).length : 0;
}

/**
 * Marks companies as gone if they went missing in this run and are now proven to be deleted. The change is attributed
 * to the call that completes the proof.
 */
function settleMissing(session: LoadSession, callId: number): string[] {
  const { absentShape, respondedAfter } = session;
  const missing = session.known.missingInRun(session.runId);
  const proven = missing.filter(({ missingShape, missingCall }) =>
    isProven(
      { shape: missingShape ?? '', missingCall: missingCall ?? Infinity },
      { absentShape, respondedAfter },
    ),
  );
  for (const known of proven) markGone(session, known, { goneAt: known.missingAt ?? '', callId });
  session.mayHaveMissing = proven.length < missing.length;
  return proven.map(({ entityId }) => entityId);
}

/** Records that a gone company is still gone, and clears its flag. */
function confirmGone(session: LoadSession, known: KnownRow, askedAt: string): void {
  session.known.replace(known, { ...known, askedAt, flaggedAt: null });
}

/**
 * Marks a company as gone. The form of its 404 is kept, so that a later listing of the company triggers another call.
 */
function markGone(
  session: LoadSession,
  known: KnownRow,
  { goneAt, callId }: { goneAt: string; callId: number },
): void {
  session.known.replace(known, {
    ...known,
    askedAt: goneAt,
    flaggedAt: null,
    missingAt: null,
    missingRun: null,
    missingCall: null,
    goneAt,
    recordTouched: session.feed.take(2),
  });
  noteReplacement(session, known, { goneAt, callId });
  session.touch.gone(known.entityId, goneAt);
  session.versions.end(known.entityId, goneAt);
  session.changes.add({
    entityId: known.entityId,
    observedAt: goneAt,
    notBefore: known.fetchedAt ?? known.listedAt,
    path: '_gone_at',
    columnName: '_gone_at',
    before: null,
    after: goneAt,
    callId,
  });
}

/** Records which entity replaces a gone one. The replacement becomes known, so that its record is fetched. */
function noteReplacement(
  session: LoadSession,
  { entityId, missingShape, fetchedAt, listedAt }: KnownRow,
  { goneAt, callId }: { goneAt: string; callId: number },
): void {
  const replacedBy = replacementIn(missingShape);
  if (replacedBy === null) return;
  if (session.known.find(replacedBy) === undefined && !session.forgotten.has(replacedBy))
    session.known.add(newKnown(replacedBy, goneAt));
  session.changes.add({
    entityId,
    observedAt: goneAt,
    notBefore: fetchedAt ?? listedAt,
    path: '_replaced_by',
    columnName: null,
    before: null,
    after: replacedBy,
    callId,
  });
}
