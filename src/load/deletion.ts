import { type LoadResult, noChange } from '../load_result.ts';
import {
  type Outcome,
  RECORD_OF,
  REPLACED_BY,
  REPORTED_GONE,
  type RecordAnswer,
  type Verdict,
} from '../outcome.ts';
import { endVersion } from '../warehouse/company_history.ts';
import { type KnownRow, newKnown } from '../warehouse/known.ts';
import { setTime } from '../warehouse/payload.ts';
import { repeatListingsWith } from './listing_repeat.ts';
import type { LoadSession, Success } from './load_session.ts';
import { storeTombstone } from './record.ts';

/**
 * A response without the requested record only claims that the company is gone. A 410 is believed until a listing shows
 * the company again. A 404 or a reference to another company's record is proven under these conditions:
 *
 * - A second sign confirms the claim (`hasSecondSign`).
 * - In the same run, a call for another known company is sent after the claim has arrived, and succeeds. The replacement
 *   is no such company, because some caches return the same record for every id.
 * - A 404 has the same form as the 404 for an id that never existed. The record of a replacement has been fetched, and the
 *   replacement's last call returned it.
 *
 * Without these conditions, a moved path or a failing upstream would mark every company as gone. An earlier success
 * proves nothing, because a path can move during a run. Calls are ordered by their ids, because the clock can be set.
 *
 * No claim is believed in a run with too many of them (`isDoubtful`), because one failing server of several can send them.
 * The next run requests the records again.
 */
function isProven(session: LoadSession, { missingShape: shape, missingCall }: KnownRow): boolean {
  if (shape === REPORTED_GONE) return true;
  const replacement = replacementIn(shape);
  const proves = ({ entityId, sentAfter }: Success) =>
    missingCall !== null && sentAfter >= missingCall && entityId !== replacement;
  if (!session.lastSuccesses.some(proves)) return false;
  if (replacement === null) return shape === session.absentShape;
  const known = session.known.find(replacement);
  if (known === undefined) return false;
  return known.fetchedAt !== null && known.goneAt === null && known.missingAt === null;
}

/** Returns the id of the entity that replaces a missing one, as `missing_shape` stores it, or null if there is none. */
function replacementIn(shape: string | null): string | null {
  const prefix = [REPLACED_BY, RECORD_OF].find((one) => shape?.startsWith(one));
  return prefix === undefined ? null : (shape?.slice(prefix.length) ?? null);
}

/** Processes a record that reports its own company's deletion. */
export function deriveGone(session: LoadSession, outcome: Outcome, answer: RecordAnswer): LoadResult {
  const { entityId } = answer;
  const before = session.known.find(entityId);
  if (before?.goneAt == null) storeTombstone(session, outcome, answer, before);
  const known = session.known.find(entityId) as KnownRow;
  const isNewlyGone = known.goneAt === null;
  // The upstream itself reported the deletion, so a later listing must not trigger another call. `missingShape` is
  // therefore null.
  const reported = { ...known, missingShape: null };
  if (isNewlyGone) markGone(session, reported, { goneAt: outcome.sentAt, callId: outcome.callId });
  else confirmGone(session, reported, outcome.sentAt);
  return {
    ...noChange(outcome),
    record: { isNew: before?.fetchedAt == null, changed: isNewlyGone },
    newCompanies: before === undefined ? 1 : 0,
    gone: isNewlyGone ? 1 : 0,
  };
}

/**
 * Processes a claim that the company is gone. If the company is known, it is marked as missing. Otherwise, a 404 shows
 * what a response for an id that never existed looks like.
 */
export function deriveAbsent(
  session: LoadSession,
  outcome: Outcome,
  entityId: string,
  { shape, replacedBy }: Verdict & { readonly is: 'absent' },
): LoadResult {
  removeUnconfirmed(session, entityId);
  const known = session.known.find(entityId);
  if (known === undefined) {
    if (replacedBy !== undefined || shape === REPORTED_GONE) return noChange(outcome);
    session.absentShape = shape;
    return { ...noChange(outcome), gone: settleMissing(session, outcome.callId) };
  }
  if (known.goneAt !== null) {
    // A listing showed the company after its deletion. This response confirms the deletion, so later listings are
    // ignored unless they show a change.
    const isConfirmed = shape === session.absentShape || shape === known.missingShape;
    confirmGone(session, isConfirmed ? { ...known, missingShape: null } : known, outcome.sentAt);
    return noChange(outcome);
  }
  session.recordCalls += 1;
  if (known.missingAt === null || known.missingRun === session.runId) session.falseOrNewClaims += 1;
  session.known.replace({
    ...known,
    askedAt: outcome.sentAt,
    flaggedAt: hasSecondSign(session, known, shape) ? null : outcome.sentAt,
    missingAt: outcome.sentAt,
    missingShape: shape,
    missingRun: session.runId,
    missingCall: outcome.callId,
  });
  if (replacedBy !== undefined) requestReplacement(session, replacedBy, outcome.sentAt);
  return { ...noChange(outcome), missing: true, gone: settleMissing(session, outcome.callId) };
}

/**
 * Returns whether a second sign confirms the first claim that a company is gone: an earlier run's claim, or its absence
 * from a complete listing that showed it before. Without one, the company stays flagged, so that the next run asks again.
 * An upstream that redirects to a replacement, or names it, needs no second sign.
 */
function hasSecondSign(
  { runId }: LoadSession,
  { missingAt, missingRun, flaggedAt, listedAt }: KnownRow,
  shape: string,
): boolean {
  if (shape === REPORTED_GONE || shape.startsWith(REPLACED_BY)) return true;
  if (missingAt !== null && missingRun === runId) return flaggedAt === null;
  return missingAt !== null || (flaggedAt !== null && listedAt !== null && flaggedAt > listedAt);
}

/** Makes a replacement known, so that its record is fetched. */
function requestReplacement(session: LoadSession, entityId: string, at: string): void {
  if (session.forgotten.has(entityId) || session.known.find(entityId) !== undefined) return;
  session.known.add(newKnown(entityId, at));
}

/** Removes the company if only a reference to a replacement named it, because its own record call has failed. */
export function removeUnconfirmed(session: LoadSession, entityId: string): void {
  const known = session.known.find(entityId);
  if (known === undefined || known.listedAt !== null || known.fetchedAt !== null) return;
  session.known.remove(known);
}

/**
 * Records that a call for a known company succeeded. Returns how many missing companies are now proven to be gone.
 * `wasMissing` is whether its last response claimed that the company is gone, which was therefore wrong.
 */
export function noteSuccess(
  session: LoadSession,
  { callId, sentAfter = callId - 1 }: Outcome,
  { entityId, wasMissing }: { readonly entityId: string; readonly wasMissing: boolean },
): number {
  session.recordCalls += 1;
  if (wasMissing) session.falseOrNewClaims += 1;
  const others = session.lastSuccesses.filter((one) => one.entityId !== entityId);
  session.lastSuccesses = [{ entityId, sentAfter }, ...others].slice(0, 2);
  return session.mayHaveMissing ? settleMissing(session, callId) : 0;
}

/**
 * Marks companies as gone if they went missing in this run and are now proven to be deleted, and returns their number.
 * The change is attributed to the call that completes the proof.
 */
function settleMissing(session: LoadSession, callId: number): number {
  const missing = session.known.missingInRun(session.runId).filter(({ flaggedAt }) => flaggedAt === null);
  if (isDoubtful(session)) {
    for (const known of missing) session.known.replace({ ...known, flaggedAt: known.missingAt });
    session.mayHaveMissing = false;
    return 0;
  }
  const proven = missing.filter((known) => isProven(session, known));
  for (const known of proven) markGone(session, known, { goneAt: known.missingAt ?? '', callId });
  session.mayHaveMissing = proven.length < missing.length;
  return proven.length;
}

/**
 * Returns whether more known companies were claimed to be gone in this run than a registry deletes between two runs. A
 * claim that only repeats an earlier run's claim does not count. A record in place of such a claim does, because it shows
 * that the upstream sends wrong claims.
 */
function isDoubtful({ recordCalls, falseOrNewClaims }: LoadSession): boolean {
  return falseOrNewClaims > Math.max(BELIEVED_CLAIMS, recordCalls * BELIEVED_SHARE);
}

/** So many companies can be deleted in every registry. */
const BELIEVED_CLAIMS = 5;
const BELIEVED_SHARE = 0.1;

/** Records that a gone company is still gone, and clears its flag. */
function confirmGone(session: LoadSession, known: KnownRow, askedAt: string): void {
  session.known.replace({ ...known, askedAt, flaggedAt: null });
}

/**
 * Marks a company as gone. The form of the response is kept, so that a later listing of the company triggers another call.
 */
function markGone(
  session: LoadSession,
  known: KnownRow,
  { goneAt, callId }: { goneAt: string; callId: number },
): void {
  session.known.replace({
    ...known,
    askedAt: goneAt,
    flaggedAt: null,
    missingAt: null,
    missingRun: null,
    missingCall: null,
    goneAt,
  });
  noteReplacement(session, known, { goneAt, callId });
  setTime(session.db, '_gone_at', known.entityId, goneAt);
  endVersion(session.db, known.entityId, goneAt);
  session.addChange({
    entityId: known.entityId,
    observedAt: goneAt,
    notBefore: known.fetchedAt ?? known.listedAt,
    path: '_gone_at',
    columnName: '_gone_at',
    before: null,
    after: goneAt,
    callId,
  });
  repeatListingsWith(session, known, callId);
}

/** Records which entity replaces a gone one. */
function noteReplacement(
  session: LoadSession,
  { entityId, missingShape, fetchedAt, listedAt }: KnownRow,
  { goneAt, callId }: { goneAt: string; callId: number },
): void {
  const replacedBy = replacementIn(missingShape);
  if (replacedBy === null) return;
  session.addChange({
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
