import { queryKey, type SearchCall, targetOf } from '../call.ts';
import { type LoadResult, noChange } from '../load_result.ts';
import type { Outcome, SearchAnswer, SearchRow } from '../outcome.ts';
import type { NewsRow, QueryState } from '../plan/knowledge.ts';
import { type KnownRow, newKnown } from '../warehouse/known_row.ts';
import { type QueryRow, queryState } from '../warehouse/query.ts';
import type { Books } from './books.ts';
import { ratesAfterListing } from './change_rates.ts';
import { noteCompared } from './changes.ts';
import { bytesHash, contentHash } from './content.ts';
import { listingOf } from './listing.ts';
import { writeRows } from './rows.ts';
import { isSameAnswer } from './same_answer.ts';
import { searchText } from './search_text.ts';
import { countSearchedWord } from './searched_words.ts';
import { type Room, type Shredded, type SqlValue, shred, wholeRoom } from './shred.ts';

/** A page of search results: its companies, and how far the query is listed now. */
export function deriveSearch(
  books: Books,
  outcome: Outcome,
  call: SearchCall,
  answer: SearchAnswer,
): LoadResult {
  const key = queryKey(call.query);
  const pageBefore = books.queries.callOfPage(key, call.page.index);
  const room = wholeRoom();
  const rows = answer.rows
    .filter(({ entityId }) => !books.forgotten.has(entityId))
    .map((row) => deriveRow(books, outcome, row, room));
  for (const { position, why } of answer.rejected)
    books.quarantine.add({ ...placeOfItem(outcome, call), position, reason: why });
  const query = advanceListing(books, outcome, call, answer);
  countSearchedWord(books, query);
  const isUnchanged = rows.every((row) => !row.isNew && !row.changed);
  return {
    ...noChange(outcome),
    rows,
    query: queryState(query),
    newCompanies: rows.filter((row) => row.isNew).length,
    quarantined: answer.rejected.length,
    sameAs:
      pageBefore !== null && isUnchanged && isSameAnswer(books, outcome, pageBefore) ? pageBefore : null,
    note: query.note,
  };
}

/** The upstream will not answer this query: too broad or invalid, or, on a later page, out of its window. */
export function deriveRefusal(books: Books, { sentAt }: Outcome, call: SearchCall, why: string): QueryState {
  const key = queryKey(call.query);
  const before = books.queries.find(key);
  const isBeyondWindow = call.page.index > 0 && before !== undefined;
  const row: QueryRow = {
    key,
    by: call.query.by,
    text: call.query.text,
    total: before?.total ?? null,
    pages: before?.pages ?? 0,
    rows: before?.rows ?? 0,
    next: null,
    status: isBeyondWindow ? 'capped' : 'refused',
    listedAt: before?.listedAt ?? sentAt,
    askedAt: sentAt,
    note: why,
  };
  books.queries.save(row);
  countSearchedWord(books, row);
  return queryState(row);
}

function deriveRow(books: Books, outcome: Outcome, row: SearchRow, room: Room): NewsRow {
  const { entityId, name } = row;
  const known = books.known.find(entityId);
  const summaryHash = contentHash(row.summary, books.ignored);
  if (known?.summaryHash?.equals(summaryHash) === true) {
    if (speaksAgainstDeletion(known, outcome.sentAt))
      books.known.replace(known, { ...known, flaggedAt: outcome.sentAt });
    const { rateClass } = ratesAfterListing(books, known, outcome.sentAt, false);
    books.known.listedAgain(known, outcome.sentAt, rateClass);
    books.touch.listedAgain(entityId, outcome.sentAt);
    noteCompared(books, books.tables.search_result);
    return { entityId, name, isNew: false, changed: false, listedAtMs: listedBefore(known) };
  }
  const isChange = known?.summaryHash != null;
  const { formerNames, identifiers } = writeSummary(books, outcome, row, known, room);
  const after = {
    ...(known ?? newKnown(entityId, outcome.sentAt)),
    ...(known !== undefined && isChange && ratesAfterListing(books, known, outcome.sentAt, true)),
    // The record knows better, once there is one.
    ...(known?.fetchedAt == null && searchText(entityId, formerNames, identifiers)),
    name: name ?? known?.name ?? null,
    lastSeenAt: outcome.sentAt,
    listedAt: outcome.sentAt,
    summaryHash,
    // Fetched first, for what it shows is out of date.
    flaggedAt:
      known !== undefined &&
      ((isChange && known.askedAt !== null) || speaksAgainstDeletion(known, outcome.sentAt))
        ? outcome.sentAt
        : (known?.flaggedAt ?? null),
  };
  if (known === undefined) books.known.add(after);
  else books.known.replace(known, { ...after, knownId: known.knownId });
  return { entityId, name, isNew: known === undefined, changed: isChange, listedAtMs: listedBefore(known) };
}

function listedBefore(known: KnownRow | undefined): number | null {
  return known?.listedAt == null ? null : Date.parse(known.listedAt);
}

/** Concluded from 404s to be gone, and listed after that: one call tells which of the two is true. */
function speaksAgainstDeletion({ goneAt, missingShape }: KnownRow, listedAt: string): boolean {
  return goneAt !== null && missingShape !== null && listedAt > goneAt;
}

function writeSummary(
  books: Books,
  { sentAt, callId }: Outcome,
  row: SearchRow,
  known: KnownRow | undefined,
  room: Room,
): Shredded {
  const table = books.tables.search_result;
  const shredded = shred(books.shape, table, row.summary, room);
  const isNew = known?.summaryHash == null;
  books.alter();
  if (!isNew) countChanges(books, row.entityId, shredded.rows[0]?.values ?? []);
  const firstSeenAt = known?.firstSeenAt ?? sentAt;
  const own = [firstSeenAt, sentAt, callId];
  writeRows(books, { entityId: row.entityId, callId, rows: shredded.rows, own, isNew });
  return shredded;
}

/** Which fields differ: those that always do are proposed as volatile. */
function countChanges(books: Books, entityId: string, after: readonly SqlValue[]): void {
  const table = books.tables.search_result;
  const before = books.payload.values(table, entityId);
  if (before === undefined) return;
  noteCompared(books, table);
  for (const place of table.columns)
    if (!isSameValue(before[place.index], after[place.index])) place.changes++;
}

// Integers are read back as numbers where they were bound as bigint.
function isSameValue(before: SqlValue | undefined, after: SqlValue | undefined): boolean {
  return String(before ?? null) === String(after ?? null);
}

function advanceListing(books: Books, outcome: Outcome, call: SearchCall, answer: SearchAnswer): QueryRow {
  const { callId, sentAt } = outcome;
  const { paging, total_clamped_at: totalClampedAt } = books.dialect.search;
  const key = queryKey(call.query);
  const size = answer.rows.length + answer.rejectedCount;
  books.largestPage = Math.max(books.largestPage, size);
  const page = {
    index: call.page.index,
    callId,
    sentAt,
    rows: size,
    total: answer.total,
    next: answer.next,
    fingerprint: fingerprintOf(answer),
  };
  books.queries.savePage(key, page);
  const before = books.queries.find(key);
  const listedAt = page.index === 0 ? sentAt : (before?.listedAt ?? sentAt);
  const listing = listingOf(books.listings.withPage(key, listedAt, page), {
    style: paging.style,
    window: paging.window,
    totalClampedAt,
    largestPage: books.largestPage,
  });
  const row = {
    ...listing,
    key,
    by: call.query.by,
    text: call.query.text,
    listedAt,
    askedAt: sentAt,
    note: listing.note ?? vanished(before, listing.rows) ?? shrunk(before, listing.total),
  };
  books.queries.save(row);
  return row;
}

/** Nothing is removed for it: a failing search says the same. */
function vanished(before: QueryRow | undefined, rows: number): string | null {
  return before !== undefined && before.rows > 0 && rows === 0
    ? `nothing was found, where there were ${before.rows} before`
    : null;
}

function shrunk(before: QueryRow | undefined, total: number | null): string | null {
  return before?.total != null && total !== null && total < before.total
    ? `the total went from ${before.total} to ${total}`
    : null;
}

function fingerprintOf({ rows }: SearchAnswer): Buffer {
  return bytesHash(JSON.stringify(rows.map(({ entityId }) => entityId)));
}

function placeOfItem({ callId, sentAt }: Outcome, call: SearchCall) {
  return { callId, kind: call.kind, target: targetOf(call), at: sentAt };
}
