import { loosely } from '../names/loose_matching.ts';
import { type Exchange, type Finding, likely, open, paramOf, sure } from './exchange.ts';
import { isEmptyQuery, isFirstPage, isTruncated, type SearchPage } from './pages.ts';
import { isLimitFor, type ParamBeliefs } from './params.ts';
import type { QueryRule } from './rule.ts';
import { isTooBroad } from './soft_errors.ts';
import { roleOfParam } from './words.ts';

/** Hypotheses and evidence about the shortest query, and about searches without a query. */

/** Judges the min query length: the fewest characters that the upstream accepts in a query. */
export function findMinLength(
  pages: readonly SearchPage[],
  refused: readonly Exchange[],
  queryParam: string,
  rule: QueryRule | null,
  params: ParamBeliefs,
): Finding<number> {
  const stated = refused.flatMap((search) => statedLengths(search, queryParam, params));
  if (stated.length > 0) return sure(Math.max(...stated), 'an error states it');
  const shortest = shortestWithRows(pages);
  if (shortest === null) return open(1, 'no query had matches yet');
  const upper = lengthOf(shortest);
  if (upper === 1) return sure(1, `"${shortest}" has matches`);
  const tooShort = [
    ...refusedQueries(refused, queryParam, pages, params),
    ...queriesWithoutRows(pages, shortest, rule),
  ]
    .filter((query) => lengthOf(query) < upper)
    .sort((a, b) => lengthOf(b) - lengthOf(a))[0];
  if (tooShort === undefined) return open(1, `no query shorter than "${shortest}" was sent`);
  const because = `"${shortest}" has matches, "${tooShort}" has none`;
  return lengthOf(tooShort) === upper - 1 ? likely(upper, because) : open(lengthOf(tooShort) + 1, because);
}

function statedLengths(search: Exchange, queryParam: string, { errors }: ParamBeliefs): number[] {
  const query = paramOf(search, queryParam);
  const error = errors.get(search);
  if (query === null || error === undefined || /^\d+$/.test(query) || isTooBroad(search)) return [];
  if (error.named.size > 0 && !error.named.has(queryParam)) return [];
  return error.numbers.filter((number) => isLimitFor(number, query));
}

/** Returns the refused queries whose length is the only possible reason for the refusal. */
function refusedQueries(
  refused: readonly Exchange[],
  queryParam: string,
  pages: readonly SearchPage[],
  { refused: unknown }: ParamBeliefs,
): string[] {
  return refused.flatMap((search) => {
    const query = paramOf(search, queryParam);
    const others = search.request.params.filter(([name]) => name !== queryParam);
    const isOnlyReason = others.every(
      ([name, value]) =>
        !unknown.has(name) &&
        pages.some(({ exchange }) => {
          const known = paramOf(exchange, name);
          return known !== null && (roleOfParam(name) !== 'size' || Number(value) <= Number(known));
        }),
    );
    return query === null || query === '' || !isOnlyReason || isTooBroad(search) ? [] : [query];
  });
}

/** Returns prefixes of the shortest query with matches that have none. They are probably too short. */
function queriesWithoutRows(
  pages: readonly SearchPage[],
  shortest: string,
  rule: QueryRule | null,
): string[] {
  if (rule === null || rule === 'token') return [];
  return pages.flatMap(({ query, rows, exchange }) => {
    const isPrefix = query !== null && query !== '' && loosely(shortest).startsWith(loosely(query));
    const isPlain = exchange.request.params.slice(1).every(([name]) => roleOfParam(name) === 'size');
    return isPlain && isPrefix && rows.length === 0 ? [query] : [];
  });
}

export function shortestWithRows(pages: readonly SearchPage[]): string | null {
  const found = pages.flatMap(({ query, rows }) =>
    query !== null && rows.length > 0 && /^\p{L}+$/u.test(query) ? [query] : [],
  );
  return [...found].sort((a, b) => lengthOf(a) - lengthOf(b))[0] ?? null;
}

export function lengthOf(query: string): number {
  return [...query].length;
}

/** Judges whether a search without a query lists the whole registry. */
export function findFullListing(
  pages: readonly SearchPage[],
  searches: readonly Exchange[],
  registrySize: number | null,
): Finding<boolean> {
  const empty = searches.filter(isEmptyQuery).filter(({ reading }) => reading !== 'broken');
  if (empty.length === 0) return open(false, 'no search without a query was sent');
  const [all] = pages
    .filter(({ exchange }) => empty.includes(exchange))
    .sort((a, b) => b.rows.length - a.rows.length);
  if (all === undefined) return byRefusals(empty);
  if (all.rows.length === 0) return sure(false, 'a search without a query has no matches');
  const others = pages.filter(({ query }) => query !== null && query !== '');
  if (all.total !== null) return byTotal(all, others, registrySize);
  if (registrySize !== null && registrySize <= all.rows.length)
    return sure(true, `a search without a query returns ${all.rows.length} companies of ${registrySize}`);
  const isLongest = others.every(({ rows }) => rows.length <= all.rows.length);
  const hasMore = pages.some(
    ({ query, exchange, rows, keys }) =>
      (query === null || query === '') &&
      !isFirstPage(exchange) &&
      rows.length > 0 &&
      !all.keys.includes(keys[0] ?? ''),
  );
  if (isLongest && hasMore) return likely(true, 'a search without a query has a full page and further pages');
  if (isTruncated(all, pages) === 'no' && !isLongest)
    return likely(false, `a search without a query finds ${all.rows.length} companies`);
  if (!isLongest) return open(false, 'a search without a query has fewer rows than another');
  return registrySize !== null || isTruncated(all, pages) !== 'no'
    ? likely(true, 'a search without a query returns a full page')
    : open(false, 'a search without a query returns few companies, and no total');
}

/** Judges by refused empty queries. A refusal because of too many matches shows nothing. */
function byRefusals(empty: readonly Exchange[]): Finding<boolean> {
  const because = 'the API refuses a search without a query';
  if (empty.some(isTooBroad)) return open(false, `${because}, because it has too many matches`);
  return empty.some(({ text }) => text.trim() !== '')
    ? sure(false, because)
    : likely(false, `${because}, perhaps for another reason`);
}

function byTotal(
  all: SearchPage,
  others: readonly SearchPage[],
  registrySize: number | null,
): Finding<boolean> {
  const total = all.total ?? 0;
  const largest = Math.max(0, ...others.map((page) => page.total ?? 0));
  const because = `a search without a query has the total ${total}`;
  if (total < largest) return sure(false, `${because}, another query has ${largest}`);
  if (registrySize === null) return likely(true, `${because}, the largest of all queries`);
  if (total >= registrySize) return sure(true, `${because}, the registry count`);
  // The upstream may cap totals, or the registry count may include other entities.
  return 2 * total >= registrySize || total % 100 === 0
    ? likely(true, `${because} of ${registrySize}, the largest of all queries`)
    : likely(false, `${because} of ${registrySize}`);
}

/** Finds the cap on totals from the empty query: its total is a round number below the registry count. */
export function findClampOfAll(
  pages: readonly SearchPage[],
  fullListing: Finding<boolean>,
  registrySize: number | null,
): Finding<number> | null {
  const total = pages.find(({ exchange }) => isEmptyQuery(exchange))?.total ?? null;
  if (!fullListing.value || total === null || registrySize === null) return null;
  return total >= 100 && total % 100 === 0 && total < registrySize
    ? likely(total, `the total of all is ${total}, but the registry has ${registrySize} companies`)
    : null;
}

/** Returns the min query length, or 0 if an empty query lists the whole registry. */
export function minLengthWithEmptyQuery(
  minLength: Finding<number>,
  fullListing: Finding<boolean>,
): Finding<number> {
  if (fullListing.value && fullListing.certainty !== 'open') return { ...fullListing, value: 0 };
  if (minLength.value > 1) return minLength;
  const { certainty, because } = fullListing;
  if (certainty === 'open') return open(1, because);
  return certainty === 'likely' && minLength.certainty === 'sure' ? likely(1, because) : minLength;
}
