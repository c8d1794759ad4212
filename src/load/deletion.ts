import { type LoadResult, noChange } from '../load_result.ts';
import type { Outcome, RecordAnswer } from '../outcome.ts';
import { type KnownRow, newKnown } from '../warehouse/known_row.ts';
import type { LoadSession } from './load_session.ts';
import { storeTombstone } from './record.ts';

/**
 * The evidence that a company was deleted. A 404 for a known company proves that only under two conditions:
 *
 * - The 404 has the same form as the 404 for an id that never existed.
 * - Later in the same run, a call for another known company succeeds.
 *
 * Without these conditions, a moved path or a failing upstream would mark every company as gone. A success before the
 * 404 proves nothing, because a path can move during a run.
 */
export interface Evidence {
  /** The form of the 404 for an id that never existed; null if it is unknown. */
  readonly absentShape: string | null;
  /** The time (ISO 8601) of the last successful call for a known company in this run; null if there was none. */
  readonly respondedAt: string | null;
}

export interface Missing {
  readonly shape: string;
  /** The send time (ISO 8601) of the call that returned the 404. */
  readonly missingAt: string;
}

export function isProven({ shape, missingAt }: Missing, { absentShape, respondedAt }: Evidence): boolean {
  // The success always belongs to another company, because a company is no longer missing once its own call succeeds.
  return shape === absentShape && respondedAt !== null && respondedAt > missingAt;
}

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
 * Processes a 404. If the company is known, it is marked as missing. Otherwise, the 404 shows what a response for an id
 * that never existed looks like.
 */
export function deriveAbsent(
  session: LoadSession,
  outcome: Outcome,
  entityId: string,
  shape: string,
): LoadResult {
  const known = session.known.find(entityId);
  if (known === undefined) {
    session.absentShape = shape;
    return { ...noChange(outcome), goneCount: settleMissing(session, outcome.callId).length };
  }
  if (known.goneAt !== null) {
    confirmGone(session, known, outcome.sentAt);
    return noChange(outcome);
  }
  session.known.replace(known, {
    ...known,
    askedAt: outcome.sentAt,
    flaggedAt: null,
    missingAt: outcome.sentAt,
    missingShape: shape,
    missingRun: session.runId,
  });
  const settled = settleMissing(session, outcome.callId);
  return { ...noChange(outcome), missing: true, gone: settled.includes(entityId), goneCount: settled.length };
}

/** Records that a call for a known company succeeded. Returns how many missing companies are now proven to be gone. */
export function noteSuccess(session: LoadSession, { callId, sentAt }: Outcome): number {
  if (session.respondedAt === null || sentAt > session.respondedAt) session.respondedAt = sentAt;
  return session.mayHaveMissing ? settleMissing(session, callId).length : 0;
}

/**
 * Marks companies as gone if they went missing in this run and are now proven to be deleted. The change is attributed
 * to the call that completes the proof.
 */
function settleMissing(session: LoadSession, callId: number): string[] {
  const { absentShape, respondedAt } = session;
  const missing = session.known.missingInRun(session.runId);
  const proven = missing.filter(({ missingShape, missingAt }) =>
    isProven({ shape: missingShape ?? '', missingAt: missingAt ?? '' }, { absentShape, respondedAt }),
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
    goneAt,
    recordTouched: session.feed.take(2),
  });
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
