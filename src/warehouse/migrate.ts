import { readFileSync } from 'node:fs';
import Sqlite, { type Database } from 'better-sqlite3';
import { isoTime } from '../clock.ts';
import { FailedError } from '../errors.ts';
import { addColumns, addLaterColumns, columnsIn, type TableColumn } from '../sqlite/later_columns.ts';
import { quoted } from '../sqlite/statements.ts';
import { refreshCompanyViews } from './company_views.ts';
import { RESOURCE_TABLES } from './inferred_schema.ts';
import { CONVERSIONS, convertContent } from './older_files.ts';
import { payloadTableSql } from './payload_table.ts';
import { TABLES } from './tables.ts';

/**
 * Increase this number with every change of `schema.sql`, of `tables.ts` or of the conversions, so that older files are
 * migrated and older programs stop.
 */
export const SCHEMA_VERSION = 562;

/**
 * Gives the file the current schema in one transaction.
 *
 * @throws FailedError if a newer program wrote the warehouse.
 */
export function migrate(db: Database, nowMs: number): void {
  db.transaction(() => {
    const applied = appliedVersions(db);
    if (!needsMigration(db)) return refreshCompanyViews(db);
    if (applied.size === 0) db.exec(SCHEMA);
    else upgrade(db, applied);
    refreshCompanyViews(db);
    const record = db.prepare(
      "INSERT OR IGNORE INTO _migration (number, name, applied_at) VALUES (?, 'schema', ?)",
    );
    for (const number of [...CONVERSIONS.map((one) => one.number), SCHEMA_VERSION])
      record.run(number, isoTime(nowMs));
    db.prepare("INSERT OR REPLACE INTO _meta (key, value) VALUES ('schema_version', ?)").run(
      String(SCHEMA_VERSION),
    );
  }).immediate();
}

/** Returns whether the file lacks the current schema. @throws FailedError if a newer program wrote the warehouse. */
export function needsMigration(db: Database): boolean {
  const latest = Math.max(0, ...appliedVersions(db));
  if (latest > SCHEMA_VERSION)
    throw new NewerWarehouseError(
      `the warehouse ${db.name} was written by a newer version of registry-mirror (schema ${latest})`,
      { hint: 'Install that version or a later one. Nothing was changed.' },
    );
  return latest < SCHEMA_VERSION;
}

/** A newer version of the program has migrated the warehouse. */
export class NewerWarehouseError extends FailedError {}

/** The statements that create an empty warehouse. */
export const SCHEMA = [
  ...TABLES.map(({ sql }) => sql),
  ...RESOURCE_TABLES.map((name) => payloadTableSql(name, { isNested: false, payload: [] })),
  readFileSync(new URL('schema.sql', import.meta.url), 'utf8'),
].join(';\n\n');

function appliedVersions(db: Database): Set<number> {
  const hasTable = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = '_migration'").get() !== undefined;
  return new Set(hasTable ? (db.prepare('SELECT number FROM _migration').pluck().all() as number[]) : []);
}

interface SchemaObject {
  readonly type: 'table' | 'index' | 'trigger' | 'view';
  readonly name: string;
  readonly sql: string;
}

/** Completes a file of an older version, whose tables stay where they are. */
function upgrade(db: Database, applied: ReadonlySet<number>): void {
  const current = new Sqlite(':memory:');
  try {
    current.exec(SCHEMA);
    const wanted = current.prepare<[], SchemaObject>(OBJECTS).all();
    for (const { type, name } of outdatedIn(db, wanted)) db.exec(`DROP ${type} IF EXISTS ${quoted(name)}`);
    const existing = new Set(db.prepare('SELECT name FROM sqlite_schema').pluck().all());
    const missing = wanted.filter(({ name }) => !existing.has(name));
    for (const { type, sql } of missing) if (type !== 'index') db.exec(sql);
    addLaterColumns(db, SCHEMA);
    dropColumns(db, '_company', columnsIn(current, '_company'));
    if (existing.has('_known')) addColumns(db, '_known', columnsIn(current, '_company'));
    convertContent(db, applied);
    for (const { type, sql } of missing) if (type === 'index') db.exec(sql);
  } finally {
    current.close();
  }
}

/** The tables, indexes, triggers and views, in the order in which they were created, without the tables inside the full-text index. */
const OBJECTS = `
  SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT GLOB 'entity_fts_*' AND name NOT GLOB 'sqlite_*'
  ORDER BY rowid`;

/** Returns the views, indexes, triggers and virtual tables that have changed, and the tables that unfinished rebuilds have left. */
function outdatedIn(db: Database, wanted: readonly SchemaObject[]): SchemaObject[] {
  const sqlOf = new Map(wanted.map(({ name, sql }) => [name, sql]));
  const isChanged = ({ name, sql }: SchemaObject) => sqlOf.has(name) && sqlOf.get(name) !== sql;
  const isOfRebuild = ({ name }: SchemaObject) => /^_(next|old)_/.test(name);
  const isVirtual = ({ sql }: SchemaObject) => sql.startsWith('CREATE VIRTUAL');
  return db
    .prepare<[], SchemaObject>(OBJECTS)
    .all()
    .filter((one) => isOfRebuild(one) || ((one.type !== 'table' || isVirtual(one)) && isChanged(one)))
    .sort((one, other) => Number(isVirtual(other)) - Number(isVirtual(one)));
}

/** Removes the columns that the current schema no longer has. No view or index may use them. */
function dropColumns(db: Database, table: string, current: readonly TableColumn[]): void {
  const kept = new Set(current.map(({ name }) => name));
  for (const { name } of columnsIn(db, table))
    if (!kept.has(name)) db.exec(`ALTER TABLE ${quoted(table)} DROP COLUMN ${quoted(name)}`);
}
