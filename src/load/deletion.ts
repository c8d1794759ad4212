import { type LoadResult, noChange } from '../load_result.ts';
import type { Outcome, RecordAnswer } from '../outcome.ts';
import { type KnownRow, newKnown } from '../warehouse/known_row.ts';
import type { LoadSession } from './load_session.ts';
import { storeTombstone } from './record.ts';

/**
 * The proof of a deletion. A 404 for a known company counts only under two conditions.
 *
 * - it has the shape of the 404 for an id that never existed;
 * - later in the same run, a call for another known company succeeds.
 * Otherwise a moved path or a failing upstream would delete the whole registry. A success before the 404 proves
 * nothing, because a path can move during a run.
 */
export interface Evidence {
  /** The shape of the 404 for an id that never existed; null: unknown. */
  readonly absentShape: string | null;
  /** The time of the latest successful call for a known company in this run, ISO 8601; null: none. */
  readonly respondedAt: string | null;
}

export interface Missing {
  readonly shape: string;
  /** The time at which the call with the 404 was sent. */
  readonly missingAt: string;
}

export function isProven({ shape, missingAt }: Missing, { absentShape, respondedAt }: Evidence): boolean {
  // A success after the 404 is of another company, because a company with a success is no longer missing.
  return shape === absentShape && respondedAt !== null && respondedAt > missingAt;
}

/** The upstream reports that the entity is gone: a 410, or the mark in the dialect. */
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
  // Without a shape, a later listing cannot put the deletion in doubt.
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

/** A 404. It marks a known company as missing. For an unknown id it reveals the shape of an absent entity. */
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

/** Records that a call for a known company succeeded. Returns the number of companies that this proves gone. */
export function noteSuccess(session: LoadSession, { callId, sentAt }: Outcome): number {
  if (session.respondedAt === null || sentAt > session.respondedAt) session.respondedAt = sentAt;
  return session.mayHaveMissing ? settleMissing(session, callId).length : 0;
}

/** Marks the companies as gone that are missing in this run and now proven. The change belongs to the call that proves it. */
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

/** The company is still gone, so its flag is removed. */
function confirmGone(session: LoadSession, known: KnownRow, askedAt: string): void {
  session.known.replace(known, { ...known, askedAt, flaggedAt: null });
}

/** Keeps the shape of the 404, so that a later listing of the company causes another call. */
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
