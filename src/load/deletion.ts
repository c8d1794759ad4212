import { type LoadResult, noChange } from '../load_result.ts';
import type { Outcome, RecordAnswer } from '../outcome.ts';
import { type KnownRow, newKnown } from '../warehouse/known_row.ts';
import type { LoadSession } from './load_session.ts';
import { storeTombstone } from './record.ts';

/**
 * Deletion needs proof. A 404 for a known company counts only when it looks like the 404 that an id gets
 * which never existed, and another known company answers after it in the same run: else a moved path or a
 * failing upstream would delete a country. An answer from before the 404 proves nothing, for a path can move
 * in the middle of a run.
 */
export interface Evidence {
  /** The shape of the 404 for an id that was never known; null: not learned yet. */
  readonly absentForm: string | null;
  /** When the latest call was sent in this run that a known company answered, ISO 8601; null: none did. */
  readonly answeredAt: string | null;
}

export interface Missing {
  readonly shape: string;
  /** When the call was sent that got the 404. */
  readonly missingAt: string;
}

export function isProven(
  { shape: form, missingAt }: Missing,
  { absentForm: absentShape, answeredAt }: Evidence,
): boolean {
  // A company that answered after its own 404 is not missing any more: whoever answered is another one.
  return form === absentShape && answeredAt !== null && answeredAt > missingAt;
}

/** The upstream itself says that the entity is gone: a 410, or its own mark. */
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
  const isNews = known.goneAt === null;
  // The upstream's own word: being listed in a search does not speak against it.
  const told = { ...known, missingShape: null };
  if (isNews) markGone(session, told, { goneAt: outcome.sentAt, callId: outcome.callId });
  else confirmGone(session, told, outcome.sentAt);
  return {
    ...noChange(outcome),
    record: answer === null ? null : { isNew: before?.fetchedAt == null, changed: isNews },
    newCompanies: before === undefined ? 1 : 0,
    gone: isNews,
    goneCount: isNews ? 1 : 0,
  };
}

/** A 404. For a known company it is remembered as missing; for any other it shows what unknown ids get. */
export function deriveAbsent(
  session: LoadSession,
  outcome: Outcome,
  entityId: string,
  form: string,
): LoadResult {
  const known = session.known.find(entityId);
  if (known === undefined) {
    session.absentForm = form;
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
    missingShape: form,
    missingRun: session.runId,
  });
  const settled = settleMissing(session, outcome.callId);
  return { ...noChange(outcome), missing: true, gone: settled.includes(entityId), goneCount: settled.length };
}

/** A known company responded: the upstream and the path work. Returns how many companies this proves gone. */
export function noteAnswered(session: LoadSession, { callId, sentAt }: Outcome): number {
  if (session.answeredAt === null || sentAt > session.answeredAt) session.answeredAt = sentAt;
  return session.mayHaveMissing ? settleMissing(session, callId).length : 0;
}

/** Marks as gone what is missing in this run and proven by now: the change belongs to the call that proved it. */
function settleMissing(session: LoadSession, callId: number): string[] {
  const { absentForm: absentShape, answeredAt } = session;
  const missing = session.known.missingInRun(session.runId);
  const proven = missing.filter(({ missingShape, missingAt }) =>
    isProven(
      { shape: missingShape ?? '', missingAt: missingAt ?? '' },
      { absentForm: absentShape, answeredAt },
    ),
  );
  for (const known of proven) markGone(session, known, { goneAt: known.missingAt ?? '', callId });
  session.mayHaveMissing = proven.length < missing.length;
  return proven.map(({ entityId }) => entityId);
}

/** Still gone: the doubt that led to this call is settled. */
function confirmGone(session: LoadSession, known: KnownRow, askedAt: string): void {
  session.known.replace(known, { ...known, askedAt, flaggedAt: null });
}

/** Keeps the shape of the 404s that proved it: a company that is listed again all the same is asked for again. */
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
  });
  session.touch.gone(known.entityId, goneAt);
  session.versions.end(known.entityId, goneAt);
  session.changes.add({
    entityId: known.entityId,
    observedAt: goneAt,
    notBefore: known.fetchedAt ?? known.listedAt,
    path: '_gone_at',
    before: null,
    after: goneAt,
    callId,
  });
}
