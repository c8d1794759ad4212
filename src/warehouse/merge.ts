import type { Database, Statement } from 'better-sqlite3';
import type { Mapping } from '../dialect/mapping.ts';
import { refreshCompanyViews } from './company_view.ts';
import { feedVersions } from './feed/versions.ts';
import { type Known, KnownCompanies, type KnownRow } from './known.ts';
import { metaTable } from './meta.ts';
import { NO_NAME_INDEX } from './name_index.ts';
import { createPayloadIndex, declaredColumns, definitionOf, redeclare } from './payload_table.ts';
import { quoted } from './quoted.ts';
import { RESOURCE_TABLES } from './schema_store.ts';
import type { Warehouse } from './warehouse.ts';

type Cell = null | bigint | number | string | Buffer;
type Row = readonly Cell[];

/** A record or a summary, with its lists. */
interface Part {
  readonly root: 'entity' | 'search_result';
  readonly tables: readonly ComparedTable[];
}

/**
 * Merges a rebuild's derived tables into the warehouse, in one transaction. Only rows that differ are written, so unchanged
 * rows keep their versions in the change feed.
 */
export function mergeRebuilt(warehouse: Warehouse, rebuilt: Warehouse, mapping: Mapping): void {
  const { db } = warehouse;
  db.prepare('ATTACH ? AS rebuilt').run(rebuilt.path);
  try {
    warehouse.write(() => {
      const meta = metaTable(db);
      meta.set('mapping', JSON.stringify(mapping));
      new Merge(db, rebuilt.db).run();
      for (const key of ['absent_shape', 'record_path', 'dialect'] as const)
        meta.set(key, metaTable(rebuilt.db).get(key));
    });
  } finally {
    db.exec('DETACH rebuilt');
  }
}

class Merge {
  readonly #db: Database;
  readonly #rebuilt: Database;
  readonly #feed;
  readonly #known;
  readonly #rebuiltKnown;
  readonly #changes: ComparedTable;

  constructor(db: Database, rebuilt: Database) {
    this.#db = db;
    this.#rebuilt = rebuilt;
    this.#feed = feedVersions(db);
    this.#known = new KnownCompanies(db);
    this.#rebuiltKnown = new KnownCompanies(rebuilt, NO_NAME_INDEX);
    this.#changes = new ComparedTable(db, rebuilt, 'entity_change', 'entity_id', 'change_id');
  }

  run(): void {
    const names = new Set([...listsIn(this.#db), ...listsIn(this.#rebuilt)]);
    for (const name of [...RESOURCE_TABLES, ...names]) this.#addColumns(name);
    const compared = (name: string, order: string) =>
      new ComparedTable(this.#db, this.#rebuilt, name, 'entity_id', order);
    const parts = (['entity', 'search_result'] as const).map((root): Part => {
      const lists = [...names].filter((name) => name.startsWith(`${root}__`)).sort();
      return {
        root,
        tables: [compared(root, 'entity_id'), ...lists.map((name) => compared(name, 'position'))],
      };
    });
    for (const entityId of this.#differing(parts)) this.#mergeCompany(entityId, parts);
    for (const entityId of removedCompanies(this.#db)) this.#removeCompany(entityId, parts);
    this.#mergeStatistics();
    this.#keepDecisions();
    for (const table of INTERNAL) this.#mergeRows(table);
    this.#dropColumns([...RESOURCE_TABLES, ...names]);
    // FTS5 would lose its pending counts if the schema changed after the names are written.
    refreshCompanyViews(this.#db);
    this.#known.saveCounts();
    this.#feed.save();
  }

  /** Creates the table, or adds its new columns and changes its declared types. */
  #addColumns(name: string): void {
    const wanted = declaredColumns(this.#rebuilt, name);
    if (wanted.length === 0) return;
    const existing = new Map(declaredColumns(this.#db, name).map((column) => [column.name, column]));
    if (existing.size === 0) this.#db.exec(sqlOf(this.#rebuilt, name));
    else {
      const differing = wanted.filter((column) => existing.get(column.name)?.type !== column.type);
      const added = differing.filter((column) => !existing.has(column.name));
      for (const column of added)
        this.#db.exec(`ALTER TABLE ${quoted(name)} ADD COLUMN ${definitionOf(column)}`);
      if (differing.length > added.length)
        redeclare(this.#db, name, new Map(differing.map(({ name: column, type }) => [column, type])));
    }
    for (const column of indexedColumns(this.#rebuilt, name).keys())
      createPayloadIndex(this.#db, name, column);
  }

  /** Drops the tables, columns and indexes that the rebuild lacks. */
  #dropColumns(tables: readonly string[]): void {
    const dropped = tables.flatMap((table) => this.#statementsToDrop(table));
    if (dropped.length === 0) return;
    // SQLite drops no column while a view lacks one, for example a user's own view.
    const views = this.#db
      .prepare<[], { type: string; name: string; sql: string }>(
        "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('view', 'trigger') ORDER BY type DESC",
      )
      .all();
    for (const { type, name } of views.toReversed()) this.#db.exec(`DROP ${type} ${quoted(name)}`);
    for (const sql of dropped) this.#db.exec(sql);
    for (const { sql } of views) this.#db.exec(sql);
  }

  #statementsToDrop(table: string): string[] {
    const wanted = new Set(declaredColumns(this.#rebuilt, table).map((column) => column.name));
    if (wanted.size === 0) return [`DROP TABLE ${quoted(table)}`];
    const indexed = indexedColumns(this.#rebuilt, table);
    const indexes = [...indexedColumns(this.#db, table)].filter(([column]) => !indexed.has(column));
    const columns = declaredColumns(this.#db, table).filter((column) => !wanted.has(column.name));
    return [
      ...indexes.map(([, index]) => `DROP INDEX ${quoted(index)}`),
      ...columns.map(({ name }) => `ALTER TABLE ${quoted(table)} DROP COLUMN ${quoted(name)}`),
    ];
  }

  /** Returns the companies of the rebuild with any row that differs, in the order in which they became known. */
  #differing(parts: readonly Part[]): string[] {
    const tables = parts.flatMap((part) => part.tables.map(({ name }) => name));
    const queries = [
      this.#differingIn('_company', ['entity_id'], ['known_id', ...VERSION_COLUMNS]),
      ...tables.map((name) => this.#differingIn(name, primaryKey(this.#db, name), [])),
      // Changes are found by their content, because equal changes have different ids.
      this.#differingIn('entity_change', CHANGE_KEY, ['change_id']),
      `SELECT entity_id FROM rebuilt.entity_change n GROUP BY entity_id
       HAVING count(*) <> (SELECT count(*) FROM main.entity_change o WHERE o.entity_id = n.entity_id)`,
    ];
    return this.#db
      .prepare<[], string>(
        `SELECT entity_id FROM rebuilt._company
         WHERE entity_id IN (${queries.join('\nUNION ALL ')}) ORDER BY known_id`,
      )
      .pluck()
      .all();
  }

  /** Returns a query for the companies with rows that only one file has, or that differ in a column not in `except`. */
  #differingIn(table: string, keys: readonly string[], except: readonly string[]): string {
    const name = quoted(table);
    if (declaredColumns(this.#rebuilt, table).length === 0) return `SELECT entity_id FROM main.${name}`;
    const isSameKey = keys.map((key) => `n.${key} IS o.${key}`).join(' AND ');
    return `SELECT n.entity_id FROM rebuilt.${name} n LEFT JOIN main.${name} o ON ${isSameKey}
       WHERE o.entity_id IS NULL OR ${this.#isDifferent(table, except)}
       UNION ALL SELECT o.entity_id FROM main.${name} o
       WHERE NOT EXISTS (SELECT 1 FROM rebuilt.${name} n WHERE ${isSameKey})`;
  }

  /** Returns the condition that the row `n` of the rebuild differs from the row `o` of the warehouse. */
  #isDifferent(table: string, except: readonly string[] = []): string {
    const wanted = declaredColumns(this.#rebuilt, table).filter(({ name }) => !except.includes(name));
    const names = new Set([...wanted.map(({ name }) => name), ...except]);
    // A value in a column that will be dropped makes the row differ.
    const dropped = declaredColumns(this.#db, table).filter(({ name }) => !names.has(name));
    return anyOf([
      ...wanted.map(({ name, type }) => {
        const [now, before] = [`n.${quoted(name)}`, `o.${quoted(name)}`];
        // In a column without a type, 1 and 1.0 are different values.
        return `${now} IS NOT ${before}${type === '' ? ` OR typeof(${now}) <> typeof(${before})` : ''}`;
      }),
      ...dropped.map(({ name }) => `o.${quoted(name)} IS NOT NULL`),
    ]);
  }

  #mergeCompany(entityId: string, parts: readonly Part[]): void {
    const before = this.#known.find(entityId);
    const { knownId: _, ...facts } = this.#rebuiltKnown.find(entityId) as KnownRow;
    const after: Known = { ...facts, ...versionsOf(before) };
    const written = parts.map((part) => this.#mergePart(entityId, part, after));
    const isShown = before !== undefined && OVERVIEW.every((fact) => fact(before) === fact(after));
    if (!isShown && !written.includes(true)) after.recordTouched = this.#feed.take(2);
    this.#mergeChanges(entityId);
    if (before === undefined) this.#known.add(after);
    else if (!isSameRecord(before, after)) this.#known.replace(before, { ...after, knownId: before.knownId });
  }

  /** Writes a record or summary with its lists if any row differs. Sets its versions in `known`. */
  #mergePart(entityId: string, { root, tables }: Part, known: Known): boolean {
    const rows = tables.map((table) => ({ table, ...table.read(entityId) }));
    if (rows.every(({ before, after }) => isSameRows(before, after))) return false;
    const [top, ...lists] = rows;
    if (top === undefined) return false;
    const isNew = top.before.length === 0;
    const isRemoved = top.after.length === 0;
    if (!isNew && !isRemoved && lists.every(({ before, after }) => isSameRows(before, after))) {
      for (const row of top.after) top.table.write(row);
      this.#setVersions(known, root, { touched: this.#feed.take(2) });
      return true;
    }
    const version = this.#feed.take(1 + rows.reduce((sum, { after }) => sum + after.length, 0));
    for (const { table } of lists) table.remove(entityId);
    if (isRemoved) top.table.remove(entityId);
    else for (const row of top.after) top.table.write(row);
    for (const { table, before, after } of lists) {
      for (const row of after) table.write(row);
      if (!isNew)
        this.#feed.resized(table.name, entityId, { before: before.length, after: after.length }, version);
    }
    if (isRemoved) {
      this.#feed.removed(root, entityId);
      this.#setVersions(known, root, { added: null, version: null, touched: this.#feed.take(2) });
    } else this.#setVersions(known, root, { ...(isNew && { added: version }), version, touched: null });
    return true;
  }

  #setVersions(
    known: Known,
    root: Part['root'],
    { added, version, touched }: { added?: number | null; version?: number | null; touched: number | null },
  ): void {
    if (root === 'entity') {
      if (added !== undefined) known.recordAdded = added;
      if (version !== undefined) known.recordVersion = version;
      known.recordTouched = touched;
    } else {
      if (added !== undefined) known.summaryAdded = added;
      if (version !== undefined) known.summaryVersion = version;
      known.summaryTouched = touched;
    }
  }

  /** Changes that the rebuild found again keep their ids, which are their versions. */
  #mergeChanges(entityId: string): void {
    const { before, after } = this.#changes.read(entityId);
    if (before.length + after.length === 0) return;
    const kept = Map.groupBy(before, ([, ...content]) => keyOf(content));
    for (const [, ...content] of after) {
      if (kept.get(keyOf(content))?.shift() !== undefined) continue;
      this.#changes.write([BigInt(this.#feed.take(1)), ...content]);
    }
    for (const [changeId] of [...kept.values()].flat()) this.#removeChange(changeId ?? null);
  }

  #removeChange(changeId: Cell): void {
    this.#db.prepare('DELETE FROM entity_change WHERE change_id = ?').run(changeId);
    this.#feed.removed('entity_change', String(changeId));
  }

  #removeCompany(entityId: string, parts: readonly Part[]): void {
    const known = this.#known.find(entityId);
    if (known === undefined) return;
    for (const { root, tables } of parts)
      for (const table of tables.toReversed()) {
        const { before } = table.read(entityId);
        table.remove(entityId);
        if (table.name !== root)
          this.#feed.resized(table.name, entityId, { before: before.length, after: 0 }, 0);
        else if (before.length > 0) this.#feed.removed(root, entityId);
      }
    for (const [changeId] of this.#changes.read(entityId).before) this.#removeChange(changeId ?? null);
    this.#known.remove(known);
    this.#feed.removed('entity_overview', entityId);
  }

  #mergeStatistics(): void {
    const callIds = (from: string, without: string) =>
      this.#db
        .prepare<[], number>(
          `SELECT _call_id FROM ${from}.registry_stats EXCEPT SELECT _call_id FROM ${without}.registry_stats`,
        )
        .pluck()
        .all();
    const removed = callIds('main', 'rebuilt');
    for (const callId of this.#mergeRows('registry_stats')) this.#feed.observed(Number(callId));
    for (const callId of removed) this.#feed.removed('registry_stats', String(callId));
  }

  /** Replaces the rows that differ, found by their primary keys. Returns the first keys of the new rows. */
  #mergeRows(table: string): Cell[] {
    const columns = declaredColumns(this.#rebuilt, table).map(({ name }) => quoted(name));
    const keys = primaryKey(this.#rebuilt, table);
    const isSameKey = keys.map((key) => `n.${key} = o.${key}`).join(' AND ');
    const name = quoted(table);
    const isDifferent = this.#isDifferent(table);
    // All differing rows are deleted first, because a new row can have a deleted row's unique values.
    this.#db.exec(
      `DELETE FROM main.${name} AS o WHERE NOT EXISTS
         (SELECT 1 FROM rebuilt.${name} n WHERE ${isSameKey} AND NOT (${isDifferent}))`,
    );
    return this.#db
      .prepare<[], Cell>(
        `INSERT INTO main.${name} (${columns.join(', ')})
         SELECT ${columns.map((column) => `n.${column}`).join(', ')} FROM rebuilt.${name} n
         WHERE NOT EXISTS (SELECT 1 FROM main.${name} o WHERE ${isSameKey}) RETURNING ${keys[0]}`,
      )
      .pluck()
      .all();
  }

  /** Keeps the user's decisions to discard quarantined responses. */
  #keepDecisions(): void {
    const discard = this.#rebuilt.prepare(
      "UPDATE _quarantine SET state = 'discarded' WHERE call_id = @call_id AND position = @position",
    );
    const discarded = "SELECT call_id, position FROM _quarantine WHERE state = 'discarded'";
    for (const entry of this.#db.prepare(discarded).all()) discard.run(entry);
  }
}

/** The internal tables whose rows are replaced if they differ. */
const INTERNAL = [
  '_record_version',
  '_query',
  '_query_page',
  '_failure',
  '_quarantine',
  '_change_estimate',
  '_table',
  '_column',
] as const;

/** The columns by which changes are compared. */
const CHANGE_KEY = ['entity_id', '_call_id', 'path', 'before', 'after'] as const;

/** The facts in `entity_overview`. */
const OVERVIEW: readonly ((known: Known) => unknown)[] = [
  ({ name }) => name,
  ({ firstSeenAt }) => firstSeenAt,
  ({ lastSeenAt }) => lastSeenAt,
  ({ fetchedAt }) => fetchedAt,
  ({ goneAt }) => goneAt === null,
];

const VERSION_COLUMNS = ['record', 'summary'].flatMap((part) =>
  ['added', 'version', 'touched'].map((kind) => `${part}_${kind}`),
);

function versionsOf(known: KnownRow | undefined) {
  return {
    recordAdded: known?.recordAdded ?? null,
    recordVersion: known?.recordVersion ?? null,
    recordTouched: known?.recordTouched ?? null,
    summaryAdded: known?.summaryAdded ?? null,
    summaryVersion: known?.summaryVersion ?? null,
    summaryTouched: known?.summaryTouched ?? null,
  };
}

function isSameRecord(before: KnownRow, after: Known): boolean {
  return (Object.keys(after) as (keyof Known)[]).every((key) => isSameCell(before[key], after[key]));
}

/** A table in both files, with the columns of the rebuilt one. Rows are read by one key column. */
class ComparedTable {
  readonly name: string;
  readonly #before: Statement<[string], Row> | null;
  readonly #after: Statement<[string], Row> | null;
  readonly #remove: Statement<[string]> | null;
  readonly #write: Statement<Cell[]> | null;

  constructor(db: Database, rebuilt: Database, name: string, key: string, order: string) {
    this.name = name;
    const columns = declaredColumns(rebuilt, name).map((column) => quoted(column.name));
    const wanted = new Set(columns);
    const existing = declaredColumns(db, name).map((column) => quoted(column.name));
    // A value in a column that will be dropped makes the row differ.
    const all = [...columns, ...existing.filter((column) => !wanted.has(column))];
    this.#before = rowsBy(db, name, all, { key, order });
    this.#after = columns.length === 0 ? null : rowsBy(rebuilt, name, columns, { key, order });
    this.#remove = db.prepare(`DELETE FROM ${quoted(name)} WHERE ${key} = ?`);
    const updates = columns
      .filter((column) => column !== quoted(key))
      .map((column) => `${column} = excluded.${column}`);
    this.#write =
      columns.length === 0
        ? null
        : db.prepare(
            `INSERT INTO ${quoted(name)} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
             ${order === key ? `ON CONFLICT (${key}) DO UPDATE SET ${updates.join(', ')}` : ''}`,
          );
  }

  read(key: string): { readonly before: Row[]; readonly after: Row[] } {
    return { before: this.#before?.all(key) ?? [], after: this.#after?.all(key) ?? [] };
  }

  remove(key: string): void {
    this.#remove?.run(key);
  }

  write(row: Row): void {
    this.#write?.run(...row);
  }
}

function rowsBy(
  db: Database,
  name: string,
  columns: readonly string[],
  { key, order }: { readonly key: string; readonly order: string },
): Statement<[string], Row> {
  return db
    .prepare<[string], Row>(
      `SELECT ${columns.join(', ')} FROM ${quoted(name)} WHERE ${key} = ? ORDER BY ${order}`,
    )
    .raw()
    .safeIntegers();
}

function primaryKey(db: Database, table: string): string[] {
  return (
    db
      .prepare("SELECT name FROM pragma_table_info(?, 'main') WHERE pk > 0 ORDER BY pk")
      .pluck()
      .all(table) as string[]
  ).map(quoted);
}

/** Joins conditions with OR in a balanced tree, because SQLite limits the depth of an expression. */
function anyOf(conditions: readonly string[]): string {
  if (conditions.length <= 1) return conditions[0] ?? 'false';
  const half = conditions.length >> 1;
  return `(${anyOf(conditions.slice(0, half))} OR ${anyOf(conditions.slice(half))})`;
}

/** Returns whether the rows are equal. Further columns in `before` must be NULL. */
function isSameRows(before: readonly Row[], after: readonly Row[]): boolean {
  if (before.length !== after.length) return false;
  for (const [at, row] of before.entries()) if (!isSameRow(row, after[at] ?? [])) return false;
  return true;
}

function isSameRow(before: Row, after: Row): boolean {
  const width = Math.max(before.length, after.length);
  for (let column = 0; column < width; column++)
    if (!isSameCell(before[column] ?? null, after[column] ?? null)) return false;
  return true;
}

function isSameCell(a: Cell, b: Cell): boolean {
  if (a === b) return true;
  if (Buffer.isBuffer(a)) return Buffer.isBuffer(b) && a.equals(b);
  return Object.is(a, b);
}

/** Returns a text that is equal only for equal values of equal types. */
function keyOf(cells: readonly unknown[]): string {
  return cells
    .map((cell) => (Buffer.isBuffer(cell) ? cell.toString('hex') : `${typeof cell} ${String(cell)}`))
    .join('\0');
}

function listsIn(db: Database): string[] {
  return db.prepare('SELECT table_name FROM _table WHERE parent_table IS NOT NULL').pluck().all() as string[];
}

/** Returns the known companies that the rebuild lacks. */
function removedCompanies(db: Database): string[] {
  return db
    .prepare<[], string>(
      `SELECT entity_id FROM main._company o
       WHERE NOT EXISTS (SELECT 1 FROM rebuilt._company n WHERE n.entity_id = o.entity_id)`,
    )
    .pluck()
    .all();
}

/** Returns the payload columns with an index, and the names of the indexes. */
function indexedColumns(db: Database, table: string): Map<string, string> {
  const rows = db
    .prepare<[string], { column: string; name: string }>(
      `SELECT c.name AS "column", i.name FROM pragma_index_list(?, 'main') i JOIN pragma_index_info(i.name, 'main') c
       WHERE i.name GLOB '*__index_[0-9]*'`,
    )
    .all(table);
  return new Map(rows.map(({ column, name }) => [column, name]));
}

function sqlOf(db: Database, table: string): string {
  return db.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(table) as string;
}
