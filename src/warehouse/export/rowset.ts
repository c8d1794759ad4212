import type { Database } from 'better-sqlite3';
import { FailedError, UsageError } from '../../errors.ts';
import { quoted, values } from '../../sqlite/statements.ts';
import { answerTable } from '../answer.ts';
import { companyColumns, companyLists } from '../company_views.ts';
import { metaTable } from '../meta.ts';
import { isDate } from '../payload_role.ts';
import { declaredColumns, payloadColumns } from '../payload_table.ts';
import {
  type ColumnKind,
  PUBLISHED_TABLES,
  type PublishedColumn,
  type PublishedTable,
  publishedTable,
} from '../published_tables.ts';

export interface ExportColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  /** For a payload column, this is its path in the payload and the value types seen. */
  readonly meaning?: string;
}

/** A value in a row. Integers are bigint, so that they keep all their digits. */
export type Cell = null | bigint | number | string;

/** The columns and rows to export. Rows are read one by one. */
export interface Rowset {
  readonly name: string;
  readonly columns: readonly ExportColumn[];
  readonly rows: Iterable<readonly Cell[]>;
}

/** Returns the tables in the change feed, in document order. */
export function analystTables(db: Database): string[] {
  return tablesIn(db, ['feed']);
}

/** Returns all tables and views that can be exported. The change feed covers only the tables. */
export function exportableTables(db: Database): string[] {
  return tablesIn(db, ['export', 'feed']);
}

/** Returns the tables and views with one of these reaches, in document order. Lists follow their parents. */
function tablesIn(db: Database, reaches: readonly PublishedTable['reach'][]): string[] {
  const children = 'SELECT table_name FROM _table WHERE parent_table IS NOT NULL ORDER BY table_name';
  const lists = [...companyLists(db).map(({ view }) => view), ...values<string>(db, children)];
  return PUBLISHED_TABLES.filter(
    ({ name, reach }) => reaches.includes(reach) && !name.endsWith('__…'),
  ).flatMap(({ name }) => [name, ...lists.filter((list) => list.startsWith(`${name}__`))]);
}

/** Returns all rows of a table or view. */
export function tableRows(db: Database, table: string): Rowset {
  requireExportable(table, exportableTables(db));
  const columns = columnsOf(db, table);
  const rows = iterate(db, `SELECT * FROM ${quoted(table)}`);
  return { name: table, columns, rows: table === 'entity_history' ? withDocuments(db, columns, rows) : rows };
}

/** @throws UsageError if the table is not exported. */
export function requireExportable(table: string, tables: readonly string[]): void {
  if (!tables.includes(table))
    throw new UsageError(`the table ${table} cannot be exported`, { hint: `Tables: ${tables.join(', ')}.` });
}

/** Returns each entity's record as received, for nested formats. */
export function entityDocuments(db: Database): Rowset {
  return {
    name: 'entity',
    columns: DOCUMENT_COLUMNS,
    rows: withDocuments(
      db,
      DOCUMENT_COLUMNS,
      iterate(db, 'SELECT entity_id, _fetched_at, _changed_at, _gone_at, _call_id, NULL FROM entity'),
    ),
  };
}

export const DOCUMENT_COLUMNS: readonly ExportColumn[] = [
  ...(publishedTable('entity')?.columns ?? []).filter(({ isOptional }) => !isOptional).map(described),
  { name: 'document', kind: 'mixed' },
];

interface VersionRow {
  readonly entityId: string;
  readonly observedFrom: string;
  readonly callId: number;
  readonly document: string | null;
}

/** Returns each entity's version at the time `at` (ISO 8601), except for entities that were gone by then. */
export function* versionsAt(db: Database, at: string): Generator<VersionRow> {
  const documentOf = recordDocuments(db);
  const versions = db
    .prepare<{ at: string }, Omit<VersionRow, 'document'>>(
      `SELECT entity_id AS entityId, observed_from AS observedFrom, _call_id AS callId
       FROM entity_history
       WHERE observed_from <= @at AND (observed_to IS NULL OR observed_to > @at) AND NOT is_tombstone`,
    )
    .iterate({ at });
  for (const version of versions)
    yield { ...version, document: documentOf(version.callId, version.entityId) };
}

/** Fills in the records, which plain SQL cannot read from compressed responses. */
function* withDocuments(
  db: Database,
  columns: readonly ExportColumn[],
  rows: Iterable<readonly Cell[]>,
): Generator<readonly Cell[]> {
  const documentOf = recordDocuments(db);
  const [callAt, documentAt, idAt] = ['_call_id', 'document', 'entity_id'].map((name) =>
    columns.findIndex((column) => column.name === name),
  );
  for (const row of rows)
    yield row.with(documentAt ?? -1, documentOf(Number(row[callAt ?? -1]), String(row[idAt ?? -1])));
}

function iterate(db: Database, sql: string): Iterable<readonly Cell[]> {
  return db.prepare(sql).raw().safeIntegers().iterate() as Iterable<readonly Cell[]>;
}

/** Returns a table's columns. Their types are derived from the values seen. */
export function columnsOf(db: Database, table: string): ExportColumn[] {
  const declared = declaredColumns(db, table);
  if (declared.length === 0) throw new FailedError(`the table ${table} has no columns`);
  const own = new Map(publishedTable(table)?.columns.map((column) => [column.name, column]));
  const seen = new Map(payloadColumns(db, table).map((column) => [column.column, column]));
  const kinds = kindsInView(db, table);
  return declared.map(({ name, type }) => {
    const [ownColumn, payload] = [own.get(name), seen.get(name)];
    const kind = kinds.get(name) ?? kindOf(ownColumn?.kind, type, payload?.types);
    if (ownColumn !== undefined) return described({ ...ownColumn, kind });
    if (payload === undefined) return { name, kind };
    const types = payload.types === '' ? 'null so far' : payload.types.replaceAll(' ', ', ');
    return { name, kind, meaning: `${payload.path === '' ? 'The element' : payload.path}: ${types}` };
  });
}

function described({ name, kind, meaning }: PublishedColumn): ExportColumn {
  return { name, kind, meaning: plainText(meaning) };
}

/** Removes Markdown from a meaning for tools that show plain text. */
export function plainText(meaning: string): string {
  const text = meaning.replace(/[`]|\*\*/g, '');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Returns the types of columns in the views of companies, by name. A column of a list has the type that the record and the
 * summary agree on.
 */
function kindsInView(db: Database, view: string): ReadonlyMap<string, ColumnKind> {
  if (view === 'company')
    return new Map(Object.entries(companyColumns(db)).map(([role, columns]) => [role, kindOfRole(columns)]));
  const list = companyLists(db).find((one) => one.view === view);
  const sources = [list?.record ?? null, list?.summary ?? null].filter((table) => table !== null);
  const columns = Map.groupBy(
    sources.flatMap((table) => columnsOf(db, table)),
    ({ name }) => name,
  );
  return new Map(
    [...columns].map(([name, found]) => {
      const kinds = new Set(found.map(({ kind }) => kind));
      return [name, kinds.size > 1 ? 'mixed' : ([...kinds][0] ?? 'text')];
    }),
  );
}

function kindOfRole(columns: readonly { readonly types: string }[]): ColumnKind {
  return columns.length > 0 && columns.every(({ types }) => isDate(types)) ? 'date' : 'text';
}

function kindOf(own: ColumnKind | undefined, declared: string, seen: string | undefined): ColumnKind {
  if (seen === undefined) return own ?? byDeclaration(declared);
  return seen === 'date' || seen === 'boolean' ? seen : byDeclaration(declared);
}

function byDeclaration(declared: string): ColumnKind {
  switch (declared.toUpperCase()) {
    case 'TEXT':
      return 'text';
    case 'INTEGER':
      return 'integer';
    case 'REAL':
      return 'real';
    default:
      return 'mixed';
  }
}

/**
 * Returns a function that reads an entity's record in the response to a call, as received. The function returns null if
 * the response was deleted or contains no record.
 */
export function recordDocuments(db: Database): (callId: number, entityId: string) => string | null {
  const answers = answerTable(db);
  const path = metaTable(db).get('record_path') ?? '$';
  const extract = db
    .prepare<{ text: string; at: string }, string | null>(
      'SELECT CASE WHEN json_valid(@text) THEN json_extract(@text, @at) END',
    )
    .pluck();
  return (callId, entityId) => {
    const text = answers.body(callId)?.toString() ?? null;
    if (text === null || path === '$') return text;
    const at = path.replace('{id}', () => entityId.replaceAll('"', '\\"'));
    return extract.get({ text, at }) ?? null;
  };
}
