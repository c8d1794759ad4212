import type { Database } from 'better-sqlite3';
import type { ReservedNames } from './inferred_schema.ts';
import { metaTable } from './meta.ts';
import { originOf } from './origin.ts';
import { RESOURCE_TABLES, type ResourceTable } from './schema_store.ts';
import { generationOf, live, SHADOW_PREFIX, shadow } from './table_naming.ts';
import type { Warehouse } from './warehouse.ts';

/**
 * During a rebuild, each derived table exists twice, as a live table and as a shadow table. Readers see the live tables
 * until the shadow tables are complete. One transaction then renames the tables without moving any row.
 */

const DERIVED = [
  ...RESOURCE_TABLES,
  'entity_change',
  '_known',
  '_name',
  '_word_set',
  '_word',
  '_change_estimate',
  '_tally',
  '_version',
  '_query',
  '_query_page',
  '_failure',
  '_quarantine',
  '_table',
  '_column',
] as const;

const OLD_PREFIX = '_old_';

/** Creates an empty shadow of every derived table. Payload columns and child tables are added when rows need them. */
export function createShadows(db: Database): void {
  dropTables(db, SHADOW_PREFIX);
  const generation = generationOf(db, shadow);
  for (const table of DERIVED) {
    db.exec(withoutPayload(sqlOf(db, table)).replace(nameIn(table), `CREATE TABLE ${shadow(table)}`));
    for (const { name, sql } of ownIndexes(db, table))
      db.exec(
        sql
          .replace(/^(CREATE (?:UNIQUE )?INDEX )"?\w+"?/i, `$1"${name.replace(/_g\d+$/, '')}_g${generation}"`)
          .replace(/ ON "?\w+"?/i, ` ON ${shadow(table)}`),
      );
  }
  // The word sets are copied, so that the rebuild counts the same words when it writes the names.
  db.exec(`INSERT INTO ${shadow('_word_set')} SELECT * FROM _word_set`);
  // The shadow index uses `_known` as its content table. FTS5 reads this table only in queries, and by then the rebuilt
  // table has this name.
  db.exec(sqlOf(db, 'entity_fts').replace(/^(CREATE VIRTUAL TABLE )"?\w+"?/i, `$1${shadow('entity_fts')}`));
}

/**
 * Returns whether every derived table has a shadow. If an older version started the rebuild, some shadow tables can be
 * missing.
 */
export function hasShadows(db: Database): boolean {
  const find = db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?');
  return DERIVED.every((table) => find.get(SHADOW_PREFIX + table) !== undefined);
}

/** Replaces the live tables with the shadow tables by renaming, in the caller's transaction. */
export function swapShadowsIn(db: Database): void {
  // When a table is renamed, SQLite would rewrite the views that read it. The views are therefore dropped and recreated
  // with their old text, so that they read the new tables.
  const views = viewsOf(db);
  for (const { name } of views) db.exec(`DROP VIEW ${live(name)}`);
  const liveTables = derivedNames(db, '');
  const shadows = derivedNames(db, SHADOW_PREFIX);
  for (const table of liveTables) rename(db, table, OLD_PREFIX + table);
  for (const table of shadows) rename(db, SHADOW_PREFIX + table, table);
  for (const { sql } of views) db.exec(sql);
}

/** Drops the replaced tables, each in its own transaction, so that no other writer waits for long. */
export function dropOldTables(db: Database): void {
  dropTables(db, OLD_PREFIX);
}

/** Drops the tables of an interrupted rebuild. The next rebuild starts from the beginning. */
export function discardRebuild(warehouse: Warehouse): void {
  const { db } = warehouse;
  dropOldTables(db);
  dropTables(db, SHADOW_PREFIX);
  metaTable(db).set('rebuild', null);
}

/** Copies the user's decisions (discarded quarantine entries) to the shadow tables. */
export function carryOverDecisions(db: Database): void {
  db.exec(
    `UPDATE ${shadow('_quarantine')} AS q SET state = 'discarded'
     WHERE EXISTS (SELECT 1 FROM _quarantine d
       WHERE d.call_id = q.call_id AND d.position = q.position AND d.state = 'discarded')`,
  );
}

function derivedNames(db: Database, prefix: string): string[] {
  const children = db
    .prepare(`SELECT table_name FROM ${live(`${prefix}_table`)} WHERE parent_table IS NOT NULL`)
    .pluck()
    .all() as string[];
  return [...DERIVED, ...children, 'entity_fts'];
}

function dropTables(db: Database, prefix: string): void {
  const names = db
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, ?) = ? ORDER BY length(name) DESC",
    )
    .pluck()
    .all(prefix.length, prefix) as string[];
  const indexes = names.filter((name) => name === `${prefix}entity_fts`);
  const partsOfIndexes = (name: string) => indexes.some((index) => name.startsWith(`${index}_`));
  for (const name of [
    ...indexes,
    ...names.filter((name) => !indexes.includes(name) && !partsOfIndexes(name)),
  ])
    db.exec(`DROP TABLE ${live(name)}`);
}

function rename(db: Database, from: string, to: string): void {
  db.exec(`ALTER TABLE ${live(from)} RENAME TO ${live(to)}`);
}

function sqlOf(db: Database, table: string): string {
  return db.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(table) as string;
}

function nameIn(table: string): RegExp {
  return new RegExp(`^CREATE TABLE "?${table}"?`, 'i');
}

/** Removes the payload columns from a table's SQL. In this SQL, only payload columns are quoted. */
function withoutPayload(sql: string): string {
  return sql.replace(/, (?:"[\p{L}\p{M}\p{N}_]+"(?: TEXT| INTEGER| REAL)?|_rest TEXT)\s*(?=[,)])/gu, '');
}

/** Returns the indexes that every warehouse has. Indexes on payload columns are created together with the columns. */
function ownIndexes(db: Database, table: string): { name: string; sql: string }[] {
  return db
    .prepare(
      `SELECT name, sql FROM sqlite_schema
       WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL AND name NOT GLOB '*__index_[0-9]*'`,
    )
    .all(table) as { name: string; sql: string }[];
}

function viewsOf(db: Database): { name: string; sql: string }[] {
  return db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'view' ORDER BY rowid").all() as {
    name: string;
    sql: string;
  }[];
}

/**
 * Returns the column and table names that the shadow tables must inherit from the live tables. `isKept` selects columns
 * by resource and JSON Pointer.
 */
export function decidedNames(
  db: Database,
  isKept: (resource: ResourceTable, pointer: string) => boolean,
): ReservedNames {
  const columns = db
    .prepare(
      'SELECT table_name AS "table", path, column_name AS name FROM _column WHERE column_name IS NOT NULL',
    )
    .all() as Decided[];
  const tables = db
    .prepare(
      'SELECT parent_table AS "table", path, table_name AS name FROM _table WHERE parent_table IS NOT NULL',
    )
    .all() as Decided[];
  const origin = originOf(db);
  const kept = columns.filter(({ table, path }) => {
    const { resource, pointer } = origin(table);
    return isKept(resource, pointer + path);
  });
  return { columns: byTable(kept), tables: byTable(tables) };
}

interface Decided {
  readonly table: string;
  readonly path: string;
  readonly name: string;
}

function byTable(decided: readonly Decided[]): Map<string, Map<string, string>> {
  const names = new Map<string, Map<string, string>>();
  for (const { table, path, name } of decided) {
    const known = names.get(table) ?? new Map<string, string>();
    names.set(table, known.set(path, name));
  }
  return names;
}
