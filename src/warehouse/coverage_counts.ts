import type { Database } from 'better-sqlite3';
import type { QueryState } from '../knowledge.ts';
import { row, rows, value } from '../sqlite/statements.ts';
import { checkedRows, type WholeListing } from '../whole_listing.ts';
import { hasSeveralRows } from './meta.ts';
import { type QueryRow, queryState } from './query.ts';
import { QUERY } from './tables.ts';

/** How much of the registry the mirror has. */
export interface Coverage {
  /** The number of companies seen in a search or fetched. */
  readonly known: number;
  /** The number of companies with a fetched record. */
  readonly fetched: number;
  readonly gone: number;
  /** The last registry count; null if the registry reports none or none has been observed yet. */
  readonly registryTotal: number | null;
  readonly registryTotalAt: string | null;
  /**
   * The number of known companies that are not gone, divided by the registry count. It is capped at 1, because the
   * registry count can be outdated. Null if the registry count is unknown.
   */
  readonly knownShare: number | null;
  readonly fetchedShare: number | null;
}

export function readCoverage(db: Database): Coverage {
  const sql = `SELECT known, fetched, gone, registry_total AS registryTotal, registry_total_at AS registryTotalAt,
      min(known_share, 1.0) AS knownShare, min(fetched_share, 1.0) AS fetchedShare
    FROM coverage`;
  return row<Coverage>(db, sql) as Coverage;
}

/** Data from recent searches, from which `estimateCoverage` estimates the known share. */
interface SearchEvidence {
  /** The largest total that a search reported; null if no search reported one, or totals do not count companies. */
  readonly largestTotal: number | null;
  /** The listing of all companies, if the empty query was read to its end. */
  readonly listing: WholeListing | null;
  /**
   * Pages from recent searches. `rows` counts all companies on the page, and `new` counts the previously unknown ones.
   */
  readonly pages: readonly { readonly rows: number; readonly new: number }[];
}

export function readSearchEvidence(db: Database): SearchEvidence {
  const whole = QUERY.select<[]>(
    db,
    `WHERE "by" = 'name' AND text = '' AND status = 'complete' AND contradicted = 0`,
  ).get();
  const largestTotal = hasSeveralRows(db)
    ? null
    : (value<number | null>(db, 'SELECT max(total) FROM _query') ?? null);
  const pages = rows<{ rows: number; new: number }>(
    db,
    // The inner query reads the last calls of any kind, so that only a few rows are read.
    `SELECT rows, new FROM (SELECT kind, outcome, rows, new FROM _call ORDER BY call_id DESC LIMIT ?)
     WHERE kind = 'search' AND outcome = 'ok' AND rows > 0`,
    LAST_CALLS,
  );
  return { largestTotal, listing: whole === undefined ? null : listingOf(db, whole), pages };
}

function listingOf(db: Database, whole: QueryRow): WholeListing {
  const { rows: count, total, listedAt } = whole;
  const checked = checkedRows(statesSince(db, listedAt), queryState(whole));
  return { rows: count, total, checkedRows: checked, hasSeveralRows: hasSeveralRows(db) };
}

function* statesSince(db: Database, listedAt: string): Generator<QueryState> {
  for (const query of QUERY.select<[string]>(db, 'WHERE listed_at >= ?').iterate(listedAt))
    yield queryState(query);
}

const LAST_CALLS = 500;
