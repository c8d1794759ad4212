import type { Database } from 'better-sqlite3';
import { quoted, row, run } from '../sqlite/statements.ts';
import type { InferredTable } from './inferred_schema.ts';
import { ownColumns } from './payload_table.ts';

type Bound = null | number | bigint | string;

interface PayloadRow {
  /** The values of the built-in columns, in column order. */
  readonly own: readonly Bound[];
  /** The payload values, in the same order as the payload columns. Missing values at the end are stored as NULL. */
  readonly values: readonly Bound[];
  readonly rest: string | null;
}

/**
 * Reads and writes the payload tables, whose columns are known only at run time. Statements are prepared once for each
 * set of columns.
 */
export function payloadTables(db: Database) {
  const prepared = new Map<InferredTable, ReturnType<typeof prepare>>();

  const of = (table: InferredTable): ReturnType<typeof prepare> => {
    const known = prepared.get(table);
    if (known?.version === table.version) return known;
    const made = prepare(db, table);
    prepared.set(table, made);
    return made;
  };

  return {
    insert: (table: InferredTable, row: PayloadRow): void => {
      of(table).insert.run(...bound(table, row));
    },
    /** Replaces a row's payload. `row.own` has the values of the built-in columns, without the key. */
    update: (table: InferredTable, entityId: string, row: PayloadRow): void => {
      of(table).update.run(...bound(table, row), entityId);
    },
    /** Deletes all of an entity's rows from a child table. Returns the number of deleted rows. */
    removeChildren: (table: InferredTable, entityId: string): number =>
      of(table).remove.run(entityId).changes,
    /** Returns the payload values of an entity's row in column order, or undefined if there is no row. */
    values: (table: InferredTable, entityId: string): Bound[] | undefined =>
      table.columns.length === 0 ? [] : (of(table).select.get(entityId) as Bound[] | undefined),
  };
}

/** Sets a built-in time of a record or summary, and leaves its payload unchanged. */
export function setTime(
  db: Database,
  column: '_fetched_at' | '_gone_at' | '_last_seen_at',
  entityId: string,
  at: string | null,
): void {
  const table = column === '_last_seen_at' ? 'search_result' : 'entity';
  run(db, `UPDATE ${table} SET ${column} = ? WHERE entity_id = ?`, at, entityId);
}

/** Returns the call that returned a company's latest record, and when its content last changed. */
export function storedVersion(
  db: Database,
  entityId: string,
): { readonly callId: number; readonly changedAt: string } | undefined {
  const sql = 'SELECT _call_id AS callId, _changed_at AS changedAt FROM entity WHERE entity_id = ?';
  return row(db, sql, entityId);
}

function prepare(db: Database, table: InferredTable) {
  // The first built-in column is the key by which rows are found.
  const [key = '', ...others] = ownColumns(table.name, table.listDepth > 1);
  const payload = [
    ...table.columns.map((schemaPath) => quoted(schemaPath.column ?? '')),
    ...(table.hasRest ? ['_rest'] : []),
  ];
  const columns = [key, ...others, ...payload];
  const name = quoted(table.name);
  return {
    version: table.version,
    insert: db.prepare(
      `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    ),
    update: db.prepare(
      `UPDATE ${name} SET ${[...others, ...payload].map((column) => `${column} = ?`).join(', ')} WHERE ${key} = ?`,
    ),
    remove: db.prepare(`DELETE FROM ${name} WHERE ${key} = ?`),
    select: db
      .prepare(`SELECT ${payload.length === 0 ? 'NULL' : payload.join(', ')} FROM ${name} WHERE ${key} = ?`)
      .raw(),
  };
}

/**
 * Returns the values to bind. The driver binds numbers as REAL, which SQLite converts back to integers only in INTEGER
 * columns. For columns without a type, integers are therefore converted to bigint first.
 */
function bound({ columns, hasRest }: InferredTable, { own, values, rest }: PayloadRow): Bound[] {
  const payload = columns.map(({ type }, at) => {
    const value = values[at] ?? null;
    return type === '' && typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value;
  });
  return hasRest ? [...own, ...payload, rest] : [...own, ...payload];
}
