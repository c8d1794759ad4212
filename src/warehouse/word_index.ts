import type { Database } from 'better-sqlite3';
import { orderedWords } from '../names/ordered_words.ts';
import { metaTable } from './meta.ts';

interface Name {
  readonly folded: string;
  readonly knownId: number;
}

/** Reads and writes `_name_word`, which stores how many companies have each word in their names. */
export class WordIndex {
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
