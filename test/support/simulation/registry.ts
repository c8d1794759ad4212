import type { SearchQuery } from '../../../src/call.ts';
import { hashOfText } from '../../../src/random.ts';

/** One company in a simulated registry. */
export interface Company {
  readonly id: string;
  readonly name: string;
}

export type Semantics = 'prefix' | 'token' | 'token_prefix' | 'substring';
export type Order = 'given' | 'id' | 'name' | 'per_query';

export interface RegistrySettings {
  readonly semantics: Semantics;
  readonly identifiers: 'prefix' | 'exact' | 'none';
  readonly pageSize: number;
  /** The cap, which is the maximum number of results for one query, or null if there is none. */
  readonly window: number | null;
  readonly order: Order;
  readonly totals: 'exact' | 'none' | { readonly clampedAt: number };
  /** The registry rejects queries with more results than this. Null means that it rejects none. */
  readonly refusesAbove: number | null;
  readonly minLength: number;
}

export const PLAIN: RegistrySettings = {
  semantics: 'prefix',
  identifiers: 'none',
  pageSize: 20,
  window: null,
  order: 'id',
  totals: 'exact',
  refusesAbove: null,
  minLength: 1,
};

export interface Page {
  /** The number of rows on a full page. */
  readonly size: number;
  readonly rows: readonly Company[];
  readonly total: number | null;
  readonly refused: boolean;
  /** Whether the total is only a lower bound. */
  readonly clamped: boolean;
  /** Whether the listing is truncated after this page. */
  readonly cut: boolean;
  /** Whether there is a next page. */
  readonly more: boolean;
}

/**
 * A registry in memory that responds as an upstream does. Each query's matches are cached, so that the planner
 * dominates the measured times.
 */
export class Registry {
  readonly settings: RegistrySettings;
  readonly #companies: Company[];
  readonly #sortedNames: Entry[];
  readonly #sortedIds: Entry[];
  readonly #cache = new Map<string, readonly number[]>();
  readonly #rank: Int32Array;

  constructor(companies: readonly Company[], settings: RegistrySettings) {
    this.settings = settings;
    this.#companies = [...companies];
    this.#sortedNames = sortedEntries(this.#entriesOfNames());
    this.#sortedIds = sortedEntries(this.#companies.map((one, at) => ({ text: one.id.toUpperCase(), at })));
    this.#rank = rankBy(this.#companies, settings.order);
  }

  get size(): number {
    return this.#companies.length;
  }

  company(at: number): Company {
    return this.#companies[at] as Company;
  }

  /** Returns the response to a call. */
  search(query: SearchQuery, pageIndex: number): Page {
    const { pageSize, window, totals, refusesAbove, minLength } = this.settings;
    const found = this.matches(query);
    const refused =
      (refusesAbove !== null && found.length > refusesAbove) || [...query.text].length < minLength;
    if (refused)
      return { size: pageSize, rows: [], total: null, refused, clamped: false, cut: false, more: false };
    const reachable = Math.min(found.length, window ?? found.length);
    const from = pageIndex * pageSize;
    const rows = found.slice(from, Math.min(from + pageSize, reachable)).map((at) => this.company(at));
    const total =
      totals === 'none' ? null : totals === 'exact' ? found.length : Math.min(found.length, totals.clampedAt);
    const clamped = typeof totals === 'object' && found.length >= totals.clampedAt;
    const more = from + pageSize < reachable;
    return { size: pageSize, rows, total, refused, clamped, cut: !more && reachable < found.length, more };
  }

  /** Returns the positions of all companies that the query matches, in the registry's order. */
  matches(query: SearchQuery): readonly number[] {
    const key = `${query.by}:${query.text}`;
    const cached = this.#cache.get(key);
    if (cached !== undefined) return cached;
    const found = [...this.#find(query)];
    const rank = this.settings.order === 'per_query' ? ranksFor(query.text, found) : this.#rank;
    found.sort((a, b) => (rank[a] as number) - (rank[b] as number));
    this.#cache.set(key, found);
    if (this.#cache.size > 5000)
      for (const old of this.#cache.keys()) {
        this.#cache.delete(old);
        break;
      }
    return found;
  }

  #find(query: SearchQuery): Set<number> {
    if (query.by === 'identifier') {
      if (this.settings.identifiers === 'none') return new Set();
      return startingWith(this.#sortedIds, query.text.toUpperCase(), this.settings.identifiers === 'exact');
    }
    const text = foldedName(query.text);
    if (this.settings.semantics === 'prefix') return startingWith(this.#sortedNames, text, false);
    if (this.settings.semantics === 'substring') {
      const found = new Set<number>();
      this.#companies.forEach((one, at) => {
        if (foldedName(one.name).includes(text)) found.add(at);
      });
      return found;
    }
    const whole = this.settings.semantics === 'token';
    if (text === '') return new Set(this.#companies.keys());
    const sets = words(text).map((word) => startingWith(this.#sortedNames, word, whole));
    const [smallest, ...others] = sets.sort((a, b) => a.size - b.size);
    if (smallest === undefined) return new Set();
    return new Set([...smallest].filter((at) => others.every((set) => set.has(at))));
  }

  #entriesOfNames(): Entry[] {
    if (this.settings.semantics === 'prefix') {
      return this.#companies.map((one, at) => ({ text: foldedName(one.name), at }));
    }
    if (this.settings.semantics === 'substring') return [];
    return this.#companies.flatMap((one, at) => words(foldedName(one.name)).map((text) => ({ text, at })));
  }
}

interface Entry {
  readonly text: string;
  readonly at: number;
}

function sortedEntries(entries: Entry[]): Entry[] {
  return entries.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : a.at - b.at));
}

function startingWith(entries: readonly Entry[], text: string, whole: boolean): Set<number> {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle] as Entry).text < text) low = middle + 1;
    else high = middle;
  }
  const found = new Set<number>();
  for (let at = low; at < entries.length; at++) {
    const entry = entries[at] as Entry;
    if (!entry.text.startsWith(text)) break;
    if (!whole || entry.text === text) found.add(entry.at);
    else if (whole) break;
  }
  return found;
}

export function foldedName(name: string): string {
  return name.toLowerCase().replace(/\s+/gu, ' ');
}

export function words(folded: string): string[] {
  return folded.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

function rankBy(companies: readonly Company[], order: Order): Int32Array {
  const sorted = companies.map((_, at) => at);
  if (order === 'id') sorted.sort((a, b) => compare(companies[a]?.id, companies[b]?.id));
  if (order === 'name') sorted.sort((a, b) => compare(companies[a]?.name, companies[b]?.name));
  const rank = new Int32Array(companies.length);
  sorted.forEach((at, position) => {
    rank[at] = position;
  });
  return rank;
}

function ranksFor(text: string, found: readonly number[]): Record<number, number> {
  const ranks: Record<number, number> = {};
  for (const at of found) ranks[at] = hashOfText(`${text}|${at}`);
  return ranks;
}

function compare(a: string | undefined = '', b: string | undefined = ''): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
