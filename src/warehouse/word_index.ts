import type { Database } from 'better-sqlite3';
import { ALL_COMPANIES, afterAll, type CompaniesWith, nextAfter } from '../names/ordered_texts.ts';
import { orderedWords } from '../names/ordered_words.ts';
import { companiesBetween } from './ordered_text_lookups.ts';

interface WordSet {
  readonly setId: number;
  readonly beside: string;
  readonly isWhole: 0 | 1;
}

interface Name {
  readonly folded: string;
  readonly knownId: number;
}

/**
 * Reads and writes `_word`, which stores how many companies have each word in their names. Each set of companies in
 * `_word_set` has its own counts.
 */
export class WordIndex {
  readonly #selectSets;
  readonly #insertSet;
  readonly #removeSet;
  readonly #removeWords;
  readonly #add;
  readonly #removeEmpty;
  readonly #namesAfter;
  readonly #companies;
  readonly #known;
  /** Cached for one transaction; null if it has not been read yet. */
  #sets: readonly WordSet[] | null = null;
  /** Pending changes to the counts, by set id, then by word and `shared`. */
  #pending = new Map<number, Map<string, number>>();

  constructor(db: Database) {
    this.#selectSets = db.prepare<[], WordSet>(
      `SELECT set_id AS setId, beside, is_whole AS isWhole FROM _word_set`,
    );
    this.#insertSet = db.prepare<[string, number]>(
      `INSERT OR IGNORE INTO _word_set (beside, is_whole) VALUES (?, ?)`,
    );
    this.#removeSet = db.prepare<[number]>(`DELETE FROM _word_set WHERE set_id = ?`);
    this.#removeWords = db.prepare<[number]>(`DELETE FROM _word WHERE set_id = ?`);
    this.#add = db.prepare<[number, string, number, number]>(
      `INSERT INTO _word (set_id, word, shared, companies) VALUES (?, ?, ?, ?)
       ON CONFLICT (set_id, word, shared) DO UPDATE SET companies = companies + excluded.companies`,
    );
    this.#removeEmpty = db.prepare<[number, string, number]>(
      `DELETE FROM _word WHERE set_id = ? AND word = ? AND shared = ? AND companies = 0`,
    );
    this.#namesAfter = db.prepare<[Name & { part: string }], Name>(
      `SELECT folded, known_id AS knownId FROM _name
       WHERE (folded, known_id) > (@folded, @knownId) AND instr(folded, @part) > 0
       ORDER BY folded, known_id LIMIT ${NAMES_AT_ONCE}`,
    );
    this.#companies = db
      .prepare<[number, string, string, number], number | null>(companiesBetween('_word'))
      .pluck();
    this.#known = db.prepare<[], number>(`SELECT n FROM _tally WHERE what = 'known'`).pluck();
  }

  /** Adds a name's words to the pending counts (`by` = 1) or removes them (-1). */
  count(name: string, by: 1 | -1): void {
    this.#sets ??= this.#selectSets.all();
    if (this.#sets.length > 0) this.#countIn(this.#sets, name, by);
  }

  /** Writes the pending counts. Call this function in the transaction that writes the names. */
  save(): void {
    for (const [setId, groups] of this.#pending)
      for (const [key, companies] of inOrder(groups)) {
        if (companies === 0) continue;
        const space = key.lastIndexOf(' ');
        const word = key.slice(0, space);
        const shared = Number(key.slice(space + 1));
        this.#add.run(setId, word, shared, companies);
        if (companies < 0) this.#removeEmpty.run(setId, word, shared);
      }
    this.#pending = new Map();
    this.#sets = null;
  }

  /**
   * Returns whether the word is frequent enough to count the words that share a name with it. At least the share
   * `FREQUENT` of all companies must have the word in their names. Among names that have a word with this prefix, at
   * least half must have the word itself.
   */
  isFrequent(word: string): boolean {
    const all = this.#setOf(ALL_COMPANIES);
    if (all === undefined) return false;
    const [whole = 0, withPrefix = 0] = [nextAfter(word), afterAll(word)].map(
      (to) => this.#companies.get(all.setId, word, to, word.length) ?? 0,
    );
    return whole > 0 && whole >= FREQUENT * (this.#known.get() ?? 0) && 2 * whole >= withPrefix;
  }

  /**
   * Deletes the word sets for another query rule than `isWhole`, except the set for all companies. If `isWhole` is null,
   * deletes all sets. Call this function in a transaction.
   */
  keepOnly(isWhole: boolean | null): void {
    const isKept = (set: WordSet) =>
      isWhole !== null && (set.beside === '' || set.isWhole === Number(isWhole));
    for (const set of this.#selectSets.all().filter((one) => !isKept(one))) {
      this.#removeWords.run(set.setId);
      this.#removeSet.run(set.setId);
    }
    this.#sets = null;
  }

  /** Starts counting the words of these sets, and counts all known companies. Call this function in a transaction. */
  begin(wanted: readonly CompaniesWith[]): void {
    const fresh = wanted.filter(
      ({ beside, isWhole }) => this.#insertSet.run(beside, Number(isWhole)).changes > 0,
    );
    if (fresh.length === 0) return;
    this.save();
    this.#countKnown(fresh.flatMap((one) => this.#setOf(one) ?? []));
  }

  /** Counts the words in all known names for these sets, in batches. */
  #countKnown(among: readonly WordSet[]): void {
    const [one, ...others] = among;
    if (one === undefined) return;
    const part = others.length === 0 ? one.beside : '';
    for (let last: Name = { folded: '', knownId: -1 }; ; ) {
      const names = this.#namesAfter.all({ ...last, part });
      for (const { folded } of names) this.#countIn(among, folded, 1);
      const isLast = names.length < NAMES_AT_ONCE;
      if (isLast || among.some((set) => this.#groupsOf(set).size >= MAX_PENDING)) this.save();
      if (isLast) return;
      last = names.at(-1) as Name;
    }
  }

  #countIn(among: readonly WordSet[], name: string, by: 1 | -1): void {
    const words = orderedWords(name);
    for (const set of among) {
      if (!isIn(set, words)) continue;
      const groups = this.#groupsOf(set);
      for (const { word, shared } of words) {
        const key = `${word} ${shared}`;
        groups.set(key, (groups.get(key) ?? 0) + by);
      }
    }
  }

  #groupsOf({ setId }: WordSet): Map<string, number> {
    const existing = this.#pending.get(setId);
    if (existing !== undefined) return existing;
    const groups = new Map<string, number>();
    this.#pending.set(setId, groups);
    return groups;
  }

  #setOf({ beside, isWhole }: CompaniesWith): WordSet | undefined {
    return this.#selectSets.all().find((set) => set.beside === beside && set.isWhole === Number(isWhole));
  }
}

function isIn({ beside, isWhole }: WordSet, words: ReturnType<typeof orderedWords>): boolean {
  if (beside === '') return true;
  return words.some(({ word }) => (isWhole === 1 ? word === beside : word.startsWith(beside)));
}

/** Returns the counts sorted by key, because adjacent rows are on the same page of the file. */
function inOrder(groups: ReadonlyMap<string, number>): [string, number][] {
  return [...groups].sort((a, b) => (a[0] < b[0] ? -1 : 1));
}

const NAMES_AT_ONCE = 10_000;
const MAX_PENDING = 40_000;
/**
 * A word is frequent if at least this share of all companies have it in their names. A language has a few dozen such
 * words.
 */
const FREQUENT = 0.005;
