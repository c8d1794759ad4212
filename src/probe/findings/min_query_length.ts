import { loosely } from '../../names/loose_matching.ts';
import type { Conclusions, QueryRule, SearchConclusions, SearchPage } from '../conclusions.ts';
import { errorHintsOf } from '../errors/error_hints.ts';
import {
  type Exchange,
  type Finding,
  likely,
  open,
  type Param,
  paramOf,
  type SearchDraft,
  sure,
  wasSent,
} from '../evidence.ts';
import { roleOfParam } from '../param_roles.ts';
import { isTooBroad, isTooShort } from '../refusals.ts';

/**
 * Finds the min query length: the fewest characters that the upstream accepts in a query. The empty query is a separate
 * finding.
 */
export function findMinQueryLength(
  pages: readonly SearchPage[],
  refused: readonly Exchange[],
  queryParam: string,
  queryRule: QueryRule | null,
): Finding<number> {
  const named = refused
    .map((search) => errorHintsOf([search]).minQueryLength)
    .filter((length) => length !== null);
  if (named.length > 0) return sure(Math.max(...named), 'an error message names it');
  const shortest = shortestWithRows(pages);
  if (shortest === null) return open(1, 'no query had matches yet');
  const upper = lengthOf(shortest);
  if (upper === 1) return sure(1, `"${shortest}" has matches`);
  const tooShort = [
    ...refusedQueries(refused, queryParam, pages),
    ...queriesWithoutRows(pages, shortest, queryRule),
  ]
    .filter((query) => lengthOf(query) < upper)
    .sort((a, b) => lengthOf(b) - lengthOf(a))[0];
  if (tooShort === undefined) return open(1, `no query shorter than "${shortest}" was sent`);
  const because = `"${shortest}" has matches, "${tooShort}" has none`;
  return lengthOf(tooShort) === upper - 1 ? likely(upper, because) : open(lengthOf(tooShort) + 1, because);
}

/** Returns the refused queries whose length is the only possible reason for the refusal. */
function refusedQueries(
  refused: readonly Exchange[],
  queryParam: string,
  pages: readonly SearchPage[],
): string[] {
  return refused.flatMap((search) => {
    const query = paramOf(search, queryParam);
    const isOnlyReason =
      !errorHintsOf([search]).refusesUnknown &&
      (isTooShort(search) ||
        hasOnlySizes(search, SMALL_SIZE) ||
        areOthersAccepted(search, queryParam, pages));
    return query === null || query === '' || !isOnlyReason || isTooBroad(search) ? [] : [query];
  });
}

/**
 * Returns queries that are probably too short: they have no matches, although they are prefixes of the shortest query
 * with matches.
 */
function queriesWithoutRows(
  pages: readonly SearchPage[],
  shortest: string,
  queryRule: QueryRule | null,
): string[] {
  if (queryRule === null || queryRule === 'token') return [];
  return pages.flatMap(({ query, rows, exchange }) => {
    const isPrefix = query !== null && query !== '' && loosely(shortest).startsWith(loosely(query));
    return hasOnlySizes(exchange) && isPrefix && rows.length === 0 ? [query] : [];
  });
}

/** Returns whether a search's only other parameters are page sizes. */
function hasOnlySizes({ request }: Exchange, maxSize = Infinity): boolean {
  return request.params
    .slice(1)
    .every(([name, value]) => roleOfParam(name) === 'size' && Number(value) <= maxSize);
}

/** Every API accepts pages of this size. */
const SMALL_SIZE = 30;

/**
 * Returns whether successful searches accepted every other parameter in this search, with at least the same page size.
 */
function areOthersAccepted({ request }: Exchange, queryParam: string, pages: readonly SearchPage[]): boolean {
  return request.params.every(
    ([name, value]) =>
      name === queryParam ||
      pages.some(({ exchange }) => {
        const known = paramOf(exchange, name);
        return known !== null && (roleOfParam(name) !== 'size' || Number(value) <= Number(known));
      }),
  );
}

function shortestWithRows(pages: readonly SearchPage[]): string | null {
  const found = pages.flatMap(({ query, rows }) =>
    query !== null && rows.length > 0 && /^\p{L}+$/u.test(query) ? [query] : [],
  );
  return [...found].sort((a, b) => lengthOf(a) - lengthOf(b))[0] ?? null;
}

function lengthOf(query: string): number {
  return [...query].length;
}

/**
 * Drafts the shortest query that the upstream might accept. The query is a prefix of one with matches, so it has
 * matches unless it is too short.
 */
export function probeMinQueryLength(
  { query: { searches }, queryParam }: Conclusions,
  { minQueryLength, queryRule, pages }: SearchConclusions,
): SearchDraft | null {
  if (minQueryLength.certainty !== 'open' || queryRule.value === null || queryRule.value === 'token')
    return null;
  const shortest = shortestWithRows(pages);
  if (shortest === null || lengthOf(shortest) <= minQueryLength.value) return null;
  const query = [...shortest].slice(0, minQueryLength.value).join('');
  const params: Param[] = [[queryParam.value ?? '', query]];
  return wasSent(searches, params) ? null : { params, why: 'how short may a query be?' };
}

/** Drafts the request from `probeMinQueryLength` if a query was refused as too short, so that a sync would repeat it. */
export function probeRefusedLength(conclusions: Conclusions, search: SearchConclusions): SearchDraft | null {
  return conclusions.minQueryChars > 1 ? probeMinQueryLength(conclusions, search) : null;
}
