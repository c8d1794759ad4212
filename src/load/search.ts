import { queryKey, type SearchCall, targetOf } from '../call.ts';
import type { ListedCompany, QueryState } from '../knowledge.ts';
import { type LoadResult, noChange } from '../load_result.ts';
import { searchText } from '../names/search_index_text.ts';
import type { Outcome, SearchAnswer, SearchRow, Verdict } from '../outcome.ts';
import { type KnownRow, newKnown } from '../warehouse/known_row.ts';
import { type QueryRow, queryState } from '../warehouse/query.ts';
import { noteCompared, ratesAfterListing } from './changes.ts';
import { bytesHash, contentHash } from './content.ts';
import { writeRows } from './entity_rows.ts';
import type { LoadSession } from './load_session.ts';
import { listingOf } from './query_listing.ts';
import { type Room, type Shredded, type SqlValue, shred, wholeRoom } from './shred.ts';
import { isSameResponse } from './stored_response.ts';
import { countSearchedWord } from './word_counts.ts';

/** Loads the companies on a page of search results, and updates the listing's state. */
export function deriveSearch(
  session: LoadSession,
  outcome: Outcome,
  call: SearchCall,
  answer: SearchAnswer,
): LoadResult {
  const key = queryKey(call.query);
  const pageBefore = session.queries.callOfPage(key, call.page.index);
  const room = wholeRoom();
  const rows = answer.rows
    .filter(({ entityId }) => !session.forgotten.has(entityId))
    .map((row) => deriveRow(session, outcome, row, room));
  for (const { position, why } of answer.rejected)
    session.quarantine.add({ ...itemOf(outcome, call), position, reason: why });
  const query = advanceListing(session, outcome, call, answer);
  countSearchedWord(session, query);
  const isUnchanged = rows.every((row) => !row.isNew && !row.changed);
  return {
    ...noChange(outcome),
    rows,
    query: queryState(query),
    newCompanies: rows.filter((row) => row.isNew).length,
    quarantined: answer.rejected.length,
    sameAs:
      pageBefore !== null && isUnchanged && isSameResponse(session, outcome, pageBefore) ? pageBefore : null,
    note: query.note,
  };
}

/**
 * Processes a query that the upstream refused because it is too broad or invalid, or because the requested page is
 * beyond the cap.
 */
export function deriveRefusal(
  session: LoadSession,
  { sentAt }: Outcome,
  call: SearchCall,
  { why, total }: Verdict & { is: 'refused' },
): QueryState {
  const key = queryKey(call.query);
  const before = session.queries.find(key);
  const isBeyondCap = call.page.index > 0 && before !== undefined;
  const row: QueryRow = {
    key,
    by: call.query.by,
    text: call.query.text,
    total: total ?? before?.total ?? null,
    pages: before?.pages ?? 0,
    rows: before?.rows ?? 0,
    next: null,
    status: isBeyondCap ? 'capped' : 'refused',
    listedAt: before?.listedAt ?? sentAt,
    askedAt: sentAt,
    note: why,
  };
  session.queries.save(row);
  countSearchedWord(session, row);
  return queryState(row);
}

function deriveRow(session: LoadSession, outcome: Outcome, row: SearchRow, room: Room): ListedCompany {
  const { entityId, name } = row;
  const known = session.known.find(entityId);
  const summaryHash = contentHash(row.summary, session.ignored);
  if (known?.summaryHash?.equals(summaryHash) === true) {
    if (contradictsDeletion(known, outcome.sentAt))
      session.known.replace(known, { ...known, flaggedAt: outcome.sentAt });
    const { rateClass } = ratesAfterListing(session, known, outcome.sentAt, false);
    session.known.listedAgain(known, { at: outcome.sentAt, rateClass, version: session.feed.take(2) });
    session.touch.listedAgain(entityId, outcome.sentAt);
    noteCompared(session, session.tables.search_result);
    return { entityId, name, isNew: false, changed: false, listedAtMs: listedBefore(known) };
  }
  const isChange = known?.summaryHash != null;
  const { formerNames, identifiers, version } = writeSummary(session, outcome, row, known, room);
  const after = {
    ...(known ?? newKnown(entityId, outcome.sentAt)),
    ...(known !== undefined && isChange && ratesAfterListing(session, known, outcome.sentAt, true)),
    // A record's search texts are better than a summary's, so a summary does not replace them.
    ...(known?.fetchedAt == null && searchText(entityId, formerNames, identifiers)),
    name: name ?? known?.name ?? null,
    lastSeenAt: outcome.sentAt,
    listedAt: outcome.sentAt,
    summaryHash,
    summaryAdded: isChange ? known.summaryAdded : version,
    summaryVersion: version,
    summaryTouched: null,
    // A changed summary shows that the stored record is outdated. The flag makes the planner fetch the record first.
    flaggedAt:
      known !== undefined &&
      ((isChange && known.askedAt !== null) || contradictsDeletion(known, outcome.sentAt))
        ? outcome.sentAt
        : (known?.flaggedAt ?? null),
  };
  if (known === undefined) session.known.add(after);
  else session.known.replace(known, { ...after, knownId: known.knownId });
  return { entityId, name, isNew: known === undefined, changed: isChange, listedAtMs: listedBefore(known) };
}

function listedBefore(known: KnownRow | undefined): number | null {
  return known?.listedAt == null ? null : Date.parse(known.listedAt);
}

/**
 * Returns whether a listing contradicts a deletion that was derived from 404s. If so, one call checks whether the
 * company still exists.
 */
function contradictsDeletion({ goneAt, missingShape }: KnownRow, listedAt: string): boolean {
  return goneAt !== null && missingShape !== null && listedAt > goneAt;
}

function writeSummary(
  session: LoadSession,
  { sentAt, callId }: Outcome,
  row: SearchRow,
  known: KnownRow | undefined,
  room: Room,
): Shredded & { readonly version: number | null } {
  const table = session.tables.search_result;
  const shredded = shred(session.schema, table, row.summary, room);
  const isNew = known?.summaryHash == null;
  session.alter();
  if (!isNew) countChanges(session, row.entityId, shredded.rows[0]?.values ?? []);
  const firstSeenAt = known?.firstSeenAt ?? sentAt;
  const own = [firstSeenAt, sentAt, callId];
  const version = writeRows(session, { entityId: row.entityId, callId, rows: shredded.rows, own, isNew });
  return { ...shredded, version };
}

/** Counts the fields that differ from the last summary. Fields that nearly always differ are proposed as volatile. */
function countChanges(session: LoadSession, entityId: string, after: readonly SqlValue[]): void {
  const table = session.tables.search_result;
  const before = session.payload.values(table, entityId);
  if (before === undefined) return;
  noteCompared(session, table);
  for (const column of table.columns)
    if (!isSameValue(before[column.index], after[column.index])) column.changes++;
}

// The values are compared as text, because SQLite returns numbers for integers that were bound as bigint.
function isSameValue(before: SqlValue | undefined, after: SqlValue | undefined): boolean {
  return String(before ?? null) === String(after ?? null);
}

function advanceListing(
  session: LoadSession,
  outcome: Outcome,
  call: SearchCall,
  answer: SearchAnswer,
): QueryRow {
  const { callId, sentAt } = outcome;
  const { paging, main, total_clamped_at: totalClampedAt } = session.dialect.search;
  const key = queryKey(call.query);
  const size = answer.resultCount;
  session.largestPage = Math.max(session.largestPage, size);
  const page = {
    index: call.page.index,
    callId,
    sentAt,
    rows: size,
    total: answer.total,
    next: answer.next,
    fingerprint: fingerprintOf(answer),
  };
  session.queries.savePage(key, page);
  const before = session.queries.find(key);
  const listedAt = page.index === 0 ? sentAt : (before?.listedAt ?? sentAt);
  const listing = listingOf(session.listings.withPage(key, listedAt, page), {
    style: paging.style,
    hasMainRow: main !== null,
    window: paging.window,
    totalClampedAt,
    // Earlier pages may have been requested with a larger size.
    fullPage: paging.size_param === null ? session.largestPage : Math.min(session.largestPage, paging.size),
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
  session.queries.save(row);
  return row;
}

/**
 * Returns a note if a listing has become empty, and null otherwise. An empty listing removes no company, because a
 * failing search can also return nothing.
 */
function vanished(before: QueryRow | undefined, rows: number): string | null {
  return before !== undefined && before.rows > 0 && rows === 0
    ? `no results; the previous listing had ${before.rows}`
    : null;
}

function shrunk(before: QueryRow | undefined, total: number | null): string | null {
  return before?.total != null && total !== null && total < before.total
    ? `the total fell from ${before.total} to ${total}`
    : null;
}

function fingerprintOf({ rows }: SearchAnswer): Buffer {
  return bytesHash(JSON.stringify(rows.map(({ entityId }) => entityId)));
}

function itemOf({ callId, sentAt }: Outcome, call: SearchCall) {
  return { callId, kind: call.kind, target: targetOf(call), at: sentAt };
}
