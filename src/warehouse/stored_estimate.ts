import type { Database } from 'better-sqlite3';
import { metaTable } from './meta.ts';

/** An estimate of how many calls it takes until nothing is due, stored at the end of a run. */
export interface StoredEstimate {
  /** When the estimate was made (UTC). */
  readonly at: string;
  /** `high` is null if no upper bound is known. */
  readonly calls: { readonly low: number; readonly high: number | null };
}

export function storeEstimate(db: Database, estimate: StoredEstimate): void {
  metaTable(db).set('estimate', JSON.stringify(estimate));
}

/** Reads the stored estimate. Returns null if no run has stored one. */
export function readStoredEstimate(db: Database): StoredEstimate | null {
  const stored = metaTable(db).get('estimate');
  return stored === null ? null : (JSON.parse(stored) as StoredEstimate);
}
