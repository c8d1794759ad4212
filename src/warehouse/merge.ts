import type { Database, Statement } from 'better-sqlite3';
import type { Mapping } from '../dialect/mapping.ts';
import { refreshCompanyViews } from './company_views.ts';
import { PARTS, type Part } from './feed/feed_tables.ts';
import { feedVersions } from './feed/versions.ts';
import { KnownCompanies } from './known.ts';
import { metaTable } from './meta.ts';
import { NO_NAME_INDEX } from './name_index.ts';
import { createPayloadIndex, declaredColumns, definitionOf, redeclare } from './payload_table.ts';
import { quoted } from './quoted.ts';
import { RESOURCE_TABLES } from './schema_store.ts';
import { COMPANY, type Known } from './tables.ts';
import type { Warehouse } from './warehouse.ts';

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

  constructor(db: Database, rebuilt: Database) {
    this.#db = db;
    this.#rebuilt = rebuilt;
    this.#feed = feedVersions(db);
    this.#known = new KnownCompanies(db);
    this.#rebuiltKnown = new KnownCompanies(rebuilt, NO_NAME_INDEX);
  }

  run(): void {
    const lists = [...new Set([...listsIn(this.#db), ...listsIn(this.#rebuilt)])].sort();
    const tables = [...RESOURCE_TABLES, ...lists];
    for (const name of tables) this.#addColumns(name);
    this.#mergeCompanies(lists);
    this.#mergeStatistics();
    this.#keepDecisions();
    for (const table of INTERNAL) this.#mergeRows(table);
    this.#dropColumns(tables);
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

  #mergeCompanies(lists: readonly string[]): void {
    const copied = (name: string) => new CopiedTable(this.#db, this.#rebuilt, name);
    const parts = (['record', 'summary'] as const).map((part) => ({
      part,
      root: copied(PARTS[part]),
      lists: lists.filter((name) => name.startsWith(`${PARTS[part]}__`)).map(copied),
    }));
    this.#findDiffering([PARTS.record, PARTS.summary, ...lists]);
    const tablesOf = this.#db
      .prepare<[string], string>('SELECT table_name FROM differing WHERE entity_id = ?')
      .pluck();
    // Companies come in the order in which they became known, and then those that the rebuild lacks.
    const companies = this.#db
      .prepare<[], string>(
        `SELECT DISTINCT entity_id FROM differing
         LEFT JOIN rebuilt._company n USING (entity_id) LEFT JOIN main._company o USING (entity_id)
         ORDER BY n.known_id IS NULL, n.known_id, o.known_id`,
      )
      .pluck()
      .all();
    for (const entityId of companies) this.#mergeCompany(entityId, parts, new Set(tablesOf.all(entityId)));
    this.#db.exec('DROP TABLE differing');
  }

  /** Collects the companies with rows that differ, and the tables of these rows, in the table `differing`. */
  #findDiffering(tables: readonly string[]): void {
    this.#db.exec(
      'CREATE TEMP TABLE differing (entity_id, table_name, PRIMARY KEY (entity_id, table_name)) WITHOUT ROWID',
    );
    const add = (table: string, query: string) =>
      this.#db.prepare(`INSERT OR IGNORE INTO differing SELECT entity_id, ? FROM (${query})`).run(table);
    add('_company', this.#differingIn('_company', ['entity_id'], ['known_id', ...VERSION_COLUMNS]));
    for (const table of tables) add(table, this.#differingIn(table, primaryKey(this.#db, table), []));
    // Changes are found by their content, because equal changes have different ids.
    add('entity_change', this.#differingIn('entity_change', CHANGE_KEY, ['change_id']));
    add(
      'entity_change',
      `SELECT entity_id FROM rebuilt.entity_change n GROUP BY entity_id
       HAVING count(*) <> (SELECT count(*) FROM main.entity_change o WHERE o.entity_id = n.entity_id)`,
    );
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
    const compared = [
      ...wanted.map(({ name }) => quoted(name)).map((name) => [`n.${name}`, `o.${name}`]),
      // In a column without a type, 1 and 1.0 are different values.
      ...wanted
        .filter(({ type }) => type === '')
        .map(({ name }) => ['n', 'o'].map((row) => `typeof(${row}.${quoted(name)})`)),
      // A value in a column that will be dropped makes the row differ.
      ...declaredColumns(this.#db, table)
        .filter(({ name }) => !names.has(name))
        .map(({ name }) => ['NULL', `o.${quoted(name)}`]),
    ];
    const valuesOf = (side: 0 | 1) => compared.map((pair) => pair[side]).join(', ');
    return `(${valuesOf(0)}) IS NOT (${valuesOf(1)})`;
  }

  #mergeCompany(entityId: string, parts: readonly CompanyPart[], differing: ReadonlySet<string>): void {
    const before = this.#known.find(entityId);
    const rebuilt = this.#rebuiltKnown.find(entityId);
    const versions = Object.fromEntries(VERSIONS.map((one) => [one, before?.[one] ?? null])) as Versions;
    const written = parts.map((part) => this.#mergePart(entityId, part, differing, versions));
    if (differing.has('entity_change')) this.#mergeChanges(entityId);
    if (rebuilt === undefined) {
      if (before === undefined) return;
      this.#known.remove(before);
      this.#feed.removed('entity_overview', entityId);
      return;
    }
    const { knownId: _, ...facts } = rebuilt;
    const isShown = before !== undefined && OVERVIEW.every((fact) => fact(before) === fact(facts));
    if (!isShown && !written.includes(true)) versions.recordTouched = this.#feed.take(2);
    const after = { ...facts, ...versions };
    if (before === undefined) this.#known.add(after);
    else this.#known.replace(before, { ...after, knownId: before.knownId });
  }

  /** Writes a record or summary with its lists if any row differs. Sets its versions. */
  #mergePart(
    entityId: string,
    { part, root, lists }: CompanyPart,
    differing: ReadonlySet<string>,
    versions: Versions,
  ): boolean {
    const isSameLists = !lists.some(({ name }) => differing.has(name));
    if (isSameLists && !differing.has(root.name)) return false;
    const { before, after } = root.count(entityId);
    if (before > 0 && after > 0 && isSameLists) {
      root.copy(entityId);
      versions[`${part}Touched`] = this.#feed.take(2);
      return true;
    }
    const counts = lists.map((list) => list.count(entityId));
    const version = this.#feed.take(1 + counts.reduce((sum, list) => sum + list.after, after));
    for (const list of lists) list.remove(entityId);
    if (after === 0) root.remove(entityId);
    else root.copy(entityId);
    for (const [at, list] of lists.entries()) {
      list.copy(entityId);
      if (before > 0) this.#feed.resized(list.name, entityId, counts[at] as RowCounts, version);
    }
    if (after === 0) this.#feed.removed(root.name, entityId);
    if (before === 0 || after === 0) versions[`${part}Added`] = after === 0 ? null : version;
    versions[`${part}Version`] = after === 0 ? null : version;
    versions[`${part}Touched`] = after === 0 ? this.#feed.take(2) : null;
    return true;
  }

  /** Changes that the rebuild found again keep their ids, which are their versions. */
  #mergeChanges(entityId: string): void {
    const columns = declaredColumns(this.#rebuilt, 'entity_change').map(({ name }) => quoted(name));
    const [before, after] = ['main', 'rebuilt'].map((file) =>
      this.#db
        .prepare<[string], Cell[]>(
          `SELECT ${columns.join(', ')} FROM ${file}.entity_change WHERE entity_id = ? ORDER BY change_id`,
        )
        .raw()
        .safeIntegers()
        .all(entityId),
    ) as [Cell[][], Cell[][]];
    const add = this.#db.prepare(
      `INSERT INTO entity_change (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    );
    const kept = Map.groupBy(before, ([, ...content]) => keyOf(content));
    for (const [, ...content] of after) {
      if (kept.get(keyOf(content))?.shift() !== undefined) continue;
      add.run(BigInt(this.#feed.take(1)), ...content);
    }
    const remove = this.#db.prepare('DELETE FROM entity_change WHERE change_id = ?');
    for (const [changeId] of [...kept.values()].flat()) {
      remove.run(changeId);
      this.#feed.removed('entity_change', String(changeId));
    }
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

/** The versions of a company's rows in the change feed. */
const VERSIONS = [
  ...(['recordAdded', 'recordVersion', 'recordTouched'] as const),
  ...(['summaryAdded', 'summaryVersion', 'summaryTouched'] as const),
];
const VERSION_COLUMNS = VERSIONS.map((one) => COMPANY.column(one));
type Versions = Pick<Known, (typeof VERSIONS)[number]>;

/** A record or a summary, with its lists. */
interface CompanyPart {
  readonly part: Part;
  readonly root: CopiedTable;
  readonly lists: readonly CopiedTable[];
}

/** The number of a company's rows in the warehouse and in the rebuild. */
interface RowCounts {
  readonly before: number;
  readonly after: number;
}

/** Copies the rows of one company after another from the rebuild. A row replaces the one with the same primary key. */
class CopiedTable {
  readonly name: string;
  readonly #counts: Statement<[{ id: string }], RowCounts>;
  readonly #remove: Statement<[string]>;
  readonly #copy: Statement<[string]> | null;

  constructor(db: Database, rebuilt: Database, table: string) {
    this.name = table;
    const name = quoted(table);
    const columns = declaredColumns(rebuilt, table).map((column) => quoted(column.name));
    const isDropped = columns.length === 0;
    const count = (file: string) => `(SELECT count(*) FROM ${file}.${name} WHERE entity_id = @id)`;
    this.#counts = db.prepare(
      `SELECT ${count('main')} AS before, ${isDropped ? 0 : count('rebuilt')} AS after`,
    );
    this.#remove = db.prepare(`DELETE FROM main.${name} WHERE entity_id = ?`);
    this.#copy = isDropped
      ? null
      : db.prepare(
          `INSERT INTO main.${name} (${columns.join(', ')})
           SELECT ${columns.join(', ')} FROM rebuilt.${name} WHERE entity_id = ?
           ON CONFLICT (${primaryKey(rebuilt, table).join(', ')}) DO UPDATE
           SET ${columns.map((column) => `${column} = excluded.${column}`).join(', ')}`,
        );
  }

  count(entityId: string): RowCounts {
    return this.#counts.get({ id: entityId }) as RowCounts;
  }

  remove(entityId: string): void {
    this.#remove.run(entityId);
  }

  copy(entityId: string): void {
    this.#copy?.run(entityId);
  }
}

type Cell = null | bigint | number | string | Buffer;

function primaryKey(db: Database, table: string): string[] {
  return (
    db
      .prepare("SELECT name FROM pragma_table_info(?, 'main') WHERE pk > 0 ORDER BY pk")
      .pluck()
      .all(table) as string[]
  ).map(quoted);
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
