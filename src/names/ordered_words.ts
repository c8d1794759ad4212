import { wordsOf } from './folding.ts';
import {
  type CompaniesWith,
  inOrder,
  lowerBound,
  type WordsInOrder,
  type WordTotals,
} from './ordered_texts.ts';
import { findsName } from './query_matching.ts';

interface OrderedWord {
  readonly word: string;
  /**
   * The number of prefixes, including the empty prefix, that this word shares with the preceding word in the name. It
   * is 0 for the first word.
   */
  readonly shared: number;
}

/**
 * Returns the distinct words in a folded name, sorted so that words with common prefixes are adjacent. Each prefix is
 * counted only for the first word that has it. Lengths are in UTF-16 units.
 */
export function orderedWords(foldedName: string): OrderedWord[] {
  const words = wordsOf(foldedName);
  if (words.length > 1) words.sort();
  const ordered: OrderedWord[] = [];
  let before: string | null = null;
  for (const word of words) {
    if (word === before) continue;
    ordered.push({ word, shared: before === null ? 0 : 1 + sharedLength(before, word) });
    before = word;
  }
  return ordered;
}

/** Returns the length of the longest common prefix, in UTF-16 units. */
export function sharedLength(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
}

/** The companies with the same word and the same value of `shared`. */
interface Group extends OrderedWord {
  companies: number;
}

/** Implements the lookups with sorted words in memory. */
export class SortedWords implements WordsInOrder {
  readonly #of: CompaniesWith;
  readonly #groups: Group[];

  /** `names` are the folded names of all companies. */
  constructor(of: CompaniesWith, names: Iterable<string>) {
    this.#of = of;
    const groups = new Map<string, Group>();
    for (const name of names)
      for (const { word, shared } of this.#wordsOf(name)) {
        const group = groups.get(`${word} ${shared}`);
        if (group === undefined) groups.set(`${word} ${shared}`, { word, shared, companies: 1 });
        else group.companies++;
      }
    this.#groups = [...groups.values()].sort(byWord);
  }

  add(name: string): void {
    for (const { word, shared } of this.#wordsOf(name)) {
      const index = this.#indexOf({ word, shared });
      const group = this.#groups[index];
      if (group?.word === word && group.shared === shared) group.companies++;
      else this.#groups.splice(index, 0, { word, shared, companies: 1 });
    }
  }

  countBetween(from: string, to: string, mostShared: number): number {
    let count = 0;
    for (const { shared, companies } of this.#between(from, to)) if (shared <= mostShared) count += companies;
    return count;
  }

  at(from: string, offset: number): string | null {
    return this.#groups[this.#indexOf({ word: from, shared: 0 }) + offset]?.word ?? null;
  }

  ranked(most: number): [string, number][] {
    const counts = new Map<string, number>();
    for (const { word, companies } of this.#groups) counts.set(word, (counts.get(word) ?? 0) + companies);
    return [...counts].sort(byFrequency).slice(0, most);
  }

  totals(): WordTotals {
    let words = 0;
    let companies = 0;
    for (const group of this.#groups) {
      words += group.companies;
      if (group.shared === 0) companies += group.companies;
    }
    return { companies, words, different: new Set(this.#groups.map(({ word }) => word)).size };
  }

  #wordsOf(name: string): OrderedWord[] {
    const { beside, isWhole } = this.#of;
    const isIn = beside === '' || findsName(isWhole ? 'token' : 'token_prefix', beside, name);
    return isIn ? orderedWords(name) : [];
  }

  *#between(from: string, to: string): Generator<Group> {
    for (let index = this.#indexOf({ word: from, shared: 0 }); index < this.#groups.length; index++) {
      const group = this.#groups[index] as Group;
      if (inOrder(group.word, to) >= 0) return;
      yield group;
    }
  }

  #indexOf(word: OrderedWord): number {
    return lowerBound(this.#groups.length, (index) => byWord(this.#groups[index] as Group, word) < 0);
  }
}

function byWord(one: OrderedWord, other: OrderedWord): number {
  return inOrder(one.word, other.word) || one.shared - other.shared;
}

function byFrequency(one: readonly [string, number], other: readonly [string, number]): number {
  return other[1] - one[1] || [...one[0]].length - [...other[0]].length || inOrder(one[0], other[0]);
}
