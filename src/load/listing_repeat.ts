import type { KnownRow } from '../warehouse/known.ts';
import type { QueryPage, QueryRow } from '../warehouse/query.ts';
import { hashesIn, hashOfIds } from './id_hashes.ts';
import type { LoadSession } from './load_session.ts';

/**
 * Returns the listing to be read again if companies are missing from it. Others can be added or moved while it is read,
 * and an upstream can change the order in each response. Companies are missing in these cases:
 *
 * - Fewer different companies than the total were received and are still listed.
 * - More companies were received twice than were added.
 * - Companies moved to earlier pages.
 *
 * Without a total, the number of rows is used. If the pages then have different numbers of rows, offsets repeat rows, and
 * nothing is read again. In a long listing, few missing companies are not worth another reading.
 */
export function repeatedIfMoved(session: LoadSession, row: QueryRow, callId: number): QueryRow {
  const { main } = session.dialect.search;
  const { key, rows, pages, firstCall, repeats } = row;
  const total = row.total ?? rows;
  // With several rows per company, repeated companies are normal.
  if (session.hasSeveralRows || pages < 2 || main !== null) return row;
  // Pages beyond the end were read before the listing became shorter.
  const received = session.queries.pages(key, firstCall).slice(0, pages);
  const isUneven = new Set(received.slice(0, -1).map((page) => page.rows)).size > 1;
  if (row.total === null && isUneven) return row;
  const ids = received.flatMap(({ fingerprint }) => hashesIn(fingerprint));
  const different = new Set(ids).size;
  const added = total - Math.min(...received.map((page) => page.total ?? total));
  const moved = received.reduce((sum, page) => sum + page.moved, 0);
  const removed = removedAmong(session, row, received);
  const missing = Math.max(total - (different - removed), rows - different - added, moved);
  const isMissing = missing > 0 && (different < rows || moved > 0 || removed > 0) && ids.length === rows;
  if (!isMissing || pages > missing * PAGES_PER_MISSING) return row;
  if (repeats > 0 && !session.queries.hasFoundNew(key, firstCall)) return { ...row, repeats: USELESS };
  if (repeats >= MAX_REPEATS || session.queries.withRepeats(USELESS) >= MOST_USELESS) return row;
  return {
    ...row,
    pages: 0,
    rows: 0,
    next: null,
    status: 'open',
    firstCall: callId + 1,
    repeats: repeats + 1,
    isContradicted: 1,
    note: `received ${different} different companies of ${total}: companies moved while it was read`,
  };
}

/**
 * Reads the listings again that do not reach their total without a company that has just been marked as gone. A smaller
 * total does not show which of the received companies it excludes. Only their records do.
 */
export function repeatListingsWith(
  session: LoadSession,
  { entityId, listedAt }: KnownRow,
  callId: number,
): void {
  if (listedAt === null) return;
  for (const row of session.queries.listingsBeforeFall(hashOfIds([entityId]), listedAt))
    session.queries.save(repeatedIfMoved(session, row, callId));
}

/**
 * Counts the companies that were received before the total became smaller and are gone. A company does not count if a
 * later response shows that it still existed when the listing ended. Later deletions can look the same, so they start a
 * listing again only once.
 */
function removedAmong(
  { known }: LoadSession,
  { total, repeats, listedAt, askedAt }: QueryRow,
  received: readonly QueryPage[],
): number {
  const beforeFall = received.filter((page) => (page.total ?? 0) > (total ?? Number.POSITIVE_INFINITY));
  if (repeats > 0 || beforeFall.length === 0) return 0;
  const gone = new Set(
    known.goneSince(listedAt, askedAt).map((entityId) => hashOfIds([entityId]).toString('latin1')),
  );
  const ids = new Set(beforeFall.flatMap(({ fingerprint }) => hashesIn(fingerprint)));
  return [...ids].filter((id) => gone.has(id)).length;
}

const PAGES_PER_MISSING = 100;
const MAX_REPEATS = 6;
/** The value of `repeats` after a repeated listing showed no new company. The query is then never repeated again. */
export const USELESS = 9;
/** After this many useless repetitions, repeated companies are considered normal for this upstream. */
const MOST_USELESS = 3;
