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
