import type { SearchCall, SearchQuery } from '../../src/call.ts';
import type { Failure, QueryState } from '../../src/knowledge.ts';
import type { Extensions, KeySpace, Spread } from '../../src/plan/discovery/key_space.ts';

type ByQuery<Value> = Readonly<Record<string, Value>>;

/** A key space in which a test sets every count and probability, so that a reader can compute each estimate by hand. */
export class GivenKeySpace implements KeySpace {
  by: SearchQuery['by'] = 'name';
  overlaps = false;
  takesPairs = false;
  companies = 0;
  alphabets = 0;
  hasInventory = false;
  revision = 0;
  /** The number of known companies that match each query. */
  counts: ByQuery<number> = {};
  /** The number of known companies that match each query but none of its extensions. */
  endings: ByQuery<number> = {};
  spreads: ByQuery<Spread> = {};
  /** The probability of each extension, by query. */
  likelihoods: ByQuery<ByQuery<number>> = {};
  /** Further properties of each query's extensions. */
  others: ByQuery<Partial<Extensions>> = {};
  /** The extensions with a character that occurs in no known text. */
  newCharacters: readonly string[] = [];
  aliased: readonly string[] = [];
  coveredBy: ByQuery<readonly string[]> = {};
  wordsWithPairs: readonly string[] = [];
  /** The queries for which extensions were computed. */
  readonly extended: string[] = [];

  constructor(given: Partial<GivenKeySpace> = {}) {
    Object.assign(this, given);
  }

  extensions(query: string): Extensions {
    this.extended.push(query);
    const offered = Object.entries(this.likelihoods[query] ?? {}).map(([text, likelihood]) => ({
      ...{ text, likelihood, hasNewCharacter: this.newCharacters.includes(text) },
    }));
    const rest = { otherLikelihood: 0, sentLikelihood: 0, isTruncated: false };
    return { offered, ...rest, ...this.others[query] };
  }

  known(query: string): number {
    return this.counts[query] ?? 0;
  }

  ending(query: string): number {
    return this.endings[query] ?? 0;
  }

  spread(query: string): Spread {
    return this.spreads[query] ?? { distinct: 0, perCompany: 1 };
  }

  pairsWith(word: string): boolean {
    return this.wordsWithPairs.includes(word);
  }

  covering(query: string): readonly string[] {
    return this.coveredBy[query] ?? [];
  }

  isForeign(): boolean {
    return false;
  }

  isAliased(query: string): boolean {
    return this.aliased.includes(query);
  }

  matches(query: string, company: string): boolean {
    return company.startsWith(query);
  }

  recordListing(): void {}

  resemblance(): number {
    return 1;
  }

  add(): void {}

  observe(): void {}
}

/** The state of a name query with an open listing: one page of 20 rows has been received. */
export function openListing(text: string, state: Partial<QueryState> = {}): QueryState {
  const page = { total: null, pages: 1, rows: 20, next: null, status: 'open' as const, listedAtMs: 1000 };
  return { query: { by: 'name', text }, ...page, ...state };
}

/** A name search that failed once and is waiting for a retry. */
export function waitingSearch(target: string, nextTryAtMs: number): Failure {
  return { kind: 'search', target, tries: 1, nextTryAtMs, why: 'HTTP 500' };
}

/** At most `most` calls, until there is none. */
export function taken(most: number, next: () => SearchCall | null): SearchCall[] {
  const calls: SearchCall[] = [];
  for (let call = next(); call !== null; call = calls.length < most ? next() : null) calls.push(call);
  return calls;
}
