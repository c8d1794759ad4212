import type { Database } from 'better-sqlite3';
import { isJsonObject, parseJson, stringifyJson } from '../json/json.ts';
import { type Row, shred } from '../load/shred.ts';
import {
  type Cell,
  columnsOf,
  DOCUMENT_COLUMNS,
  type Rowset,
  versionsAt,
} from '../warehouse/export/rowset.ts';
import type { InferredSchema, InferredTable } from '../warehouse/inferred_schema.ts';
import { settledSchema } from '../warehouse/settled_mapping.ts';

/** Returns the records as they were at a past time, nested as in the registry's responses. */
export function documentsAsOf(db: Database, at: string): Rowset {
  return {
    name: 'entity',
    columns: DOCUMENT_COLUMNS.filter(({ name }) => !NOT_AS_OF.has(name)),
    rows: map(versionsAt(db, at), ({ entityId, callId, document }) => [entityId, BigInt(callId), document]),
  };
}

const NOT_AS_OF = new Set(['_fetched_at', '_changed_at', '_gone_at']);

/** Returns a table as it was at a past time, but with the current columns. */
export function tableAsOf(db: Database, name: string, at: string): Rowset {
  const schema = settledSchema(db);
  const table = schema.tables.get(name);
  const columns = columnsOf(db, name).filter((column) => !NOT_AS_OF.has(column.name));
  return { name, columns, rows: table === undefined ? [] : rowsAsOf(db, schema, table, columns, at) };
}

function* rowsAsOf(
  db: Database,
  schema: InferredSchema,
  table: InferredTable,
  columns: Rowset['columns'],
  at: string,
): Generator<readonly Cell[]> {
  const positions = new Map(table.columns.map(({ column, index }) => [column ?? '', index]));
  for (const { entityId, callId, document } of versionsAt(db, at)) {
    const record = parseJson(document ?? 'null');
    if (!isJsonObject(record)) continue;
    for (const row of shred(schema, schema.roots.entity, record).rows)
      if (row.table === table)
        yield columns.map(
          ({ name }) => ownCell(name, row, entityId, callId) ?? payloadCell(row, positions.get(name)),
        );
  }
}

function ownCell(name: string, row: Row, entityId: string, callId: number): Cell {
  switch (name) {
    case 'entity_id':
      return entityId;
    case '_call_id':
      return BigInt(callId);
    case 'position':
      return BigInt(row.position);
    case 'parent_position':
      return BigInt(row.parentPosition);
    case '_rest':
      return row.rest === null ? null : stringifyJson(row.rest);
    default:
      return null;
  }
}

function payloadCell(row: Row, index: number | undefined): Cell {
  return index === undefined ? null : (row.values[index] ?? null);
}

function* map<T, R>(items: Iterable<T>, change: (item: T) => R): Generator<R> {
  for (const item of items) yield change(item);
}
