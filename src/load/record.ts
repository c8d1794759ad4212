import type { Json, JsonObject } from '../dialect/json.ts';
import { type LoadResult, noChange } from '../load_result.ts';
import type { Outcome, RecordAnswer } from '../outcome.ts';
import { type Known, type KnownRow, newKnown } from '../warehouse/known_row.ts';
import type { Books } from './books.ts';
import { ratesAfterFetch } from './change_rates.ts';
import { changedValue, noteChanges, noteCompared } from './changes.ts';
import { isSame, withoutVolatile } from './content.ts';
import { type Difference, differences } from './difference.ts';
import { latestDocument } from './history.ts';
import { writeRows } from './rows.ts';
import { isSameAnswer } from './same_answer.ts';
import { searchText } from './search_text.ts';
import { shred } from './shred.ts';

/** A record was received: new, changed, or as stored. */
export function deriveRecord(books: Books, outcome: Outcome, answer: RecordAnswer): LoadResult {
  const known = books.known.find(answer.entityId);
  const stored = known?.recordCallId == null ? null : books.answers.read(known.recordCallId);
  if (known === undefined || known.fetchedAt === null)
    return storeRecord(books, outcome, answer, known, null);
  if (outcome.body !== null && stored?.body.equals(outcome.body))
    return confirmRecord(books, outcome, answer, known, known.recordCallId);

  const before = latestDocument(books, known.entityId);
  const now = withoutVolatile(answer.document, books.ignored);
  if (before === null || !isSame(withoutVolatile(before, books.ignored), now))
    return storeRecord(books, outcome, answer, known, before);
  const isAllTheSame = known.recordCallId !== null && isSameAnswer(books, outcome, known.recordCallId);
  return confirmRecord(books, outcome, answer, known, isAllTheSame ? known.recordCallId : null);
}

/**
 * The upstream sent a tombstone with content. It lies over the record as it was: what it no longer says
 * stays in the columns.
 */
export function storeTombstone(
  books: Books,
  outcome: Outcome,
  answer: RecordAnswer,
  known: KnownRow | undefined,
): void {
  const before = known?.fetchedAt == null ? null : latestDocument(books, known.entityId);
  const document: JsonObject = { ...before, ...answer.document };
  writeVersion(books, outcome, known, {
    document,
    found: before === null ? [] : compare(books, before, document),
    isTombstone: true,
    facts: { name: answer.name ?? known?.name ?? null },
  });
}

/** The upstream still holds what is stored. */
function confirmRecord(
  books: Books,
  outcome: Outcome,
  answer: RecordAnswer,
  known: KnownRow,
  sameAs: number | null,
): LoadResult {
  const at = outcome.sentAt;
  if (known.goneAt === null && known.missingAt === null && known.flaggedAt === null)
    books.known.fetchedAgain(known.knownId, at, ratesAfterFetch(books, known, at, false));
  else {
    noteReturn(books, outcome, known);
    // What ended begins again, with the same content.
    if (known.goneAt !== null) books.versions.add(known.entityId, outcome.callId, at, false);
    const rates = ratesAfterFetch(books, known, at, false);
    books.known.replace(known, { ...known, ...rates, ...seenAlive(at), name: answer.name ?? known.name });
  }
  books.touch.fetchedAgain(answer.entityId, at);
  noteCompared(books, books.tables.entity);
  return { ...noChange(outcome), record: { isNew: false, changed: false }, sameAs };
}

function storeRecord(
  books: Books,
  outcome: Outcome,
  answer: RecordAnswer,
  known: KnownRow | undefined,
  before: JsonObject | null,
): LoadResult {
  const found = before === null ? [] : compare(books, before, answer.document);
  // Another order of a list is no change, but the rows follow it.
  const changed = before === null || found.length > 0;
  if (known !== undefined) noteReturn(books, outcome, known);
  writeVersion(books, outcome, known, {
    document: answer.document,
    found: changed ? found : null,
    isTombstone: false,
    facts: {
      ...seenAlive(outcome.sentAt),
      ...(known !== undefined && ratesAfterFetch(books, known, outcome.sentAt, changed)),
      name: answer.name ?? known?.name ?? null,
    },
  });
  return {
    ...noChange(outcome),
    record: { isNew: known?.fetchedAt == null, changed },
    newCompanies: known === undefined ? 1 : 0,
  };
}

interface Version {
  readonly document: JsonObject;
  /** null: the content is as before, in another order. */
  readonly found: readonly Difference[] | null;
  readonly isTombstone: boolean;
  readonly facts: Partial<Known>;
}

function writeVersion(books: Books, outcome: Outcome, known: KnownRow | undefined, version: Version): void {
  const { callId, sentAt } = outcome;
  const entityId = known?.entityId ?? entityOf(outcome);
  const changedAt = version.found === null ? (known?.changedAt ?? sentAt) : sentAt;
  const { rows, formerNames, identifiers } = shred(books.shape, books.tables.entity, version.document);
  const after: Known = {
    ...(known ?? newKnown(entityId, sentAt)),
    ...searchText(entityId, formerNames, identifiers),
    askedAt: sentAt,
    fetchedAt: sentAt,
    ...version.facts,
    changedAt,
    recordCallId: callId,
  };
  books.alter();
  if (known === undefined) books.known.add(after);
  else books.known.replace(known, { ...after, knownId: known.knownId });
  const own = [sentAt, changedAt, after.goneAt, callId];
  writeRows(books, { entityId, callId, rows, own, isNew: known?.fetchedAt == null });
  if (version.found === null && known?.goneAt == null) return;
  noteChanges(
    books,
    books.tables.entity,
    { entityId, observedAt: sentAt, notBefore: known?.fetchedAt ?? null, callId },
    version.found ?? [],
  );
  books.versions.add(entityId, callId, sentAt, version.isTombstone);
}

/** A company that was gone, and answers again. */
function noteReturn(books: Books, { callId, sentAt }: Outcome, known: KnownRow): void {
  if (known.goneAt === null) return;
  books.changes.add({
    entityId: known.entityId,
    observedAt: sentAt,
    notBefore: known.askedAt,
    path: '_gone_at',
    before: known.goneAt,
    after: changedValue(null),
    callId,
  });
  books.touch.gone(known.entityId, null);
}

function seenAlive(at: string) {
  return {
    lastSeenAt: at,
    askedAt: at,
    fetchedAt: at,
    flaggedAt: null,
    missingAt: null,
    missingShape: null,
    missingRun: null,
    goneAt: null,
  } satisfies Partial<Known>;
}

function compare(books: Books, before: Json, after: Json): Difference[] {
  return differences(
    withoutVolatile(before, books.ignored) as JsonObject,
    withoutVolatile(after, books.ignored) as JsonObject,
  );
}

function entityOf({ call }: Outcome): string {
  if (call.kind !== 'entity') throw new TypeError('only a call for a record has an entity');
  return call.entityId;
}
