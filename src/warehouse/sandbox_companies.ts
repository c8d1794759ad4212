import Sqlite, { type Database, type Statement } from 'better-sqlite3';

/** A row of the sandbox's companies. */
export interface SandboxRow {
  readonly id: string;
  readonly name: string;
  /** The other fields as JSON text. */
  readonly fieldsText: string;
  /** When the company was deleted, in epoch milliseconds, or null while it exists. */
  readonly goneAtMs: number | null;
}

/**
 * The sandbox's companies in a temporary SQLite database. SQLite holds a small one in memory, writes a large one to a
 * temporary file, and deletes the file in the end. The tables `_company` and `_name` have the columns that `NameFinder`
 * reads.
 */
export class SandboxCompanies {
  readonly db: Database;
  readonly #insert: Statement<[SandboxRow]>;
  readonly #replace: Statement<[SandboxRow]>;
  readonly #find: Statement<[string], SandboxRow & { knownId: number }>;
  readonly #after: Statement<[number], SandboxRow & { knownId: number }>;
  readonly #addName: Statement<[number]>;
  readonly #dropName: Statement<[number]>;
  #fold: (name: string) => string = (name) => name;

  constructor() {
    this.db = new Sqlite('');
    this.db.pragma('journal_mode = OFF');
    this.db.function('folded', { deterministic: true }, (name) => this.#fold(String(name)));
    this.db.exec(SCHEMA);
    this.#insert = this.db.prepare(
      'INSERT OR IGNORE INTO _company (entity_id, name, fields, gone_at) VALUES (@id, @name, @fieldsText, @goneAtMs)',
    );
    this.#replace = this.db.prepare(
      `INSERT INTO _company (entity_id, name, fields, gone_at) VALUES (@id, @name, @fieldsText, @goneAtMs)
       ON CONFLICT (entity_id) DO UPDATE SET name = @name, fields = @fieldsText, gone_at = @goneAtMs`,
    );
    this.#find = this.db.prepare(`${SELECT} WHERE entity_id = ?`);
    this.#after = this.db.prepare(`${SELECT} WHERE known_id > ? ORDER BY known_id LIMIT ${ROWS_AT_ONCE}`);
    this.#addName = this.db.prepare(
      'INSERT INTO _name SELECT folded(name), known_id FROM _company WHERE known_id = ?',
    );
    this.#dropName = this.db.prepare(
      'DELETE FROM _name WHERE (folded, known_id) IN (SELECT folded(name), known_id FROM _company WHERE known_id = ?)',
    );
  }

  /** Adds rows. A row with a known id is ignored. Call `indexNames` afterwards. */
  add(rows: Iterable<SandboxRow>): void {
    this.db.transaction(() => {
      for (const row of rows) this.#insert.run(row);
    })();
  }

  /** Stores all names in the form in which searches compare them. */
  indexNames(fold: (name: string) => string): void {
    this.#fold = fold;
    this.db.exec(
      'DELETE FROM _name; INSERT INTO _name SELECT folded(name), known_id FROM _company ORDER BY 1, 2',
    );
  }

  put(row: SandboxRow): void {
    const before = this.#find.get(row.id);
    if (before !== undefined) this.#dropName.run(before.knownId);
    this.#replace.run(row);
    this.#addName.run(this.#find.get(row.id)?.knownId ?? 0);
  }

  find(id: string): SandboxRow | null {
    return this.#find.get(id) ?? null;
  }

  /** Returns all rows in the order in which they were added. They can change meanwhile. */
  *all(): Generator<SandboxRow> {
    for (let last = 0; ; ) {
      const rows = this.#after.all(last);
      yield* rows;
      if (rows.length < ROWS_AT_ONCE) return;
      last = rows.at(-1)?.knownId ?? 0;
    }
  }

  /** Returns the number of companies that are not deleted. */
  count(): number {
    return (
      this.db.prepare<[], number>('SELECT count(*) FROM _company WHERE gone_at IS NULL').pluck().get() ?? 0
    );
  }

  close(): void {
    this.db.close();
  }
}

const SCHEMA = `
  CREATE TABLE _company (
    known_id  INTEGER PRIMARY KEY,
    entity_id TEXT NOT NULL UNIQUE,
    name      TEXT NOT NULL,
    fields    TEXT NOT NULL,
    gone_at   INTEGER
  );
  CREATE INDEX _company_by_identifier ON _company (upper(entity_id));
  CREATE INDEX _company_gone ON _company (gone_at) WHERE gone_at IS NOT NULL;
  CREATE TABLE _name (
    folded   TEXT NOT NULL,
    known_id INTEGER NOT NULL,
    PRIMARY KEY (folded, known_id)
  ) WITHOUT ROWID;
`;
const SELECT =
  'SELECT known_id AS knownId, entity_id AS id, name, fields AS fieldsText, gone_at AS goneAtMs FROM _company';
const ROWS_AT_ONCE = 1_000;
