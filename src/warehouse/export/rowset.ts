import type { Database } from 'better-sqlite3';
import { FailedError, UsageError } from '../../errors.ts';
import { quoted } from '../table_naming.ts';

/** The type of a column, for typed formats. */
export type ColumnKind = 'text' | 'integer' | 'real' | 'boolean' | 'date' | 'time' | 'mixed';

export interface ExportColumn {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** Integers are bigint, so that none loses a digit. */
export type Cell = null | bigint | number | string;

/** Rows for an export, read one by one. */
export interface Rowset {
  readonly name: string;
  readonly columns: readonly ExportColumn[];
  readonly rows: Iterable<readonly Cell[]>;
}

/** Tables for analysts, in the order of the documentation; child tables follow their parents. */
export function exportableTables(db: Database): string[] {
  const children = db
    .prepare('SELECT table_name FROM _table WHERE parent_table IS NOT NULL ORDER BY table_name')
    .pluck()
    .all() as string[];
  const below = (root: string) => children.filter((name) => name.startsWith(`${root}__`));
  return [
    'entity_overview',
    'entity',
    ...below('entity'),
    'search_result',
    ...below('search_result'),
    'registry_stats',
    'entity_change',
  ];
}

/** A whole table or view. */
export function tableRows(db: Database, table: string): Rowset {
  requireExportable(db, table);
  return {
    name: table,
    columns: columnsOf(db, table),
    rows: iterate(db, `SELECT * FROM ${quoted(table)}`),
  };
}

/** @throws UsageError if the table is not exported. */
export function requireExportable(db: Database, table: string): void {
  const tables = exportableTables(db);
  if (!tables.includes(table))
    throw new UsageError(`there is no table ${table} to export`, { hint: `Tables: ${tables.join(', ')}.` });
}

/** Each entity with its record as received, for nested formats. */
export function entityDocuments(db: Database): Rowset {
  return {
    name: 'entity',
    columns: DOCUMENT_COLUMNS,
    rows: iterate(
      db,
      `SELECT e.entity_id, e._fetched_at, e._changed_at, e._gone_at, e._call_id, h.document
       FROM entity e LEFT JOIN entity_history h ON h.entity_id = e.entity_id AND h._call_id = e._call_id`,
    ),
  };
}

export const DOCUMENT_COLUMNS: readonly ExportColumn[] = [
  { name: 'entity_id', kind: 'text' },
  { name: '_fetched_at', kind: 'time' },
  { name: '_changed_at', kind: 'time' },
  { name: '_gone_at', kind: 'time' },
  { name: '_call_id', kind: 'integer' },
  { name: 'document', kind: 'mixed' },
];

export interface VersionRow {
  readonly entityId: string;
  readonly observedFrom: string;
  readonly callId: number;
  readonly document: string | null;
}

/** The version of each entity that was current at a time, without entities that were gone by then. */
export function versionsAt(db: Database, at: string): IterableIterator<VersionRow> {
  return db
    .prepare(
      `SELECT entity_id AS entityId, observed_from AS observedFrom, _call_id AS callId, document
       FROM entity_history
       WHERE observed_from <= @at AND (observed_to IS NULL OR observed_to > @at) AND NOT is_tombstone`,
    )
    .iterate({ at }) as IterableIterator<VersionRow>;
}

function iterate(db: Database, sql: string): Iterable<readonly Cell[]> {
  return db.prepare(sql).raw().safeIntegers().iterate() as Iterable<readonly Cell[]>;
}

/** The columns of a table, with types derived from the values seen. */
export function columnsOf(db: Database, table: string): ExportColumn[] {
  const declared = db.prepare('SELECT name, type FROM pragma_table_info(?)').all(table) as {
    name: string;
    type: string;
  }[];
  if (declared.length === 0) throw new FailedError(`the table ${table} has no columns`);
  const seen = new Map(
    db
      .prepare('SELECT column_name, types FROM _column WHERE table_name = ? AND column_name IS NOT NULL')
      .raw()
      .all(table) as [string, string][],
  );
  return declared.map(({ name, type }) => ({ name, kind: kindOf(name, type, seen.get(name)) }));
}

const OWN_KINDS: Readonly<Record<string, ColumnKind>> = {
  _fetched_at: 'time',
  _changed_at: 'time',
  _gone_at: 'time',
  _first_seen_at: 'time',
  _last_seen_at: 'time',
  observed_at: 'time',
  not_before: 'time',
  first_seen_at: 'time',
  last_seen_at: 'time',
  fetched_at: 'time',
  age_days: 'real',
  state: 'text',
  before: 'mixed',
  after: 'mixed',
};

function kindOf(name: string, declared: string, seen: string | undefined): ColumnKind {
  if (seen === undefined) return OWN_KINDS[name] ?? byDeclaration(declared);
  if (seen === 'date') return 'date';
  if (seen === 'boolean') return 'boolean';
  return byDeclaration(declared);
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
