import Sqlite, { type Database, type Statement } from 'better-sqlite3';
import { isJsonObject, type JsonObject, parseJson, stringifyJson } from '../json/json.ts';
import { type Folding, foldText } from '../names/folding.ts';
import { value } from '../sqlite/statements.ts';
import { type MatchOrder, NameFinder } from './name_finder.ts';

/** A company in a form that does not depend on an API profile. `fields` has all fields except id and name. */
export interface Company {
  readonly id: string;
  readonly name: string;
  readonly fields: JsonObject;
}

export interface StoredCompany {
  readonly id: string;
  readonly name: string;
  /** The other fields as JSON text. */
  readonly fieldsText: string;
  /** When the company was deleted, in epoch milliseconds, or null while it exists. */
  readonly goneAtMs: number | null;
}

/**
 * The sandbox's companies, which can change while it handles requests. They are in a temporary SQLite database. SQLite
 * holds a small one in memory, writes a large one to a temporary file, and deletes the file in the end. The tables
 * `_company` and `_name` and the view `_identifier` have the columns that `NameFinder` reads.
 */
export class SandboxCompanies {
  readonly #db: Database = new Sqlite('');
  readonly #insert: Statement<[StoredCompany]>;
  readonly #replace: Statement<[StoredCompany]>;
  readonly #find: Statement<[string], Row>;
  readonly #after: Statement<[number], Row>;
  #folding: Folding = 'none';

  constructor(companies: Iterable<Company> = []) {
    const db = this.#db;
    db.pragma('journal_mode = OFF');
    db.function('folded', { deterministic: true }, (name) => foldText(String(name), this.#folding));
    db.exec(SCHEMA);
    const insert =
      'INTO _company (entity_id, name, fields, gone_at) VALUES (@id, @name, @fieldsText, @goneAtMs)';
    this.#insert = db.prepare(`INSERT OR IGNORE ${insert}`);
    this.#replace = db.prepare(
      `INSERT ${insert} ON CONFLICT (entity_id) DO UPDATE SET name = @name, fields = @fieldsText, gone_at = @goneAtMs`,
    );
    this.#find = db.prepare(`${SELECT} WHERE entity_id = ?`);
    this.#after = db.prepare(`${SELECT} WHERE known_id > ? ORDER BY known_id LIMIT ${ROWS_AT_ONCE}`);
    db.transaction(() => {
      for (const company of companies) this.#insert.run(stored(company));
    })();
  }

  /** Adds companies before the first search. If several have the same id, the first one is used. */
  async addAll(companies: AsyncIterable<Company> | Iterable<Company>): Promise<void> {
    this.#db.exec('BEGIN');
    for await (const company of companies) this.#insert.run(stored(company));
    this.#db.exec('COMMIT');
  }

  /** Returns a number that changes with each change. */
  get version(): number {
    return value<number>(this.#db, 'SELECT total_changes()') ?? 0;
  }

  /** Returns a finder whose searches ignore these differences. Only the last finder can be used. */
  finder(folding: Folding, order: MatchOrder): NameFinder {
    this.#folding = folding;
    this.#db.exec(INDEX_NAMES);
    const fold = (text: string) => foldText(text, folding);
    return new NameFinder(this.#db, { fold, isFolded: true, order, hasTrigrams: false });
  }

  /** Returns the number of companies, not counting deleted ones. */
  count(): number {
    const gone = 'SELECT count(*) FROM _company WHERE gone_at IS NOT NULL';
    return value<number>(this.#db, `SELECT ifnull(max(known_id), 0) - (${gone}) FROM _company`) ?? 0;
  }

  /** Returns the company or its tombstone, or null for an id that never existed. */
  get(id: string): StoredCompany | null {
    return this.#find.get(id) ?? null;
  }

  /** Returns all companies and tombstones, in the order of their creation. They can change meanwhile. */
  *all(): Generator<StoredCompany> {
    for (let last = 0; ; ) {
      const rows = this.#after.all(last);
      yield* rows;
      if (rows.length < ROWS_AT_ONCE) return;
      last = rows.at(-1)?.knownId ?? 0;
    }
  }

  /** Adds a company. It replaces the company or tombstone that has the same id. */
  put(company: Company): void {
    this.#replace.run(stored(company));
  }

  /** Replaces a company with a tombstone. Returns false if there is no such company. */
  remove(id: string, nowMs: number): boolean {
    const company = this.get(id);
    if (company === null || !exists(company)) return false;
    this.#replace.run({ ...company, goneAtMs: nowMs });
    return true;
  }

  close(): void {
    this.#db.close();
  }
}

type Row = StoredCompany & { readonly knownId: number };

/** Returns whether this is a company that is not deleted. */
export function exists(company: StoredCompany | null): boolean {
  return company !== null && company.goneAtMs === null;
}

/** Parses a company's other fields. */
export function fieldsOf(company: StoredCompany): JsonObject {
  const fields = parseJson(company.fieldsText);
  return isJsonObject(fields) ? fields : {};
}

function stored({ id, name, fields }: Company): StoredCompany {
  return { id, name, fieldsText: stringifyJson(fields), goneAtMs: null };
}

const SCHEMA = `
  CREATE TABLE _company (
    known_id  INTEGER PRIMARY KEY,
    entity_id TEXT NOT NULL UNIQUE,
    name      TEXT NOT NULL,
    fields    TEXT NOT NULL,
    gone_at   INTEGER
  );
  CREATE INDEX _company_gone ON _company (gone_at) WHERE gone_at IS NOT NULL;
  CREATE INDEX _company_by_identifier ON _company (upper(entity_id));
  CREATE VIEW _identifier AS SELECT upper(entity_id) AS folded, known_id FROM _company;
  CREATE TABLE _name (
    folded   TEXT NOT NULL,
    known_id INTEGER NOT NULL,
    PRIMARY KEY (folded, known_id)
  ) WITHOUT ROWID;
`;
/** Indexes all names, and from then on the names of changed companies. */
const INDEX_NAMES = `
  DELETE FROM _name;
  INSERT INTO _name SELECT folded(name), known_id FROM _company ORDER BY 1, 2;
  CREATE TRIGGER IF NOT EXISTS _company_added AFTER INSERT ON _company BEGIN
    INSERT INTO _name VALUES (folded(NEW.name), NEW.known_id);
  END;
  CREATE TRIGGER IF NOT EXISTS _company_renamed AFTER UPDATE OF name ON _company BEGIN
    DELETE FROM _name WHERE folded = folded(OLD.name) AND known_id = OLD.known_id;
    INSERT INTO _name VALUES (folded(NEW.name), NEW.known_id);
  END`;
const SELECT =
  'SELECT known_id AS knownId, entity_id AS id, name, fields AS fieldsText, gone_at AS goneAtMs FROM _company';
const ROWS_AT_ONCE = 1_000;
