import type { TableShape } from '../warehouse/shape.ts';
import type { Books } from './books.ts';
import { type Row, restText, type SqlValue } from './shred.ts';

export interface EntityRows {
  readonly entityId: string;
  readonly callId: number;
  /** The root row first. */
  readonly rows: readonly Row[];
  /** Values of the root table's own columns after its key. */
  readonly own: readonly SqlValue[];
  /** The entity has no rows yet. */
  readonly isNew: boolean;
}

/** Writes an entity's row and the rows of its lists, in place of those that are there. */
export function writeRows(books: Books, { entityId, callId, rows, own, isNew }: EntityRows): void {
  const [root, ...children] = rows;
  if (root === undefined) return;
  const payload = { values: root.values, rest: restOf(root) };
  if (isNew) books.payload.insert(root.table, { own: [entityId, ...own], ...payload });
  else {
    books.payload.update(root.table, entityId, { own, ...payload });
    for (const table of books.shape.tables.values())
      if (isBelow(table, root.table)) books.payload.removeChildren(table, entityId);
  }
  for (const row of children) {
    const parents = row.table.listDepth > 1 ? [row.parentPosition] : [];
    const keys = [entityId, row.position, ...parents, callId];
    books.payload.insert(row.table, { own: keys, values: row.values, rest: restOf(row) });
  }
}

function restOf(row: Row): string | null {
  return row.rest === null ? null : restText(row.rest);
}

function isBelow(table: TableShape, root: TableShape): boolean {
  return table.parent !== null && (table.parent === root || isBelow(table.parent, root));
}
