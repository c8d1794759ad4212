import type { Database } from 'better-sqlite3';

/** How much of the registry the mirror holds. */
export interface Coverage {
  /** Companies seen in any way. */
  readonly known: number;
  /** Companies whose record was fetched. */
  readonly fetched: number;
  readonly gone: number;
  /** The registry's own count, as last observed; null: it gives none, or was never asked. */
  readonly registryTotal: number | null;
  readonly registryTotalAt: string | null;
  /** Known and not gone, as a share of the registry's count; above 1 where the count lags behind. */
  readonly knownShare: number | null;
  readonly fetchedShare: number | null;
}

export function readCoverage(db: Database): Coverage {
  return db
    .prepare(
      `SELECT known, fetched, gone, registry_total AS registryTotal, registry_total_at AS registryTotalAt,
              known_share AS knownShare, fetched_share AS fetchedShare
       FROM coverage`,
    )
    .get() as Coverage;
}

/** What the searches of late say about the share that is known; see `estimateCoverage`. */
export interface SearchEvidence {
  /** The largest total that a search stated; null: none does. */
  readonly largestTotal: number | null;
  /** Pages of the last searches: the companies on each, and those seen for the first time. */
  readonly pages: readonly { readonly rows: number; readonly new: number }[];
}

export function readSearchEvidence(db: Database): SearchEvidence {
  const largestTotal = db.prepare<[], number | null>('SELECT max(total) FROM _query').pluck().get() ?? null;
  const pages = db
    .prepare<[number], { rows: number; new: number }>(
      // Of the last calls, whatever they were: the number of rows read is bounded.
      `SELECT rows, new FROM (SELECT kind, outcome, rows, new FROM _call ORDER BY call_id DESC LIMIT ?)
       WHERE kind = 'search' AND outcome = 'ok' AND rows > 0`,
    )
    .all(LAST_CALLS);
  return { largestTotal, pages };
}

const LAST_CALLS = 500;
