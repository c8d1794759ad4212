import { stringifyJson } from '../json/json.ts';
import type { InferredTable } from '../warehouse/inferred_schema.ts';
import type { LoadSession } from './load_session.ts';
import type { Row, SqlValue } from './shred.ts';

interface EntityRows {
  readonly entityId: string;
  readonly callId: number;
  /** The entity's rows, with the root row first. */
  readonly rows: readonly Row[];
  /** The values of the root table's built-in columns, without the key. */
  readonly own: readonly SqlValue[];
  /** True if the entity has no rows yet. */
  readonly isNew: boolean;
}

/**
 * Writes an entity's row and its list rows in place of the existing rows. Returns their version in the change feed.
 */
export function writeRows(session: LoadSession, { entityId, callId, rows, own, isNew }: EntityRows): number {
  const [root, ...children] = rows;
  if (root === undefined) throw new TypeError('a document has at least one row');
  const version = session.feed.next();
  const payload = { values: root.values, rest: restOf(root) };
  if (isNew) session.payload.insert(root.table, { own: [entityId, ...own], ...payload });
  else {
    session.payload.update(root.table, entityId, { own, ...payload });
    const rowsOf = Map.groupBy(children, (row) => row.table);
    for (const table of session.schema.tables.values()) {
      if (!isBelow(table, root.table)) continue;
      const before = session.payload.removeChildren(table, entityId);
      const after = rowsOf.get(table)?.length ?? 0;
      for (let position = after; position < before; position++)
        session.feed.removed(table.name, entityId, position);
    }
  }
  for (const row of children) {
    const parents = row.table.listDepth > 1 ? [row.parentPosition] : [];
    const keys = [entityId, row.position, ...parents, callId];
    session.payload.insert(row.table, { own: keys, values: row.values, rest: restOf(row) });
  }
  return version;
}

function restOf(row: Row): string | null {
  return row.rest === null ? null : stringifyJson(row.rest);
}

function isBelow(table: InferredTable, root: InferredTable): boolean {
  return table.parent !== null && (table.parent === root || isBelow(table.parent, root));
}
