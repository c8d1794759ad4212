import type { Database } from 'better-sqlite3';
import type { JsonObject } from '../../../src/json/json.ts';
import { indexedText } from '../../../src/names/search_index_text.ts';
import { idOf } from './records.ts';

type Bound = null | number | bigint | string | Buffer;

/** One company's rows, computed before the measurement. */
export interface BareRows {
  readonly call: Bound[];
  readonly answer: Bound[];
  readonly known: Bound[];
  readonly text: Bound[];
  readonly version: Bound[];
  readonly entity: Bound[];
  readonly officers: Bound[][];
  readonly codes: Bound[][];
}

/**
 * The bare loop writes the same rows to the same tables as cheaply as possible, with prepared statements in
 * transactions. It parses no JSON, compares no versions and infers no schema.
 */
export function openBareLoop(db: Database) {
  const entityColumns = columnsOf(db, 'entity');
  const officerColumns = columnsOf(db, 'entity__officers');
  const statements = {
    call: insert(
      db,
      '_call',
      'call_id run_id kind target reason expected sent_at ms status outcome bytes rows new',
    ),
    answer: insert(db, '_answer', 'call_id body'),
    known: insert(
      db,
      '_company',
      'known_id entity_id name identifiers first_seen_at last_seen_at asked_at fetched_at changed_at record_call_id',
    ),
    text: insert(db, 'entity_fts', 'rowid name identifiers former_names entity_id'),
    version: insert(db, '_record_version', 'entity_id call_id'),
    entity: insert(db, 'entity', entityColumns.join(' ')),
    officers: insert(db, 'entity__officers', officerColumns.join(' ')),
    codes: insert(db, 'entity__activity_codes', 'entity_id position _call_id value'),
  };
  const write = db.transaction((group: readonly BareRows[]) => {
    for (const rows of group) {
      statements.call.run(rows.call);
      statements.answer.run(rows.answer);
      statements.known.run(rows.known);
      statements.text.run(rows.text);
      statements.version.run(rows.version);
      statements.entity.run(rows.entity);
      for (const officer of rows.officers) statements.officers.run(officer);
      for (const code of rows.codes) statements.codes.run(code);
    }
  }).immediate;
  return {
    write,
    rowsOf: (index: number, callId: number, record: JsonObject): BareRows =>
      bareRows({ index, callId, record, entityColumns, officerColumns }),
  };
}

function bareRows(given: {
  index: number;
  callId: number;
  record: JsonObject;
  entityColumns: readonly string[];
  officerColumns: readonly string[];
}): BareRows {
  const { index, callId, record, entityColumns, officerColumns } = given;
  const id = idOf(index);
  const atMs = 1_770_000_000_000 + callId;
  const at = new Date(atMs).toISOString();
  const body = Buffer.from(JSON.stringify(record));
  const own = { entity_id: id, _fetched_at: at, _changed_at: at, _gone_at: null, _call_id: callId };
  const columns: Record<string, Bound> = { ...flattened(record), ...own };
  const identifiers = `${id}\n${record.vat_number}`;
  const list = (key: string) => record[key] as JsonObject[];
  return {
    call: [callId, 1, 'entity', id, 'never fetched', 1, at, 50, 200, 'ok', body.length, 1, 1],
    answer: [callId, body],
    known: [index + 1, id, String(record.name), identifiers, atMs, atMs, atMs, atMs, atMs, callId],
    text: [index + 1, indexedText(String(record.name)), identifiers, null, id],
    version: [id, callId],
    entity: entityColumns.map((name) => columns[name] ?? null),
    officers: list('officers').map((officer, position) => {
      const cells: Record<string, Bound> = {
        ...flattened(officer),
        entity_id: id,
        position,
        _call_id: callId,
      };
      return officerColumns.map((name) => cells[name] ?? null);
    }),
    codes: list('activity_codes').map((code, position) => [id, position, callId, String(code)]),
  };
}

function flattened(object: JsonObject, prefix = ''): Record<string, Bound> {
  return Object.fromEntries(
    Object.entries(object).flatMap(([key, value]) => {
      if (Array.isArray(value)) return [];
      if (typeof value === 'object' && value !== null)
        return Object.entries(flattened(value as JsonObject, `${prefix}${key}__`));
      return [[`${prefix}${key}`, boundOf(value as null | boolean | number | string)]];
    }),
  );
}

function boundOf(value: null | boolean | number | string): Bound {
  return typeof value === 'boolean' || Number.isInteger(value) ? BigInt(value as number) : (value as Bound);
}

function insert(db: Database, table: string, columns: string) {
  const names = columns.split(' ');
  return db.prepare(
    `INSERT INTO ${table} (${names.map((name) => `"${name}"`).join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  );
}

function columnsOf(db: Database, table: string): string[] {
  return db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table) as string[];
}
