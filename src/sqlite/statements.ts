import type { Database, RunResult, Statement } from 'better-sqlite3';

/**
 * Queries by their SQL text. Each text is prepared once for each database. Values are bound by position, or by name if
 * the only one is an object. Texts that depend on data are prepared by their callers, because they would stay in memory.
 */

/** Returns all rows. */
export function rows<Row>(db: Database, sql: string, ...bound: readonly unknown[]): Row[] {
  return prepared(statements, db, sql).all(...bound) as Row[];
}

/** Returns the first row, or undefined if there is none. */
export function row<Row>(db: Database, sql: string, ...bound: readonly unknown[]): Row | undefined {
  return prepared(statements, db, sql).get(...bound) as Row | undefined;
}

/** Returns the first column of all rows. */
export function values<Value>(db: Database, sql: string, ...bound: readonly unknown[]): Value[] {
  return prepared(ofOneColumn, db, sql).all(...bound) as Value[];
}

/** Returns the first column of the first row, or undefined if there is none. */
export function value<Value>(db: Database, sql: string, ...bound: readonly unknown[]): Value | undefined {
  return prepared(ofOneColumn, db, sql).get(...bound) as Value | undefined;
}

/** Runs a statement that returns no rows. */
export function run(db: Database, sql: string, ...bound: readonly unknown[]): RunResult {
  return prepared(statements, db, sql).run(...bound);
}

/** Quotes an SQL identifier. All identifiers are quoted, because they can include payload keys. */
export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}

type Prepared = WeakMap<Database, Map<string, Statement>>;

const statements: Prepared = new WeakMap();
const ofOneColumn: Prepared = new WeakMap();

function prepared(all: Prepared, db: Database, sql: string): Statement {
  const ofDatabase = all.get(db) ?? new Map<string, Statement>();
  all.set(db, ofDatabase);
  const known = ofDatabase.get(sql);
  if (known !== undefined) return known;
  const statement = all === ofOneColumn ? db.prepare(sql).pluck() : db.prepare(sql);
  ofDatabase.set(sql, statement);
  return statement;
}
