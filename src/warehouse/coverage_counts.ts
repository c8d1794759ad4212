import type { Database } from 'better-sqlite3';

/** The share of the registry that is in the mirror. */
export interface Coverage {
  /** Companies seen in a search or by their record. */
  readonly known: number;
  /** Companies whose record was fetched. */
  readonly fetched: number;
  readonly gone: number;
  /** The last registry count; null: the registry reports none, or there is no observation. */
  readonly registryTotal: number | null;
  readonly registryTotalAt: string | null;
  /**
   * Companies known and not gone, as a share of the registry count. It exceeds 1 if the registry count is out of
   * date.
   */
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

/** Evidence from recent searches about the known share; see `estimateCoverage`. */
export interface SearchEvidence {
  /** The largest total that a search reported; null: there is none. */
  readonly largestTotal: number | null;
  /** Pages of the last searches: the companies on each page, and the new ones among them. */
  readonly pages: readonly { readonly rows: number; readonly new: number }[];
}

export function readSearchEvidence(db: Database): SearchEvidence {
  const largestTotal = db.prepare<[], number | null>('SELECT max(total) FROM _query').pluck().get() ?? null;
  const pages = db
    .prepare<[number], { rows: number; new: number }>(
      // The last calls of every kind, so that the number of rows read is bounded.
      `SELECT rows, new FROM (SELECT kind, outcome, rows, new FROM _call ORDER BY call_id DESC LIMIT ?)
       WHERE kind = 'search' AND outcome = 'ok' AND rows > 0`,
    )
    .all(LAST_CALLS);
  return { largestTotal, pages };
}

const LAST_CALLS = 500;
