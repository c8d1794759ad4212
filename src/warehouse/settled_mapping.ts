import type { Database } from 'better-sqlite3';
import { completeMapping, type Mapping } from '../dialect/mapping.ts';
import { value } from '../sqlite/query.ts';
import { metaTable } from './meta.ts';

interface SettledMapping {
  /** The mapping that created the current tables. */
  readonly inForce: Mapping;
  /** True if the configured mapping is different and `reprocess` would apply it. */
  readonly isPending: boolean;
}

/**
 * Selects the mapping to use. A warehouse with rows keeps the mapping that created them, so that no table mixes two
 * mappings.
 */
export function settleMapping(db: Database, configured: Mapping): SettledMapping {
  const meta = metaTable(db);
  const text = JSON.stringify(configured);
  const stored = normalised(meta.get('mapping'));
  const hasRows = value(db, 'SELECT 1 FROM _table LIMIT 1') !== undefined;
  if (stored !== null && hasRows && stored !== text)
    return { inForce: completeMapping(JSON.parse(stored)), isPending: true };
  if (stored !== text) meta.set('mapping', text);
  return { inForce: configured, isPending: false };
}

/**
 * Returns the stored mapping in the form that this version writes. A mapping that an older version stored can lack
 * newer keys.
 */
function normalised(stored: string | null): string | null {
  return stored === null ? null : JSON.stringify(completeMapping(JSON.parse(stored)));
}

/** Returns the mapping that created the current tables, or null if there are no rows. */
export function settledMapping(db: Database): Mapping | null {
  const stored = metaTable(db).get('mapping');
  return stored === null ? null : completeMapping(JSON.parse(stored));
}
