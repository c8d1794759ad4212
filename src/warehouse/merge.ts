import type { Database } from 'better-sqlite3';
import type { Mapping } from '../dialect/mapping.ts';
import { quoted, rows, run, values } from '../sqlite/statements.ts';
import { refreshCompanyViews } from './company_views.ts';
import { RESOURCE_TABLES } from './inferred_schema.ts';
import { KnownCompanies, VERSIONS } from './known.ts';
import { metaTable } from './meta.ts';
import { declaredColumns } from './payload_table.ts';
import { CHANGE, COMPANY } from './tables.ts';
import type { Warehouse } from './warehouse.ts';

/**
 * Merges a rebuild's derived tables into the warehouse, in one transaction. Rows that do not differ keep their versions in
 * the change feed.
 */
export function mergeRebuilt(warehouse: Warehouse, rebuilt: Warehouse, mapping: Mapping): void {
  const { db } = warehouse;
  // A table that is replaced is empty for a moment, while other tables refer to its rows.
  db.pragma('foreign_keys = OFF');
  db.prepare('ATTACH ? AS rebuilt').run(rebuilt.path);
  try {
    warehouse.write(() => {
      const meta = metaTable(db);
      meta.set('mapping', mapping);
      new Merge(db, rebuilt.db).run();
      // The dialect stays the one with which the listings were requested.
      const ofRebuild = metaTable(rebuilt.db);
      for (const key of ['absent_shape', 'record_path'] as const) meta.set(key, ofRebuild.get(key));
      meta.set('change_estimates', ofRebuild.get('change_estimates'));
    });
  } finally {
    db.exec('DETACH rebuilt');
    db.pragma('foreign_keys = ON');
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
    this.#known = new KnownCompanies(db);
    this.#feed = this.#known.feed;
    this.#rebuiltKnown = new KnownCompanies(rebuilt, null);
  }

  run(): void {
    const lists = [...new Set([...listsIn(this.#db), ...listsIn(this.#rebuilt)])].sort();
    const tables = [...RESOURCE_TABLES, ...lists];
    // The versions depend on the rows before and after, so they are determined before any row is replaced.
    this.#mergeCompanies(lists);
    this.#mergeChanges();
    for (const callId of values<number>(this.#db, this.#differingIn('registry_stats')))
      this.#feed.observed(callId);
    for (const table of tables) this.#noteRemoved(table);
    this.#keepDecisions();
    for (const table of tables)
      if (this.#isDefinedAlike(table)) this.#replaceRows(table);
      else this.#replaceTable(table);
    for (const table of INTERNAL) this.#replaceRows(table);
    // FTS5 would lose its pending counts if the schema changed after the names are written.
    refreshCompanyViews(this.#db);
    this.#known.save();
  }

  /** Companies come in the order in which they became known, and then those that the rebuild lacks. */
  #mergeCompanies(lists: readonly string[]): void {
    const differing = ['entity', 'search_result', ...lists].map((table) => {
      const [root = ''] = table.split('__', 1);
      const difference = table === root ? ROOT_DIFFERS : LISTS_DIFFER;
      return `SELECT entity_id, '${root}' AS root, ${difference} AS difference FROM (${this.#differingIn(table)})`;
    });
    const companies = rows<DifferingCompany>(
      this.#db,
      `SELECT entity_id AS entityId, max(iif(root = 'entity', difference, 0)) AS entity,
         max(iif(root = 'search_result', difference, 0)) AS search_result
       FROM (
         SELECT entity_id, '_company' AS root, 0 AS difference
         FROM (${this.#differingIn('_company', ['entity_id'], ['known_id', ...VERSION_COLUMNS])})
         UNION ALL ${differing.join(' UNION ALL ')}
       ) LEFT JOIN rebuilt._company n USING (entity_id) LEFT JOIN main._company o USING (entity_id)
       GROUP BY entity_id ORDER BY n.known_id IS NULL, n.known_id, o.known_id`,
    );
    for (const company of companies) this.#mergeCompany(company);
  }

  /**
   * Returns a query for the first keys of the rows that only one file has, or that differ in a column not in `except`. By
   * default, rows are compared by their primary key.
   */
  #differingIn(
    table: string,
    keys: readonly string[] = this.#primaryKey(table),
    except: readonly string[] = [],
  ): string {
    const name = quoted(table);
    const hasTable = (file: 'main' | 'rebuilt') => this.#columns(file, table).size > 0;
    if (!hasTable('rebuilt')) return `SELECT ${keys[0]} FROM main.${name}`;
    if (!hasTable('main')) return `SELECT ${keys[0]} FROM rebuilt.${name}`;
    const isSameKey = keys.map((key) => `n.${key} IS o.${key}`).join(' AND ');
    return `SELECT n.${keys[0]} FROM rebuilt.${name} n LEFT JOIN main.${name} o ON ${isSameKey}
       WHERE o.${keys[0]} IS NULL OR ${this.#isDifferent(table, except)}
       UNION ALL SELECT o.${keys[0]} FROM main.${name} o
       WHERE NOT EXISTS (SELECT 1 FROM rebuilt.${name} n WHERE ${isSameKey})`;
  }

  /** Returns the condition that the row `n` of the rebuild differs from the row `o` of the warehouse. */
  #isDifferent(table: string, except: readonly string[] = []): string {
    const [before, after] = [this.#columns('main', table), this.#columns('rebuilt', table)];
    const names = [...new Set([...before.keys(), ...after.keys()])].filter((name) => !except.includes(name));
    const valuesOf = (row: 'n' | 'o', columns: ReadonlyMap<string, string>) =>
      names.flatMap((name) => {
        const value = columns.has(name) ? `${row}.${quoted(name)}` : 'NULL';
        // In a column without a type, 1 and 1.0 are different values. Between columns of two types, SQLite compares the
        // text '1' with 1 as equal numbers.
        const isTyped = after.get(name) !== '' && after.get(name) === before.get(name);
        return isTyped ? [value] : [value, `typeof(${value})`];
      });
    return `(${valuesOf('n', after).join(', ')}) IS NOT (${valuesOf('o', before).join(', ')})`;
  }

  #mergeCompany({ entityId, ...differences }: DifferingCompany): void {
    const before = this.#known.find(entityId);
    const rebuilt = this.#rebuiltKnown.find(entityId);
    if (rebuilt === undefined) {
      if (before !== undefined) this.#known.remove(before);
      return;
    }
    const after = { ...rebuilt };
    for (const { table, added, version, touched } of VERSIONS) {
      const difference = differences[table];
      const exists = rebuilt[version] !== null;
      const existed = before !== undefined && before[version] !== null;
      after[added] = before?.[added] ?? null;
      after[version] = existed && exists ? before[version] : null;
      after[touched] = before?.[touched] ?? null;
      if (existed && exists && difference === ROOT_DIFFERS) after[touched] = this.#feed.next();
      else if (exists && difference !== 0) after[version] = this.#feed.next();
    }
    if (before === undefined) this.#known.add(after);
    else this.#known.replace({ ...after, knownId: before.knownId });
  }

  /** Records which rows only the warehouse has. */
  #noteRemoved(table: string): void {
    if (this.#columns('main', table).size === 0) return;
    const name = quoted(table);
    const [key, position = '0'] = this.#primaryKey(table);
    const isKept =
      this.#columns('rebuilt', table).size > 0
        ? `EXISTS (SELECT 1 FROM rebuilt.${name} n WHERE ${this.#isSameKey(table)})`
        : 'FALSE';
    const removed = rows<{ key: string | number; position: number }>(
      this.#db,
      `SELECT ${key} AS key, ${position} AS position FROM main.${name} o WHERE NOT ${isKept}`,
    );
    for (const row of removed) this.#feed.removed(table, String(row.key), row.position);
  }

  /** Changes that the rebuild found again keep their ids, which are their versions. No call has two equal changes. */
  #mergeChanges(): void {
    const columns = CHANGE.properties.filter((one) => one !== 'changeId').map((one) => CHANGE.column(one));
    const isSame = columns.map((one) => `n.${one} IS o.${one} AND typeof(n.${one}) = typeof(o.${one})`);
    const onlyIn = (one: 'main' | 'rebuilt', other: 'main' | 'rebuilt') =>
      values<number>(
        this.#db,
        `SELECT change_id FROM ${one}.entity_change n
         WHERE NOT EXISTS (SELECT 1 FROM ${other}.entity_change o WHERE ${isSame.join(' AND ')}) ORDER BY change_id`,
      );
    const added = onlyIn('rebuilt', 'main');
    for (const changeId of onlyIn('main', 'rebuilt')) {
      run(this.#db, 'DELETE FROM main.entity_change WHERE change_id = ?', changeId);
      this.#feed.removed('entity_change', String(changeId));
    }
    const add = `INSERT INTO main.entity_change (change_id, ${columns.join(', ')})
      SELECT ?, ${columns.join(', ')} FROM rebuilt.entity_change WHERE change_id = ?`;
    for (const changeId of added) run(this.#db, add, this.#feed.next(), changeId);
  }

  /** Replaces the rows that differ, found by their primary keys. */
  #replaceRows(table: string): void {
    const columns = [...this.#columns('rebuilt', table).keys()].map(quoted);
    const isSameKey = this.#isSameKey(table);
    const name = quoted(table);
    // All differing rows are deleted first, because a new row can have a deleted row's unique values.
    this.#db.exec(
      `DELETE FROM main.${name} AS o WHERE NOT EXISTS
         (SELECT 1 FROM rebuilt.${name} n WHERE ${isSameKey} AND NOT (${this.#isDifferent(table)}));
       INSERT INTO main.${name} (${columns.join(', ')})
         SELECT ${columns.map((column) => `n.${column}`).join(', ')} FROM rebuilt.${name} n
         WHERE NOT EXISTS (SELECT 1 FROM main.${name} o WHERE ${isSameKey})`,
    );
  }

  /** Returns whether both files have the table with the same columns and indexes. */
  #isDefinedAlike(table: string): boolean {
    const [before, after] = (['main', 'rebuilt'] as const).map((file) =>
      JSON.stringify([[...this.#columns(file, table)], this.#definitions(file, table, IS_OWN_INDEX)]),
    );
    return before === after;
  }

  /** Creates the table as it is in the rebuild, with all its rows. The user's own indexes and triggers are kept. */
  #replaceTable(table: string): void {
    const name = quoted(table);
    const added = this.#definitions('main', table, `type <> 'table' AND NOT (${IS_OWN_INDEX})`);
    this.#db.exec(`DROP TABLE IF EXISTS main.${name}`);
    if (this.#columns('rebuilt', table).size === 0) return;
    for (const sql of this.#definitions('rebuilt', table, 'TRUE')) this.#db.exec(sql);
    this.#db.exec(`INSERT INTO main.${name} SELECT * FROM rebuilt.${name}`);
    for (const sql of added)
      try {
        this.#db.exec(sql);
      } catch {
        // It reads a column that no longer exists.
      }
  }

  /** Returns the statements that create the table and its indexes, the table first. */
  #definitions(file: 'main' | 'rebuilt', table: string, condition: string): string[] {
    return values(
      this.#db,
      `SELECT sql FROM ${file}.sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL AND ${condition}
       ORDER BY type <> 'table', sql`,
      table,
    );
  }

  /** Returns the declared types of a table's columns, by name. The map is empty if the file lacks the table. */
  #columns(file: 'main' | 'rebuilt', table: string): ReadonlyMap<string, string> {
    const columns = declaredColumns(file === 'main' ? this.#db : this.#rebuilt, table);
    return new Map(columns.map(({ name, type }) => [name, type]));
  }

  #isSameKey(table: string): string {
    return this.#primaryKey(table)
      .map((key) => `n.${key} = o.${key}`)
      .join(' AND ');
  }

  #primaryKey(table: string): string[] {
    const file = this.#columns('rebuilt', table).size > 0 ? this.#rebuilt : this.#db;
    const sql = "SELECT name FROM pragma_table_info(?, 'main') WHERE pk > 0 ORDER BY pk";
    return values<string>(file, sql, table).map(quoted);
  }

  /** Keeps the user's decisions to discard quarantined responses. */
  #keepDecisions(): void {
    this.#db.exec(
      `UPDATE rebuilt._quarantine AS n SET state = 'discarded' WHERE EXISTS (SELECT 1 FROM main._quarantine o
         WHERE o.state = 'discarded' AND o.call_id = n.call_id AND o.position = n.position)`,
    );
  }
}

/** The internal tables whose rows are replaced if they differ. */
const INTERNAL = [
  '_record_version',
  '_query',
  '_query_page',
  '_failure',
  '_quarantine',
  '_table',
  '_column',
] as const;

/** The columns with the versions of a company's rows in the change feed. */
const VERSION_COLUMNS = VERSIONS.flatMap(({ added, version, touched }) =>
  [added, version, touched].map((one) => COMPANY.column(one)),
);

/** The condition for the indexes that a mapping creates. */
const IS_OWN_INDEX = "type = 'index' AND name GLOB '*__index_[0-9]*'";

/** A company with rows that differ in the two files. */
interface DifferingCompany extends Readonly<Record<'entity' | 'search_result', number>> {
  readonly entityId: string;
}

/** The difference of a record or a summary; 0 if there is none. */
const ROOT_DIFFERS = 1;
const LISTS_DIFFER = 2;

function listsIn(db: Database): string[] {
  return values(db, 'SELECT table_name FROM _table WHERE parent_table IS NOT NULL');
}
