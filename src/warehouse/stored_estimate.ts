import type { Database } from 'better-sqlite3';
import { metaTable } from './meta.ts';

/** The calls until nothing is due, as estimated at the end of a run. */
export interface StoredEstimate {
  /** UTC. */
  readonly at: string;
  /** `high` null: no known upper bound. */
  readonly calls: { readonly low: number; readonly high: number | null };
}

export function storeEstimate(db: Database, estimate: StoredEstimate): void {
  metaTable(db).set('estimate', JSON.stringify(estimate));
}

/** null: no run has stored an estimate. */
export function readStoredEstimate(db: Database): StoredEstimate | null {
  const stored = metaTable(db).get('estimate');
  return stored === null ? null : (JSON.parse(stored) as StoredEstimate);
}
