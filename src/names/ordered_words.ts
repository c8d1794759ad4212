import { orderedWords } from './folding.ts';
import type { CompaniesWith, WordsInOrder, WordTotals } from './ordered_texts.ts';
import { firstPlace, inOrder, type Stretch, stretchOf } from './ordered_texts.ts';
import { findsName } from './query_matching.ts';

interface Group {
  readonly word: string;
  readonly shared: number;
  companies: number;
}

/** Words held in memory. */
export class SortedWords implements WordsInOrder {
  readonly #of: CompaniesWith;
  readonly #groups: Group[];

  /** `names`: of all companies, folded. */
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
      const place = this.#placeOf({ word, shared });
      const group = this.#groups[place];
      if (group?.word === word && group.shared === shared) group.companies++;
      else this.#groups.splice(place, 0, { word, shared, companies: 1 });
    }
  }

  countBetween(from: string, to: string, mostShared: number): number {
    let count = 0;
    for (const { shared, companies } of this.#between(from, to)) if (shared <= mostShared) count += companies;
    return count;
  }

  stretch(...ask: Parameters<WordsInOrder['stretch']>): Stretch {
    return stretchOf({ at: this.at.bind(this), share: this.#share.bind(this) }, ...ask);
  }

  at(from: string, places: number): string | null {
    return this.#groups[this.#placeOf({ word: from, shared: 0 }) + places]?.word ?? null;
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

  #share(from: string, to: string, most: number): number[] {
    const shares = Array<number>(most + 1).fill(0);
    for (const { shared, companies } of this.#between(from, to))
      if (shared <= most) shares[shared] = (shares[shared] as number) + companies;
    return shares;
  }

  #wordsOf(name: string): ReturnType<typeof orderedWords> {
    const { beside, isWhole } = this.#of;
    const isIn = beside === '' || findsName(isWhole ? 'token' : 'token_prefix', beside, name);
    return isIn ? orderedWords(name) : [];
  }

  *#between(from: string, to: string): Generator<Group> {
    for (let place = this.#placeOf({ word: from, shared: 0 }); place < this.#groups.length; place++) {
      const group = this.#groups[place] as Group;
      if (inOrder(group.word, to) >= 0) return;
      yield group;
    }
  }

  #placeOf(one: Pick<Group, 'word' | 'shared'>): number {
    return firstPlace(this.#groups.length, (place) => byWord(this.#groups[place] as Group, one) >= 0);
  }
}

function byWord(one: Pick<Group, 'word' | 'shared'>, other: Pick<Group, 'word' | 'shared'>): number {
  return inOrder(one.word, other.word) || one.shared - other.shared;
}

function byFrequency(one: readonly [string, number], other: readonly [string, number]): number {
  return other[1] - one[1] || [...one[0]].length - [...other[0]].length || inOrder(one[0], other[0]);
}
