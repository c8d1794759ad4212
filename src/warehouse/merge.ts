import type { Database, Statement } from 'better-sqlite3';
import { refreshCompanyViews } from './company_view.ts';
import { feedVersions } from './feed/versions.ts';
import { type Known, KnownCompanies, type KnownRow } from './known.ts';
import { NO_NAME_INDEX } from './name_index.ts';
import { createPayloadIndex, declaredColumns, definitionOf, redeclare } from './payload_table.ts';
import { quoted } from './quoted.ts';
import { RESOURCE_TABLES } from './schema_store.ts';

type Cell = null | bigint | number | string | Buffer;
type Row = readonly Cell[];

/** A record or a summary, with its lists. */
interface Part {
  readonly root: 'entity' | 'search_result';
  readonly tables: readonly ComparedTable[];
}

/**
 * Merges a rebuild's derived tables into the warehouse, in the caller's transaction. Only rows that differ are written,
 * so unchanged rows keep their versions in the change feed.
 */
export function mergeRebuilt(db: Database, rebuilt: Database): void {
  new Merge(db, rebuilt).run();
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
    for (const entityId of idsIn(this.#rebuilt)) this.#mergeCompany(entityId, parts);
    for (const entityId of idsIn(this.#db))
      if (this.#rebuiltKnown.find(entityId) === undefined) this.#removeCompany(entityId, parts);
    this.#mergeStatistics();
    this.#keepDecisions();
    for (const table of INTERNAL) mergeRows(this.#db, this.#rebuilt, table);
    for (const name of [...RESOURCE_TABLES, ...names]) this.#dropColumns(name);
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

  /** Drops the table, or the columns and indexes that the rebuilt table lacks. */
  #dropColumns(name: string): void {
    const wanted = new Set(declaredColumns(this.#rebuilt, name).map((column) => column.name));
    if (wanted.size === 0) {
      this.#db.exec(`DROP TABLE ${quoted(name)}`);
      return;
    }
    const indexed = indexedColumns(this.#rebuilt, name);
    for (const [column, index] of indexedColumns(this.#db, name))
      if (!indexed.has(column)) this.#db.exec(`DROP INDEX ${quoted(index)}`);
    const dropped = declaredColumns(this.#db, name).filter((column) => !wanted.has(column.name));
    // The columns of a user's own view are not checked, so that the view can still exist.
    this.#db.pragma('legacy_alter_table = ON');
    for (const column of dropped)
      this.#db.exec(`ALTER TABLE ${quoted(name)} DROP COLUMN ${quoted(column.name)}`);
    this.#db.pragma('legacy_alter_table = OFF');
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
    mergeRows(this.#db, this.#rebuilt, 'registry_stats', {
      written: (callId) => this.#feed.observed(Number(callId)),
      removed: (callId) => this.#feed.removed('registry_stats', String(callId)),
    });
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

/** The facts in `entity_overview`. */
const OVERVIEW: readonly ((known: Known) => unknown)[] = [
  ({ name }) => name,
  ({ firstSeenAt }) => firstSeenAt,
  ({ lastSeenAt }) => lastSeenAt,
  ({ fetchedAt }) => fetchedAt,
  ({ goneAt }) => goneAt === null,
];

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

/** Replaces the rows that differ, found by their primary keys. */
function mergeRows(
  db: Database,
  rebuilt: Database,
  table: string,
  noted: { written(key: Cell): void; removed(key: Cell): void } = { written: () => {}, removed: () => {} },
): void {
  const columns = declaredColumns(rebuilt, table).map((column) => quoted(column.name));
  const keys = primaryKey(rebuilt, table);
  const where = keys.map((key) => `${key} = ?`).join(' AND ');
  const others = declaredColumns(db, table)
    .map((column) => quoted(column.name))
    .filter((column) => !columns.includes(column));
  const statement = (file: Database, sql: string) => file.prepare<Cell[], Row>(sql).raw().safeIntegers();
  const find = statement(
    db,
    `SELECT ${[...columns, ...others].join(', ')} FROM ${quoted(table)} WHERE ${where}`,
  );
  const findRebuilt = statement(rebuilt, `SELECT 1 FROM ${quoted(table)} WHERE ${where}`);
  const remove = db.prepare<Cell[]>(`DELETE FROM ${quoted(table)} WHERE ${where}`);
  const insert = db.prepare<Cell[]>(
    `INSERT INTO ${quoted(table)} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  const keyIn = (row: Row) => keys.map((key) => row[columns.indexOf(key)] ?? null);
  const fresh = statement(rebuilt, `SELECT ${columns.join(', ')} FROM ${quoted(table)}`)
    .all()
    .filter((row) => !isSameRows([row], find.all(...keyIn(row))));
  const stale = statement(db, `SELECT ${keys.join(', ')} FROM ${quoted(table)}`)
    .all()
    .filter((key) => findRebuilt.get(...key) === undefined);
  // All differing rows are deleted first, because a new row can have a deleted row's unique values.
  for (const key of [...stale, ...fresh.map(keyIn)]) remove.run(...key);
  for (const row of fresh) insert.run(...row);
  for (const row of fresh) noted.written(keyIn(row)[0] ?? null);
  for (const [key] of stale) noted.removed(key ?? null);
}

function primaryKey(db: Database, table: string): string[] {
  return (
    db
      .prepare('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk')
      .pluck()
      .all(table) as string[]
  ).map(quoted);
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

/** Reads the ids of all known companies in groups, so that the table can be written meanwhile. */
function* idsIn(db: Database): Generator<string> {
  const select = db.prepare<[number], { knownId: number; entityId: string }>(
    'SELECT known_id AS knownId, entity_id AS entityId FROM _company WHERE known_id > ? ORDER BY known_id LIMIT 1000',
  );
  for (let after = 0; ; ) {
    const group = select.all(after);
    yield* group.map(({ entityId }) => entityId);
    const last = group.at(-1);
    if (last === undefined) return;
    after = last.knownId;
  }
}

/** Returns the payload columns with an index, and the names of the indexes. */
function indexedColumns(db: Database, table: string): Map<string, string> {
  const rows = db
    .prepare<[string], { column: string; name: string }>(
      `SELECT c.name AS "column", i.name FROM pragma_index_list(?) i JOIN pragma_index_info(i.name) c
       WHERE i.name GLOB '*__index_[0-9]*'`,
    )
    .all(table);
  return new Map(rows.map(({ column, name }) => [column, name]));
}

function sqlOf(db: Database, table: string): string {
  return db.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').pluck().get(table) as string;
}
