import { type LoadResult, noChange } from '../load_result.ts';
import type { Outcome, RecordAnswer } from '../outcome.ts';
import { type KnownRow, newKnown } from '../warehouse/known_row.ts';
import type { Books } from './books.ts';
import { isProven } from './deletion.ts';
import { storeTombstone } from './record.ts';

/** The upstream itself says that the entity is gone: a 410, or its own mark. */
export function deriveGone(
  books: Books,
  outcome: Outcome,
  entityId: string,
  answer: RecordAnswer | null,
): LoadResult {
  const before = books.known.find(entityId);
  if (before === undefined && answer === null) return noChange(outcome);
  if (answer !== null && before?.goneAt == null) storeTombstone(books, outcome, answer, before);
  const known = books.known.find(entityId) ?? (newKnown(entityId, outcome.sentAt) as KnownRow);
  const isNews = known.goneAt === null;
  // The upstream's own word: being listed in a search does not speak against it.
  const told = { ...known, missingShape: null };
  if (isNews) markGone(books, told, { goneAt: outcome.sentAt, callId: outcome.callId });
  else confirmGone(books, told, outcome.sentAt);
  return {
    ...noChange(outcome),
    record: answer === null ? null : { isNew: before?.fetchedAt == null, changed: isNews },
    newCompanies: before === undefined ? 1 : 0,
    gone: isNews,
    goneCount: isNews ? 1 : 0,
  };
}

/** A 404. For a known company it is remembered as missing; for any other it shows what unknown ids get. */
export function deriveAbsent(books: Books, outcome: Outcome, entityId: string, shape: string): LoadResult {
  const known = books.known.find(entityId);
  if (known === undefined) {
    books.absentShape = shape;
    return { ...noChange(outcome), goneCount: settleMissing(books, outcome.callId).length };
  }
  if (known.goneAt !== null) {
    confirmGone(books, known, outcome.sentAt);
    return noChange(outcome);
  }
  books.known.replace(known, {
    ...known,
    askedAt: outcome.sentAt,
    flaggedAt: null,
    missingAt: outcome.sentAt,
    missingShape: shape,
    missingRun: books.runId,
  });
  const settled = settleMissing(books, outcome.callId);
  return { ...noChange(outcome), missing: true, gone: settled.includes(entityId), goneCount: settled.length };
}

/** A known company responded: the upstream and the path work. Returns how many companies this proves gone. */
export function noteAnswered(books: Books, { callId, sentAt }: Outcome): number {
  if (books.answeredAt === null || sentAt > books.answeredAt) books.answeredAt = sentAt;
  return books.mayHaveMissing ? settleMissing(books, callId).length : 0;
}

/** Marks as gone what is missing in this run and proven by now: the change belongs to the call that proved it. */
function settleMissing(books: Books, callId: number): string[] {
  const { absentShape, answeredAt } = books;
  const missing = books.known.missingInRun(books.runId);
  const proven = missing.filter(({ missingShape, missingAt }) =>
    isProven({ shape: missingShape ?? '', missingAt: missingAt ?? '' }, { absentShape, answeredAt }),
  );
  for (const known of proven) markGone(books, known, { goneAt: known.missingAt ?? '', callId });
  books.mayHaveMissing = proven.length < missing.length;
  return proven.map(({ entityId }) => entityId);
}

/** Still gone: the doubt that led to this call is settled. */
function confirmGone(books: Books, known: KnownRow, askedAt: string): void {
  books.known.replace(known, { ...known, askedAt, flaggedAt: null });
}

/** Keeps the shape of the 404s that proved it: a company that is listed again all the same is asked for again. */
function markGone(
  books: Books,
  known: KnownRow,
  { goneAt, callId }: { goneAt: string; callId: number },
): void {
  books.known.replace(known, {
    ...known,
    askedAt: goneAt,
    flaggedAt: null,
    missingAt: null,
    missingRun: null,
    goneAt,
  });
  books.touch.gone(known.entityId, goneAt);
  books.versions.end(known.entityId, goneAt);
  books.changes.add({
    entityId: known.entityId,
    observedAt: goneAt,
    notBefore: known.fetchedAt ?? known.listedAt,
    path: '_gone_at',
    before: null,
    after: goneAt,
    callId,
  });
}
