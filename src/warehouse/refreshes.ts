import type { Database } from 'better-sqlite3';
import { rows, value } from '../sqlite/statements.ts';
import { originOf } from './inferred_schema.ts';

interface ChangeShare {
  /** The JSON Pointer to the field in the record or summary. `*` represents the elements of a list. */
  readonly pointer: string;
  readonly refreshes: number;
  readonly share: number;
}

/** Returns the share of refreshes in which each field differed. */
export function changeShares(db: Database): ChangeShare[] {
  const origin = originOf(db);
  const changed = rows<{ table: string; path: string; changes: number }>(
    db,
    'SELECT table_name AS "table", path, changes FROM _column WHERE changes > 0 AND column_name IS NOT NULL',
  );
  return changed.map(({ table, path, changes }) => {
    const { resource, pointer } = origin(table);
    const refreshes = value<number>(db, 'SELECT compared FROM _table WHERE table_name = ?', resource) ?? 0;
    return { pointer: pointer + path, refreshes, share: refreshes === 0 ? 0 : changes / refreshes };
  });
}

interface Confirmations {
  /** Pairs of calls, by id, that returned the same record in different responses. */
  readonly pairs: readonly { readonly before: number; readonly after: number }[];
  /** How many confirmations were compared. */
  readonly refreshes: number;
}

/**
 * Reads the latest fetches that returned an unchanged record. `pairs` has those whose whole response was stored again.
 */
export function unlikeConfirmations(db: Database, most: number): Confirmations {
  const found = rows<{ before: number; after: number; isReference: 0 | 1 }>(
    db,
    `SELECT e._call_id AS before, c.call_id AS after, a.same_as IS NOT NULL AS isReference
     FROM _call c JOIN _answer a USING (call_id) JOIN entity e ON e.entity_id = c.target
     WHERE c.kind = 'entity' AND c.outcome = 'ok' AND c.call_id > e._call_id
     ORDER BY c.call_id DESC LIMIT ?`,
    most,
  );
  return { pairs: found.filter(({ isReference }) => isReference === 0), refreshes: found.length };
}
