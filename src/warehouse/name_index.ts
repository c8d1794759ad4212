import type { Database, Statement } from 'better-sqlite3';
import { folded } from '../names/folding.ts';
import { orderedWords } from '../names/ordered_words.ts';
import { indexedText } from '../names/search_index_text.ts';
import { value } from '../sqlite/statements.ts';
import { metaTable } from './meta.ts';
import type { KnownRow } from './tables.ts';

/** A company's indexed fields. */
export type IndexedCompany = Pick<KnownRow, 'knownId' | 'entityId' | 'name' | 'formerNames' | 'identifiers'>;

/** A company before and after a transaction. `before` is null if it is new, and `after` if it was removed. */
export interface Rewritten {
  readonly before: IndexedCompany | null;
  readonly after: IndexedCompany | null;
}

/**
 * The name indexes.
 *
 * - `entity_fts` indexes names, former names and identifiers other than the id, with and without diacritics. Its columns
 *   return the original text from `_company`.
 * - `_name` stores the names in the order in which searches compare them.
 * - `_name_word` counts the words in the names.
 */
export class NameIndex {
  readonly #words: WordIndex;
  readonly #insert;
  readonly #remove;
  readonly #insertName;
  readonly #deleteName;

  constructor(db: Database) {
    this.#words = new WordIndex(db);
    this.#insert = db.prepare<Entry>(
      `INSERT INTO entity_fts (rowid, name, identifiers, former_names, entity_id) VALUES (?, ?, ?, ?, ?)`,
    );
    // This FTS5 index does not store its content, so FTS5 needs a row's old values to delete the row.
    this.#remove = db.prepare<Entry>(
      `INSERT INTO entity_fts (entity_fts, rowid, name, identifiers, former_names, entity_id) VALUES ('delete', ?, ?, ?, ?, ?)`,
    );
    this.#insertName = db.prepare<[string, number]>(`INSERT INTO _name (folded, known_id) VALUES (?, ?)`);
    this.#deleteName = db.prepare<[string, number]>(`DELETE FROM _name WHERE folded = ? AND known_id = ?`);
  }

  /**
   * Replaces the entries of companies. Call this function in the transaction that writes the companies, after all their
   * rows. FTS5 keeps its row counts in memory until the commit, and if a column is added to any table after such a write,
   * SQLite drops these counts. It also flushes its buffer at each savepoint, and an INSERT of several rows sets one.
   */
  write(rewritten: readonly Rewritten[]): void {
    const words: [name: string, by: 1 | -1][] = [];
    const writeName = (
      statement: Statement<[string, number]>,
      company: IndexedCompany | null,
      by: 1 | -1,
    ) => {
      if (company === null || company.name === null) return;
      const name = folded(company.name);
      statement.run(name, company.knownId);
      words.push([name, by]);
    };
    for (const { before, after } of rewritten) {
      // Most records add identifiers but do not change the name. An unchanged name is not written again, because its
      // page in a large index is rarely in memory.
      if (before?.name === after?.name) continue;
      writeName(this.#deleteName, before, -1);
      writeName(this.#insertName, after, 1);
    }
    this.#words.count(words);
    for (const { before, after } of rewritten) {
      if (isSameText(before, after)) continue;
      if (before !== null) this.#remove.run(...entryOf(before));
      if (after !== null) this.#insert.run(...entryOf(after));
    }
  }

  /** Starts or stops counting the words in names. Call this function in a transaction. */
  setCounting(isWanted: boolean): void {
    this.#words.setCounting(isWanted);
  }
}

type Entry = [rowId: number, ...indexedTexts: (string | null)[], entityId: string];

function entryOf({ knownId, entityId, name, formerNames, identifiers }: IndexedCompany): Entry {
  const indexed = [name, identifiers, formerNames].map((text) => indexedText(text));
  return [knownId, ...indexed, entityId];
}

export function indexedFields(company: IndexedCompany | null): IndexedCompany | null {
  if (company === null) return null;
  const { knownId, entityId, name, formerNames, identifiers } = company;
  return { knownId, entityId, name, formerNames, identifiers };
}

/** Returns whether both have the same texts. A company that does not exist has none. */
export function isSameText(before: IndexedCompany | null, after: IndexedCompany | null): boolean {
  return (
    before?.name === after?.name &&
    before?.formerNames === after?.formerNames &&
    before?.identifiers === after?.identifiers
  );
}

/** The number of characters in a term of `entity_fts`. Shorter texts cannot be found in the index. */
export const TRIGRAM = 3;

/** Counts how many companies a full-text query finds, up to `most`. */
export type MatchCounts = (query: string, most: number) => number;

export function matchCounts(db: Database): MatchCounts {
  const sql = 'SELECT count(*) FROM (SELECT 1 FROM entity_fts WHERE entity_fts MATCH ? LIMIT ?)';
  return (query, most) => value<number>(db, sql, query, most) ?? 0;
}

/** Returns the distinct trigrams within a word. A word of fewer than three characters has none. */
export function trigramsWithin(word: string): string[] {
  const characters = [...word];
  const found = new Set<string>();
  for (let at = 0; at + TRIGRAM <= characters.length; at++)
    found.add(characters.slice(at, at + TRIGRAM).join(''));
  return [...found];
}

/** Returns a full-text query for texts that contain this text. */
export function phrase(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

interface Name {
  readonly folded: string;
  readonly knownId: number;
}

/** Reads and writes `_name_word`, which stores how many companies have each word in their names. */
class WordIndex {
  readonly #db: Database;
  readonly #add;
  readonly #removeEmpty;
  readonly #namesAfter;

  constructor(db: Database) {
    this.#db = db;
    this.#add = db.prepare<[string, number, number]>(
      `INSERT INTO _name_word (word, shared, companies) VALUES (?, ?, ?)
       ON CONFLICT (word, shared) DO UPDATE SET companies = companies + excluded.companies`,
    );
    this.#removeEmpty = db.prepare<[string, number]>(
      `DELETE FROM _name_word WHERE word = ? AND shared = ? AND companies = 0`,
    );
    this.#namesAfter = db.prepare<[Name], Name>(
      `SELECT folded, known_id AS knownId FROM _name WHERE (folded, known_id) > (@folded, @knownId)
       ORDER BY folded, known_id LIMIT ${NAMES_AT_ONCE}`,
    );
  }

  /** Adds the words of names to the counts (1) or removes them (-1). Call this function in a transaction. */
  count(names: Iterable<readonly [name: string, by: 1 | -1]>): void {
    if (!areWordsCounted(this.#db)) return;
    const counts = new Map<string, number>();
    for (const [name, by] of names)
      for (const { word, shared } of orderedWords(name)) {
        const key = `${word} ${shared}`;
        counts.set(key, (counts.get(key) ?? 0) + by);
      }
    for (const [key, companies] of inOrder(counts)) {
      if (companies === 0) continue;
      const space = key.lastIndexOf(' ');
      const word = key.slice(0, space);
      const shared = Number(key.slice(space + 1));
      this.#add.run(word, shared, companies);
      if (companies < 0) this.#removeEmpty.run(word, shared);
    }
  }

  /** Counts the words in all known names, or deletes the counts. Call this function in a transaction. */
  setCounting(isWanted: boolean): void {
    if (isWanted === areWordsCounted(this.#db)) return;
    metaTable(this.#db).set('counts_words', isWanted ? 1 : null);
    if (!isWanted) this.#db.exec('DELETE FROM _name_word');
    let names: Name[] = [{ folded: '', knownId: -1 }];
    while (isWanted && names.length > 0) {
      names = this.#namesAfter.all(names.at(-1) as Name);
      this.count(names.map(({ folded }) => [folded, 1]));
    }
  }
}

/** Returns whether the words in names are counted. */
export function areWordsCounted(db: Database): boolean {
  return metaTable(db).get('counts_words') !== null;
}

/** Returns the counts sorted by key, because adjacent rows are on the same page of the file. */
function inOrder(groups: ReadonlyMap<string, number>): [string, number][] {
  return [...groups].sort((a, b) => (a[0] < b[0] ? -1 : 1));
}

const NAMES_AT_ONCE = 10_000;
