import { isDeepStrictEqual } from 'node:util';
import type { Database } from 'better-sqlite3';
import { completeMapping, DEFAULT_MAPPING, type Mapping } from '../dialect/mapping.ts';
import { value } from '../sqlite/statements.ts';
import { InferredSchema } from './inferred_schema.ts';
import { metaTable } from './meta.ts';

/**
 * Returns the mapping to use. A warehouse with rows keeps the mapping that created them, so that no table mixes two
 * mappings. `reprocess` applies another one.
 */
export function settleMapping(db: Database, configured: Mapping): Mapping {
  const stored = settledMapping(db);
  if (stored !== null && hasTables(db)) return stored;
  metaTable(db).set('mapping', configured);
  return configured;
}

/** Returns whether the tables still have another mapping than the configured one. */
export function isMappingOutdated(db: Database, configured: Mapping): boolean {
  const stored = settledMapping(db);
  return stored !== null && hasTables(db) && !isDeepStrictEqual(stored, configured);
}

function hasTables(db: Database): boolean {
  return value(db, 'SELECT 1 FROM _table LIMIT 1') !== undefined;
}

/**
 * Returns the mapping that created the current tables, or null if none is stored. Keys that it lacks get their
 * defaults.
 */
export function settledMapping(db: Database): Mapping | null {
  const stored = metaTable(db).get('mapping');
  return stored === null ? null : completeMapping(stored);
}

/** Returns the inferred schema of the current tables. It can grow in memory, and the tables stay as they are. */
export function settledSchema(db: Database): InferredSchema {
  const schema = new InferredSchema({ mapping: settledMapping(db) ?? DEFAULT_MAPPING });
  schema.restore(db);
  return schema;
}
