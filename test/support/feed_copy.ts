import type { Database } from 'better-sqlite3';
import { analystTables, type Cell, tableRows } from '../../src/warehouse/export/rowset.ts';
import { type Applied, type Change, changesAfter } from '../../src/warehouse/feed/changes.ts';

/** A copy of the public tables, which a consumer keeps up to date with the change feed. */
export class FeedCopy {
  readonly tables = new Map<string, Map<string, Record<string, Cell>>>();

  /** Applies a change to the row with the same key. @throws Error if the change updates a row that the copy lacks. */
  apply(change: Change): void {
    const { op, table, key, row } = change;
    if (table === null) {
      for (const rows of this.tables.values())
        for (const [id, { entity_id }] of rows) if (entity_id === key[0]) rows.delete(id);
      return;
    }
    const rows = this.tables.get(table.name) ?? new Map<string, Record<string, Cell>>();
    this.tables.set(table.name, rows);
    const id = key.join('\n');
    if (op === 'update' && !rows.has(id))
      throw new Error(`update of the unknown row ${table.name} ${JSON.stringify(key.map(String))}`);
    if (row === null) rows.delete(id);
    else rows.set(id, Object.fromEntries(table.columns.map(({ name }, at) => [name, row[at] ?? null])));
  }

  /** Returns every row as text. Copies with equal rows return them in the same order. */
  text(): string[] {
    return [...this.tables]
      .flatMap(([name, rows]) => [...rows.values()].map((row) => rowText(name, row)))
      .sort();
  }
}

/**
 * Returns every row of a full export, in the format of `FeedCopy.text`. `textOf` returns a value as text.
 */
export function exportedText(db: Database, textOf = cellText): string[] {
  return analystTables(db)
    .flatMap((name) => {
      const { columns, rows } = tableRows(db, name);
      return [...rows].map((row) =>
        rowText(
          name,
          Object.fromEntries(columns.map((column, at) => [column.name, row[at] ?? null])),
          textOf,
        ),
      );
    })
    .sort();
}

/** Returns up to `limit` of the remaining changes, and checks their order. */
export function changesUpTo(db: Database, applied: Applied, limit = Infinity): Change[] {
  const found: Change[] = [];
  let last = applied.version;
  for (const change of changesAfter(db, applied)) {
    if (change.version <= last) throw new Error(`version ${change.version} follows ${last}`);
    last = change.version;
    found.push(change);
    if (found.length >= limit) break;
  }
  return found;
}

/** NULL and a missing column count as equal, because a new column does not change rows without a value in it. */
export function rowText(table: string, row: Readonly<Record<string, Cell>>, textOf = cellText): string {
  const cells = Object.entries(row)
    .filter(([name, value]) => value !== null && name !== 'age_days')
    .map(([name, value]) => `${name}=${textOf(value)}`);
  return `${table} ${cells.sort().join(' ')}`;
}

/** The integer 1 and the decimal 1.0 count as equal, because a column that becomes decimal turns one into the other. */
function cellText(value: Cell): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
