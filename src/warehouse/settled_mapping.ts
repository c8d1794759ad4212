import type { Database } from 'better-sqlite3';
import { Mapping } from '../dialect/mapping.ts';
import { metaTable } from './meta.ts';

export interface SettledMapping {
  /** What the tables are made by. */
  readonly inForce: Mapping;
  /** The configuration says otherwise: `reprocess` brings it into force. */
  readonly isPending: boolean;
}

/** A warehouse with rows goes on with the mapping that made them, so that no table is half one and half another. */
export function settleMapping(db: Database, configured: Mapping): SettledMapping {
  const meta = metaTable(db);
  const text = JSON.stringify(configured);
  const stored = meta.get('mapping');
  const hasRows = db.prepare('SELECT 1 FROM _table LIMIT 1').get() !== undefined;
  if (stored !== null && hasRows && stored !== text)
    return { inForce: Mapping.parse(JSON.parse(stored)), isPending: true };
  if (stored !== text) meta.set('mapping', text);
  return { inForce: configured, isPending: false };
}

/** The mapping that the tables were made by; null: nothing was loaded yet. */
export function settledMapping(db: Database): Mapping | null {
  const stored = metaTable(db).get('mapping');
  return stored === null ? null : Mapping.parse(JSON.parse(stored));
}
