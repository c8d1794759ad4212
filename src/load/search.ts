import { queryKey, type SearchCall, targetOf } from '../call.ts';
import { nameIn } from '../dialect/body_values.ts';
import { NOTHING_FOUND } from '../dialect/search_results.ts';
import { DAY_MS } from '../durations.ts';
import type { ListedCompany, QueryState } from '../knowledge.ts';
import { type LoadResult, noChange } from '../load_result.ts';
import { searchText } from '../names/search_index_text.ts';
import type { Outcome, SearchAnswer, SearchRow, Verdict } from '../outcome.ts';
import { findFailure } from '../warehouse/failure.ts';
import type { InferredTable, SchemaPath } from '../warehouse/inferred_schema.ts';
import { type KnownRow, newKnown } from '../warehouse/known.ts';
import { setTime } from '../warehouse/payload.ts';
import { type QueryPage, type QueryRow, queryState } from '../warehouse/query.ts';
import { noteCompared, ratesAfterListing } from './changes.ts';
import { contentHash } from './content.ts';
import { writeRows } from './entity_rows.ts';
import { hashesIn, hashOfIds, ID_HASH_BYTES } from './id_hashes.ts';
import { repeatedIfMoved, USELESS } from './listing_repeat.ts';
import type { LoadSession } from './load_session.ts';
import { isTotalOfPage, listingOf, PARTIAL, UNREAD } from './query_listing.ts';
import { type Room, type Shredded, type SqlValue, shred, wholeRoom } from './shred.ts';
import { isSameResponse, latestDocument } from './stored_response.ts';
import { earlierReading, flagUnlisted } from './unlisted.ts';

/** Loads the companies on a page of search results, and updates the listing's state. */
export function deriveSearch(
  session: LoadSession,
  outcome: Outcome,
  call: SearchCall,
  answer: SearchAnswer,
): LoadResult {
  const key = queryKey(call.query);
  const vanished = vanishedListing(session, call, answer);
  if (vanished !== null) return { ...noChange(outcome), note: vanished };
  const pageBefore = session.queries.page(key, call.page.index)?.callId ?? null;
  const room = wholeRoom();
  const listed = answer.rows.filter(({ entityId }) => !session.forgotten.has(entityId));
  if (!session.hasSeveralRows && hasSeveralRows(session, listed)) session.noteSeveralRows();
  const rows = listed.map((row) => deriveRow(session, outcome, row, room));
  for (const { position, why } of answer.rejected)
    session.quarantine({ ...itemOf(outcome, call), position, reason: why });
  const query = advanceListing(session, outcome, call, answer, rows);
  const isUnchanged = rows.every((row) => !row.isNew && !row.changed);
  return {
    ...noChange(outcome),
    rows,
    query: queryState(query),
    newCompanies: rows.filter((row) => row.isNew).length,
    quarantined: answer.rejected.length,
    sameAs:
      pageBefore !== null && isUnchanged && isSameResponse(session, outcome, pageBefore) ? pageBefore : null,
    note: query.note ?? noteOn(answer),
  };
}

function noteOn({ withoutId, resultCount }: SearchAnswer): string | null {
  return withoutId === 0 ? null : `${withoutId} of ${resultCount} results have no id and are left out`;
}

/**
 * Processes a query that the upstream refused because it is too broad or invalid, or because the requested page is
 * beyond the cap.
 */
export function deriveRefusal(
  session: LoadSession,
  { callId, sentAt }: Outcome,
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
    // The listing's own total is better evidence than a number in the message, which can be the limit.
    total: (isBeyondCap ? before.total : null) ?? total ?? before?.total ?? null,
    pages: before?.pages ?? 0,
    rows: before?.rows ?? 0,
    next: null,
    status: isBeyondCap ? 'capped' : 'refused',
    listedAt: before?.listedAt ?? sentAt,
    askedAt: sentAt,
    firstCall: before?.firstCall ?? callId,
    repeats: before?.repeats ?? 0,
    isContradicted: 0,
    isRedundant: before?.isRedundant ?? 0,
    note: why,
  };
  session.queries.save(row);
  return queryState(row);
}

/**
 * Goes on after a page that has failed several times, such as one with a company that the upstream cannot write. Returns
 * null if the next page cannot be requested without this one.
 */
export function deriveUnreadPage(
  session: LoadSession,
  outcome: Outcome,
  call: SearchCall,
): QueryState | null {
  const before = session.queries.find(queryKey(call.query));
  const { style } = session.dialect.search.paging;
  if (before === undefined || call.page.index !== before.pages || call.page.index === 0) return null;
  if (style !== 'page' && style !== 'offset') return null;
  return queryState(
    advanceListing(session, outcome, call, { ...NOTHING_FOUND, total: before.total, next: UNREAD }, []),
  );
}

function deriveRow(session: LoadSession, outcome: Outcome, row: SearchRow, room: Room): ListedCompany {
  const { entityId, name } = row;
  const known = session.known.find(entityId);
  const summaryHash = contentHash(row.summary, session.ignored);
  const seen = known?.summaryHash == null ? [] : summaryHashesIn(known.summaryHash);
  const isSeen = seen.some((one) => one.equals(summaryHash));
  const isOther = !isSeen && known !== undefined && isOtherRow(session, known, row, outcome.sentAt);
  const isCurrent = seen[0]?.equals(summaryHash) === true;
  const stands =
    known !== undefined && (isSeen || isOther) && !isCurrent && isRowOfRecord(session, known, row);
  if (known !== undefined && (isSeen || isOther) && !stands) {
    const flaggedAt = contradictsDeletion(known) ? outcome.sentAt : known.flaggedAt;
    session.known.replace({
      ...known,
      flaggedAt,
      listedAt: outcome.sentAt,
      summaryHash: isOther ? Buffer.concat([...seen, summaryHash].slice(0, MAX_ROWS)) : known.summaryHash,
      rateClass: ratesAfterListing(session, known, outcome.sentAt, false).rateClass,
    });
    setTime(session.db, '_last_seen_at', entityId, outcome.sentAt);
    noteCompared(session, session.tables.search_result);
    return { entityId, name, isNew: false, changed: false, listedAtMs: listedBefore(known) };
  }
  const hasSummary = known?.summaryHash != null;
  const isChange = hasSummary && !stands;
  const { formerNames, identifiers, version, isOutdated } = writeSummary(
    session,
    outcome,
    row,
    known,
    room,
    isChange,
  );
  const others = stands ? seen.filter((one) => !one.equals(summaryHash)) : [];
  const after = {
    ...(known ?? newKnown(entityId, outcome.sentAt)),
    ...(known !== undefined && isChange && ratesAfterListing(session, known, outcome.sentAt, isOutdated)),
    // A record's search texts are better than a summary's, so a summary does not replace them.
    ...(known?.fetchedAt == null && searchText(entityId, formerNames, identifiers)),
    // So is its name, because the name in a row can depend on the query.
    name: recordName(session, known, isOutdated) ?? name ?? known?.name ?? null,
    listedAt: outcome.sentAt,
    summaryHash: Buffer.concat([summaryHash, ...others].slice(0, MAX_ROWS)),
    summaryVersion: version,
    // A changed summary shows that the stored record is outdated. The flag makes the planner fetch the record first.
    flaggedAt:
      known !== undefined && ((isOutdated && known.askedAt !== null) || contradictsDeletion(known))
        ? outcome.sentAt
        : (known?.flaggedAt ?? null),
  };
  if (known === undefined) session.known.add(after);
  else session.known.replace({ ...after, knownId: known.knownId });
  return { entityId, name, isNew: known === undefined, changed: isOutdated, listedAtMs: listedBefore(known) };
}

/** Returns the name in the company's record, or null if there is none. An unchanged summary leaves the known name. */
function recordName(session: LoadSession, known: KnownRow | undefined, isOutdated: boolean): string | null {
  if (known?.fetchedAt == null) return null;
  if (!isOutdated) return known.name;
  return nameIn(latestDocument(session, known.entityId) ?? undefined, session.dialect.entity);
}

/** Returns whether the dialect groups a company's rows, or a page has different rows of one company. */
function hasSeveralRows(session: LoadSession, rows: readonly SearchRow[]): boolean {
  if (session.dialect.search.group_as !== null) return true;
  if (new Set(rows.map(({ entityId }) => entityId)).size === rows.length) return false;
  const hashOf = ({ summary }: SearchRow) => contentHash(summary, session.ignored).toString('latin1');
  return [...Map.groupBy(rows, ({ entityId }) => entityId).values()].some(
    (ofCompany) => new Set(ofCompany.map(hashOf)).size > 1,
  );
}

/**
 * Returns whether a new row is another row of the company, such as a branch, and not a change of the stored row. Two rows
 * on one page prove that companies of this upstream can have several rows. From then on, so does a row that is found
 * within a day of the last one, or has another name. A change of such a company's name is found in its record.
 */
function isOtherRow(session: LoadSession, known: KnownRow, { name }: SearchRow, at: string): boolean {
  if (!session.hasSeveralRows || known.summaryHash === null || known.listedAt === null) return false;
  const isSoon = Date.parse(at) - Date.parse(known.listedAt) < DAY_MS;
  return isSoon || (name !== null && known.name !== null && name !== known.name);
}

/** Returns whether the row has the record's name and the stored row does not, so that the row stands for the company. */
function isRowOfRecord(session: LoadSession, known: KnownRow, { entityId, name }: SearchRow): boolean {
  if (!session.hasSeveralRows || known.fetchedAt === null || name === null || name !== known.name)
    return false;
  return session.payload.values(session.tables.search_result, entityId)?.includes(name) === false;
}

/** Splits the hashes of a company's rows. The first one is the stored row's. */
function summaryHashesIn(hashes: Buffer): Buffer[] {
  return Array.from({ length: hashes.length / HASH_BYTES }, (_, at) =>
    hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
  );
}

const HASH_BYTES = 8;
/** The rows of one company whose hashes are stored. */
const MAX_ROWS = 16;

function listedBefore(known: KnownRow | undefined): number | null {
  return known?.listedAt == null ? null : Date.parse(known.listedAt);
}

/**
 * Returns whether a listing contradicts a deletion that was derived from a 404, or a 404. If so, one call checks whether
 * the company still exists.
 */
function contradictsDeletion({ goneAt, missingAt, missingShape }: KnownRow): boolean {
  return (goneAt !== null || missingAt !== null) && missingShape !== null;
}

function writeSummary(
  session: LoadSession,
  { sentAt, callId }: Outcome,
  row: SearchRow,
  known: KnownRow | undefined,
  room: Room,
  isChange: boolean,
): Shredded & { readonly version: number | null; readonly isOutdated: boolean } {
  const table = session.tables.search_result;
  const shredded = shred(session.schema, table, row.summary, room);
  const isNew = known?.summaryHash == null;
  const isOutdated = isChange && countChanges(session, row.entityId, shredded.rows[0]?.values ?? []);
  const firstSeenAt = known?.firstSeenAt ?? sentAt;
  const own = [firstSeenAt, sentAt, callId];
  const version = writeRows(session, { entityId: row.entityId, callId, rows: shredded.rows, own, isNew });
  return { ...shredded, version, isOutdated };
}

/**
 * Counts the fields that differ from the last summary. Returns whether they show that the record is outdated: not if only
 * fields differ that nearly always do, such as a score. `doctor` proposes these fields as volatile.
 */
function countChanges(session: LoadSession, entityId: string, after: readonly SqlValue[]): boolean {
  const table = session.tables.search_result;
  const before = session.payload.values(table, entityId);
  if (before === undefined) return true;
  noteCompared(session, table);
  const changed = table.columns.filter(({ index }) => !isSameValue(before[index], after[index]));
  for (const column of changed) column.changes++;
  return changed.length === 0 || changed.some((column) => !differsAlways(column, table));
}

/**
 * Returns whether a field differs in nearly all comparisons. It must differ more than once per company, because a field
 * can change in all companies at once. `rowsSeen` counts each company's first summary and its changes.
 */
function differsAlways({ changes }: SchemaPath, { compared, rowsSeen }: InferredTable): boolean {
  const firstRows = rowsSeen - changes;
  return changes >= MANY_CHANGES && changes >= compared * NEARLY_ALWAYS && changes > firstRows * 1.5;
}

const MANY_CHANGES = 100;
const NEARLY_ALWAYS = 0.9;

// The values are compared as text, because SQLite returns numbers for integers that were bound as bigint.
function isSameValue(before: SqlValue | undefined, after: SqlValue | undefined): boolean {
  return String(before ?? null) === String(after ?? null);
}

function advanceListing(
  session: LoadSession,
  outcome: Outcome,
  call: SearchCall,
  answer: SearchAnswer,
  rows: readonly ListedCompany[],
): QueryRow {
  const { callId, sentAt } = outcome;
  const { paging, main, total_clamped_at: totalClampedAt } = session.dialect.search;
  const key = queryKey(call.query);
  const size = answer.resultCount;
  session.largestPageTimes =
    size > session.largestPage ? 1 : session.largestPageTimes + Number(size === session.largestPage);
  session.largestPage = Math.max(session.largestPage, size);
  session.hasLargerTotal ||= answer.total !== null && answer.total > size;
  const before = session.queries.find(key);
  const start = startOfListing(before, call.page.index, outcome);
  const received = {
    index: call.page.index,
    callId,
    sentAt,
    rows: size,
    total: answer.total,
    next: answer.next ?? (answer.isPartial ? PARTIAL : null),
    fingerprint: hashOfIds(answer.rows.map(({ entityId }) => entityId)),
  };
  const stored = session.queries.page(key, received.index);
  const readingOf = (index: number) => inListing(session.queries.page(key, index), start.firstCall);
  const earlier = inListing(stored, start.firstCall);
  const replaced = stored === undefined ? null : earlierReading(stored, start.firstCall);
  const isJoined = before === undefined || before.isContradicted === 1 || received.index < before.pages;
  const page: QueryPage = {
    ...received,
    overlap: overlapOf(earlier, received.fingerprint, isJoined),
    // Reading the page again must not hide an earlier move.
    moved: Math.max(
      movedBetween(readingOf(received.index - 1), received),
      earlier === undefined ? 0 : Math.max(earlier.moved, movedTo(session, key, start.firstCall, earlier)),
    ),
    earlierCall: replaced?.callId ?? null,
    earlierFingerprint: replaced?.fingerprint ?? null,
  };
  session.queries.savePage(key, page);
  const listed = listingOf(session.listings.withPage(key, start.firstCall, page), {
    style: paging.style,
    hasMainRow: main !== null,
    window: paging.window,
    totalClampedAt,
    // Earlier pages may have been requested with a larger size. Without a size parameter, pages can be longer than the
    // size in the dialect.
    fullPage: paging.size_param === null ? session.largestPage : Math.min(session.largestPage, paging.size),
    // For the listing of all companies, one more request is cheap beside losing the rest.
    endsWithShortPage:
      !paging.uneven && (paging.style === 'none' || call.query.text !== '' || session.largestPageTimes > 1),
  });
  // The next page shows whether the total counts all matches or only the page.
  const isDoubtful =
    !session.hasLargerTotal &&
    isTotalOfPage(page, paging, { rows: session.largestPage, times: session.largestPageTimes });
  const listing = isDoubtful ? { ...listed, total: null, status: 'open' as const } : listed;
  const { contradiction, ...state } = listing;
  const row: QueryRow = {
    ...state,
    ...start,
    key,
    by: call.query.by,
    text: call.query.text,
    askedAt: sentAt,
    isContradicted: contradiction === null ? 0 : 1,
    isRedundant: before?.isRedundant !== 0 && rows.every(({ listedAtMs }) => listedAtMs !== null) ? 1 : 0,
  };
  const kept =
    row.status === 'complete' && row.repeats !== USELESS ? repeatedIfMoved(session, row, callId) : row;
  session.queries.save(kept);
  if (kept.status === 'complete' && before !== undefined) flagUnlisted(session, kept);
  return kept;
}

/** Returns when the page's listing began. A first page begins a new one, unless it was requested to be read again. */
function startOfListing(
  before: QueryRow | undefined,
  pageIndex: number,
  { callId, sentAt }: Outcome,
): Pick<QueryRow, 'listedAt' | 'firstCall' | 'repeats'> {
  if (before === undefined) return { listedAt: sentAt, firstCall: callId, repeats: 0 };
  const { listedAt, firstCall, repeats, isContradicted, pages } = before;
  const isReadAgain = isContradicted === 1 && pages === 0;
  if (pageIndex > 0 || isReadAgain) return { listedAt, firstCall, repeats };
  return {
    listedAt: sentAt,
    firstCall: callId,
    repeats: repeats === USELESS ? USELESS : 0,
  };
}

/**
 * Returns a note if a query whose last listing had several companies now finds nothing, or if the listing of all companies
 * is empty, and null otherwise. A search that fails silently also returns nothing. The last listing therefore counts until
 * a second response, at least an hour later, is empty too.
 */
function vanishedListing(session: LoadSession, call: SearchCall, answer: SearchAnswer): string | null {
  if (call.page.index > 0 || answer.resultCount > 0) return null;
  const rows = session.queries.find(queryKey(call.query))?.rows ?? 0;
  if (rows < MIN_VANISHED_ROWS && call.query.text !== '') return null;
  if (findFailure(session.db, call.kind, targetOf(call)) !== null) return null;
  return rows === 0
    ? 'the listing of all companies is empty'
    : `no results; the previous listing had ${rows}`;
}

/** All companies of a shorter listing can disappear at once. */
const MIN_VANISHED_ROWS = 5;

/** Returns the reading of a page if it belongs to the listing that began with `firstCall`. */
function inListing(page: QueryPage | undefined, firstCall: number): QueryPage | undefined {
  return page !== undefined && page.callId >= firstCall ? page : undefined;
}

/**
 * Compares a page with its earlier reading in the same listing. An earlier reading that did not join the page before it
 * shows nothing about what lies between them.
 */
function overlapOf(
  earlier: QueryPage | undefined,
  fingerprint: Buffer,
  isJoined: boolean,
): QueryPage['overlap'] {
  if (earlier === undefined) return 'none';
  if (earlier.fingerprint.equals(fingerprint)) return 'same';
  if (earlier.fingerprint.length === 0 || !isJoined) return 'none';
  // An older version stored one hash of the whole page.
  if (earlier.fingerprint.length % ID_HASH_BYTES !== 0) return 'partial';
  return sharedCount(earlier.fingerprint, fingerprint) > 0 ? 'partial' : 'disjoint';
}

/**
 * Returns how many companies moved to earlier pages after the page before was read. Each of them, and each company that
 * was added there, pushes a company from the page before to this page. The growth of the total shows how many were added.
 */
function movedBetween(before: QueryPage | undefined, page: Pick<QueryPage, 'total' | 'fingerprint'>): number {
  if (before === undefined || before.total === null || page.total === null) return 0;
  const added = Math.max(0, page.total - before.total);
  return Math.max(0, sharedCount(before.fingerprint, page.fingerprint) - added);
}

/** Returns how many companies on a page moved there from pages that were read before the page before it. */
function movedTo({ queries }: LoadSession, key: string, firstCall: number, page: QueryPage): number {
  const before = queries.pages(key, firstCall).filter(({ index }) => index < page.index - 1);
  return sharedCount(Buffer.concat(before.map(({ fingerprint }) => fingerprint)), page.fingerprint);
}

function sharedCount(one: Buffer, other: Buffer): number {
  const ids = new Set(hashesIn(one));
  return hashesIn(other).filter((id) => ids.has(id)).length;
}

function itemOf({ callId, sentAt }: Outcome, call: SearchCall) {
  return { callId, kind: call.kind, target: targetOf(call), at: sentAt };
}
