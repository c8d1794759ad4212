import type { Database } from 'better-sqlite3';
import { rows } from '../sqlite/statements.ts';
import { pointerFromTop } from './inferred_schema.ts';
import { settledSchema } from './settled_mapping.ts';

interface ChangeShare {
  /** The JSON Pointer to the field in the record or summary. `*` represents the elements of a list. */
  readonly pointer: string;
  readonly refreshes: number;
  readonly share: number;
}

/** Returns the share of refreshes in which each field differed. */
export function changeShares(db: Database): ChangeShare[] {
  const { tables, roots } = settledSchema(db);
  const changed = [...tables.values()].flatMap(({ columns }) => columns.filter(({ changes }) => changes > 0));
  return changed.map((path) => {
    const refreshes = roots[path.table.resource].compared;
    return {
      pointer: pointerFromTop(path),
      refreshes,
      share: refreshes === 0 ? 0 : path.changes / refreshes,
    };
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
