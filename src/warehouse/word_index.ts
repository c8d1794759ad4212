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
export function wordIndex(db: Database) {
  const selectSets = db.prepare<[], WordSet>(
    `SELECT set_id AS setId, beside, is_whole AS isWhole FROM _word_set`,
  );
  const insertSet = db.prepare<[string, number]>(
    `INSERT OR IGNORE INTO _word_set (beside, is_whole) VALUES (?, ?)`,
  );
  const removeSet = db.prepare<[number]>(`DELETE FROM _word_set WHERE set_id = ?`);
  const removeWords = db.prepare<[number]>(`DELETE FROM _word WHERE set_id = ?`);
  const add = db.prepare<[number, string, number, number]>(
    `INSERT INTO _word (set_id, word, shared, companies) VALUES (?, ?, ?, ?)
     ON CONFLICT (set_id, word, shared) DO UPDATE SET companies = companies + excluded.companies`,
  );
  const removeEmpty = db.prepare<[number, string, number]>(
    `DELETE FROM _word WHERE set_id = ? AND word = ? AND shared = ? AND companies = 0`,
  );
  const namesAfter = db.prepare<[Name & { part: string }], Name>(
    `SELECT folded, known_id AS knownId FROM _name
     WHERE (folded, known_id) > (@folded, @knownId) AND instr(folded, @part) > 0
     ORDER BY folded, known_id LIMIT ${NAMES_AT_ONCE}`,
  );
  const companies = db
    .prepare<[number, string, string, number], number | null>(companiesBetween('_word'))
    .pluck();
  const known = db.prepare<[], number>(`SELECT n FROM _tally WHERE what = 'known'`).pluck();
  /** Cached for one transaction; null if it has not been read yet. */
  let sets: readonly WordSet[] | null = null;
  /** Pending changes to the counts, by set id, then by word and `shared`. */
  let pending = new Map<number, Map<string, number>>();

  const setOf = ({ beside, isWhole }: CompaniesWith): WordSet | undefined =>
    selectSets.all().find((set) => set.beside === beside && set.isWhole === Number(isWhole));

  const count = (name: string, by: 1 | -1): void => {
    sets ??= selectSets.all();
    if (sets.length > 0) countIn(sets, name, by);
  };

  const countIn = (among: readonly WordSet[], name: string, by: 1 | -1): void => {
    const words = orderedWords(name);
    for (const set of among) {
      if (!isIn(set, words)) continue;
      const groups = groupsOf(set);
      for (const { word, shared } of words) {
        const key = `${word} ${shared}`;
        groups.set(key, (groups.get(key) ?? 0) + by);
      }
    }
  };

  const groupsOf = ({ setId }: WordSet): Map<string, number> => {
    const existing = pending.get(setId);
    if (existing !== undefined) return existing;
    const groups = new Map<string, number>();
    pending.set(setId, groups);
    return groups;
  };

  const save = (): void => {
    for (const [setId, groups] of pending)
      for (const [key, companies] of inOrder(groups)) {
        if (companies === 0) continue;
        const space = key.lastIndexOf(' ');
        const word = key.slice(0, space);
        const shared = Number(key.slice(space + 1));
        add.run(setId, word, shared, companies);
        if (companies < 0) removeEmpty.run(setId, word, shared);
      }
    pending = new Map();
    sets = null;
  };

  /** Counts the words in all known names for these sets, in batches. */
  const countKnown = (among: readonly WordSet[]): void => {
    const [one, ...others] = among;
    if (one === undefined) return;
    const part = others.length === 0 ? one.beside : '';
    for (let last: Name = { folded: '', knownId: -1 }; ; ) {
      const names = namesAfter.all({ ...last, part });
      for (const { folded } of names) countIn(among, folded, 1);
      const isLast = names.length < NAMES_AT_ONCE;
      if (isLast || among.some((set) => groupsOf(set).size >= MAX_PENDING)) save();
      if (isLast) return;
      last = names.at(-1) as Name;
    }
  };

  return {
    /** Adds a name's words to the pending counts (`by` = 1) or removes them (-1). */
    count,
    /** Writes the pending counts. Call this function in the transaction that writes the names. */
    save,
    /**
     * Returns whether the word is frequent enough to count the words that share a name with it. At least the share
     * `FREQUENT` of all companies must have the word in their names. Among names that have a word with this prefix, at
     * least half must have the word itself.
     */
    isFrequent: (word: string): boolean => {
      const all = setOf(ALL_COMPANIES);
      if (all === undefined) return false;
      const [whole = 0, withPrefix = 0] = [nextAfter(word), afterAll(word)].map(
        (to) => companies.get(all.setId, word, to, word.length) ?? 0,
      );
      return whole > 0 && whole >= FREQUENT * (known.get() ?? 0) && 2 * whole >= withPrefix;
    },
    /**
     * Deletes the word sets for another query rule than `isWhole`, except the set for all companies. If `isWhole` is
     * null, deletes all sets. Call this function in a transaction.
     */
    keepOnly: (isWhole: boolean | null): void => {
      const isKept = (set: WordSet) =>
        isWhole !== null && (set.beside === '' || set.isWhole === Number(isWhole));
      for (const set of selectSets.all().filter((one) => !isKept(one))) {
        removeWords.run(set.setId);
        removeSet.run(set.setId);
      }
      sets = null;
    },
    /** Starts counting the words of these sets, and counts all known companies. Call this function in a transaction. */
    begin: (wanted: readonly CompaniesWith[]): void => {
      const fresh = wanted.filter(
        ({ beside, isWhole }) => insertSet.run(beside, Number(isWhole)).changes > 0,
      );
      if (fresh.length === 0) return;
      save();
      countKnown(fresh.flatMap((one) => setOf(one) ?? []));
    },
  };
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
