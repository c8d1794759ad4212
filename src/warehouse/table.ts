import type { Database, RunResult, Statement } from 'better-sqlite3';
import { isoTime } from '../clock.ts';

/** A column of an internal table. `T` is the type of its values in this program. */
export interface Column<T> {
  /** The column in SQL, which starts with its name. */
  readonly sql: string;
  /** Whether it is stored as epoch milliseconds, and is ISO 8601 text in this program. */
  readonly isTime: boolean;
  /** Never set. It carries the type. */
  readonly type?: T;
}

type Columns = Readonly<Record<string, Column<unknown>>>;

/** A row, with the columns' values as properties. */
export type RowOf<T> =
  T extends Table<infer C> ? { readonly [K in keyof C]: C[K] extends Column<infer V> ? V : never } : never;

export function column<T>(sql: string): Column<T> {
  return { sql, isTime: false };
}

export function time<T extends string | null>(sql: string): Column<T> {
  return { sql, isTime: true };
}

/** Describes an internal table once. Its SQL, the type of its rows and the columns in statements are derived. */
export class Table<C extends Columns> {
  readonly name: string;
  readonly columns: C;
  /** The columns of the primary key. It is empty if a column is declared as the INTEGER PRIMARY KEY. */
  readonly key: readonly string[];
  readonly #times: readonly string[];

  constructor(name: string, key: readonly string[], columns: C) {
    this.name = name;
    this.key = key;
    this.columns = columns;
    this.#times = this.properties.filter((one) => columns[one]?.isTime);
  }

  /** Returns the statement that creates the table. */
  get sql(): string {
    const columns = Object.values(this.columns).map(({ sql }) => sql);
    const lines = [...columns, ...(this.key.length === 0 ? [] : [`PRIMARY KEY (${this.key.join(', ')})`])];
    return `CREATE TABLE ${this.name} (\n  ${lines.join(',\n  ')}\n)${this.key.length === 0 ? '' : ' WITHOUT ROWID'}`;
  }

  get properties(): (keyof C & string)[] {
    return Object.keys(this.columns);
  }

  /** Returns the name of a property's column. */
  column(property: keyof C & string): string {
    return this.columns[property]?.sql.split(' ', 1)[0] ?? '';
  }

  /** Returns the list after SELECT, which names each column for its property. */
  selected(alias?: string, properties: readonly (keyof C & string)[] = this.properties): string {
    const prefix = alias === undefined ? '' : `${alias}.`;
    return properties.map((one) => `${prefix}"${this.column(one)}" AS "${one}"`).join(', ');
  }

  /** Prepares a query whose rows have all properties. `rest` is the part after the table's name. */
  select<Bound extends unknown[]>(db: Database, rest = ''): Statement<Bound, RowOf<Table<C>>> {
    return db.prepare(`SELECT ${this.selected()} FROM ${this.name} ${rest}`);
  }

  /** Returns a function that inserts a row. The columns of other properties get their defaults. */
  insert<P extends keyof C & string = keyof C & string>(
    db: Database,
    { properties = this.properties as P[], onConflict = 'fail' }: InsertOptions<P> = {},
  ): (row: Pick<RowOf<Table<C>>, P>) => RunResult {
    const names = properties.map((one) => `"${this.column(one)}"`);
    const others = names.filter((name) => !this.key.includes(name.slice(1, -1)));
    const conflict = {
      fail: '',
      ignore: 'ON CONFLICT DO NOTHING',
      update: `ON CONFLICT (${this.key.join(', ')}) DO UPDATE SET
        ${others.map((name) => `${name} = excluded.${name}`).join(', ')}`,
    }[onConflict];
    const statement = db.prepare<unknown[]>(
      `INSERT INTO ${this.name} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')}) ${conflict}`,
    );
    const valuesOf = this.#binder(properties);
    return (row) => statement.run(...valuesOf(row as RowOf<Table<C>>));
  }

  /** Returns a function that sets these properties where the columns of `where` have the values of `keys`. */
  update<P extends keyof C & string>(
    db: Database,
    properties: readonly P[],
    where: readonly string[],
  ): (row: Pick<RowOf<Table<C>>, P>, ...keys: unknown[]) => RunResult {
    const set = properties.map((one) => `"${this.column(one)}" = ?`).join(', ');
    const statement = db.prepare<unknown[]>(
      `UPDATE ${this.name} SET ${set} WHERE ${where.map((column) => `${column} = ?`).join(' AND ')}`,
    );
    const valuesOf = this.#binder(properties);
    return (row, ...keys) => statement.run(...valuesOf(row as RowOf<Table<C>>), ...keys);
  }

  /** Converts the times in a row that was read from the table, in place. */
  withTimes<Row>(stored: Row): Row {
    const row = stored as Record<string, unknown>;
    for (const property of this.#times) {
      const ms = row[property];
      if (typeof ms === 'number') row[property] = isoTime(ms);
    }
    return stored;
  }

  /** Returns a function that returns the values to bind. Binding by position is faster than by name. */
  #binder(properties: readonly (keyof C & string)[]): (row: RowOf<Table<C>>) => unknown[] {
    const isTime = properties.map((one) => this.#times.includes(one));
    return (row) =>
      properties.map((one, at) => {
        const value = (row as Record<string, unknown>)[one];
        return isTime[at] && typeof value === 'string' ? Date.parse(value) : value;
      });
  }
}

interface InsertOptions<P> {
  readonly properties?: readonly P[];
  /** What happens if a row with the same key exists. */
  readonly onConflict?: 'fail' | 'ignore' | 'update';
}

/** Returns the SQL expression that converts stored epoch milliseconds to ISO 8601. */
export function isoTimeOf(column: string): string {
  return `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`;
}
