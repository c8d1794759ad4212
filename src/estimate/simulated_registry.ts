import type { SearchCall, SearchQuery } from '../call.ts';
import type { Dialect } from '../dialect/dialect.ts';
import type { KnownCompany, ListedCompany, LoadResult, QueryState } from '../knowledge.ts';
import { noChange } from '../load_result.ts';
import { folded, withoutDiacritics, wordsOf } from '../names/folding.ts';
import { foldedIdentifier, nameFinder, semanticsOf, windowOf } from '../names/query_matching.ts';
import type { Scenario } from './scenario.ts';

/** A registry with known and simulated companies. It responds to searches according to the dialect. */
export interface SimulatedRegistry {
  /**
   * Returns the result of one search. `before` is the query's state, or undefined if the query has not been listed yet.
   */
  search(
    call: SearchCall,
    before: QueryState | undefined,
    isKnown: (entityId: string) => boolean,
  ): LoadResult;
}

export function simulatedRegistry(
  companies: readonly KnownCompany[],
  dialect: Dialect,
  scenario: Scenario,
  nowMs: number,
): SimulatedRegistry {
  const { search } = dialect;
  const { paging } = search;
  const window = Math.min(windowOf(dialect), paging.style === 'none' ? paging.size : Infinity);
  const find = indexOf(inOrder(companies, String(scenario.seed)), dialect, scenario);
  return {
    search: (call, before, isKnown) => {
      const { query, page } = call;
      if ([...query.text].length < search.min_length) return result(call, [], refused(query, nowMs));
      const found = find(query);
      const all = scenario.ranksByQuery ? inOrder(found, query.text) : found;
      // Known companies come first in the listing, because earlier pages have already shown them.
      const listing =
        before === undefined || page.index === 0 ? all : all.toSorted((a, b) => rank(a) - rank(b));
      const reachable = Math.min(all.length, window);
      const from = page.index * paging.size;
      const shown = listing.slice(from, Math.min(from + paging.size, reachable));
      const rows = shown.map(({ entityId, name }) => ({
        ...{ entityId, name },
        isNew: !isKnown(entityId),
        changed: false,
      }));
      const isOpen = from + paging.size < reachable;
      const isCapped = reachable < all.length;
      const total = search.total === null ? null : Math.min(all.length, search.total_clamped_at ?? Infinity);
      return result(call, rows, {
        ...{ query, total, pages: page.index + 1, rows: Math.min(from + paging.size, reachable) },
        ...{ next: isOpen ? 'more' : null, listedAtMs: before?.listedAtMs ?? nowMs },
        status: isOpen ? 'open' : isCapped ? 'capped' : 'complete',
      });

      function rank({ entityId }: KnownCompany): number {
        return isKnown(entityId) ? 0 : 1;
      }
    },
  };
}

/** Sorts companies by a hash of their identifiers. The same salt always gives the same order. */
function inOrder<Company extends KnownCompany>(companies: readonly Company[], salt: string): Company[] {
  return companies
    .map((company) => ({ company, rank: hashOf(salt + company.entityId) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ company }) => company);
}

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
}

function refused(query: SearchQuery, listedAtMs: number): QueryState {
  return { query, total: null, pages: 0, rows: 0, next: null, status: 'refused', listedAtMs };
}

function result(call: SearchCall, rows: readonly ListedCompany[], query: QueryState): LoadResult {
  const verdict = { is: query.status === 'refused' ? 'refused' : 'ok' } as const;
  return { ...noChange({ call, verdict }), rows, query };
}

export interface Indexed extends KnownCompany {
  readonly foldedName: string;
  readonly foldedId: string;
}

/** Returns the companies that a query finds, in a fixed but arbitrary order. */
export type Find = (query: SearchQuery) => readonly Indexed[];

/** Indexes companies. If one parameter searches names and identifiers, every query matches both. */
export function indexOf(
  companies: readonly KnownCompany[],
  dialect: Dialect,
  { ignoresDiacritics, searchesIdentifiers }: Scenario,
): Find {
  const { identifiers, identifier_param: parameter } = dialect.search;
  const fold = ignoresDiacritics ? withoutDiacritics : folded;
  const find = indexApart(companies, dialect, fold);
  const byName = (text: string) => find({ by: 'name', text: fold(text) });
  const byIdentifier = (text: string) => find({ by: 'identifier', text: foldedIdentifier(text) });
  const isPrefix = identifiers === 'unknown' ? searchesIdentifiers : identifiers === 'prefix';
  if (!isPrefix) return ({ by, text }) => (by === 'name' ? byName(text) : []);
  if (parameter !== null) return ({ by, text }) => (by === 'name' ? byName(text) : byIdentifier(text));
  return ({ text }) => {
    const [named, numbered] = [byName(text), byIdentifier(text)];
    if (named.length === 0) return numbered;
    return numbered.length === 0 ? named : [...new Set([...numbered, ...named])];
  };
}

/**
 * Indexes companies so that name queries match only names, and identifier queries match only identifiers. Queries must
 * be folded.
 */
function indexApart(
  companies: readonly KnownCompany[],
  dialect: Dialect,
  fold: (text: string) => string,
): Find {
  const semantics = semanticsOf(dialect);
  const all: Indexed[] = companies.map(({ entityId, name }) => ({
    ...{ entityId, name },
    foldedName: fold(name ?? ''),
    foldedId: foldedIdentifier(entityId),
  }));
  const byWord = semantics === 'token' ? groupedByWord(all) : null;
  const found = new Map<string, readonly Indexed[]>();

  const find: Find = ({ by, text }) => {
    const key = `${by}:${text}`;
    const cached = found.get(key);
    if (cached !== undefined) return cached;
    const isNamed = nameFinder(semantics, text);
    const fits = ({ foldedName, foldedId }: Indexed) =>
      by === 'name' ? isNamed(foldedName) : foldedId.startsWith(text);
    const matches = candidates({ by, text }).filter(fits);
    found.set(key, matches);
    return matches;
  };

  /**
   * Returns the companies to test: those that match the query without its last character or, if queries match whole
   * words, those with the query's first word.
   */
  const candidates: Find = ({ by, text }) => {
    if (text === '') return all;
    if (by === 'name' && byWord !== null) return byWord.get(wordsOf(text)[0] ?? '') ?? [];
    const shorter = [...text].slice(0, -1).join('');
    return shorter === '' ? all : find({ by, text: shorter });
  };
  return find;
}

function groupedByWord(companies: readonly Indexed[]): Map<string, Indexed[]> {
  const groups = new Map<string, Indexed[]>();
  for (const one of companies)
    for (const word of new Set(wordsOf(one.foldedName))) {
      const group = groups.get(word);
      if (group === undefined) groups.set(word, [one]);
      else group.push(one);
    }
  return groups;
}
