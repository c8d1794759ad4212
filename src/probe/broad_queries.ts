import { loosely } from '../names/loose_matching.ts';
import type { Conclusions, SearchConclusions, SearchPage } from './conclusions.ts';
import { type Exchange, type Param, type SearchDraft, wasSent } from './evidence.ts';
import { isFirstPage, isTruncated } from './search_pages.ts';
import { LETTERS, PREFIXES, SEED_QUERIES } from './word_lists.ts';

/** Chooses queries with many matches. Their responses show the page size and the paging. */

/** Returns the longest first page for the query with the most matches, or null if no page had rows. */
export function broadest({ pages }: SearchConclusions): SearchPage | null {
  const first = pages.filter(
    ({ rows, query, exchange }) => rows.length > 0 && query !== null && isFirstPage(exchange),
  );
  const weight = (page: SearchPage) =>
    TRUNCATED_WEIGHT[isTruncated(page, pages)] + Math.min(page.total ?? 0, 1e5) * 10 + page.rows.length;
  const [best] = [...first].sort((a, b) => weight(b) - weight(a));
  if (best === undefined) return null;
  const same = first.filter(({ query }) => query === best.query);
  return same.reduce((longest, page) => (page.rows.length > longest.rows.length ? page : longest), best);
}

const TRUNCATED_WEIGHT = { yes: 2e6, maybe: 1e6, no: 0 };

/** Sends a query that should have more matches than fit on one page, so that there are several different pages. */
export function probeBreadth(conclusions: Conclusions, search: SearchConclusions): SearchDraft | null {
  const { query: evidence, queryParam, minQueryChars, registrySize } = conclusions;
  const { pages, size } = search;
  const isStrict = isSmallAndStrict(conclusions);
  if (pages.some((page) => isProbablyTruncated(page, pages, isStrict))) return null;
  // If the page size can be set, a few matches are enough for several pages.
  const most = Math.max(0, ...pages.map(({ rows }) => rows.length));
  if (size.param.value !== null && most >= ENOUGH_FOR_PAGES) return null;
  const maxQueries = (registrySize ?? Infinity) <= SMALL_REGISTRY ? FEW_QUERIES : MAX_QUERIES;
  const isWord = search.queryRule.value === 'token';
  const tried = evidence.searches.filter(({ request }) => request.why === WHY).length;
  const isOver = isStrict
    ? tried >= (isWord ? 2 : 1)
    : pages.filter(({ query }) => query !== null).length >= maxQueries;
  if (isOver) return null;
  const param = queryParam.value ?? '';
  const query = broaderQuery(search, param, minQueryChars, evidence.searches);
  const isRare = isStrict && !isWord && (query?.length ?? 0) > MAX_BROAD_CHARS;
  return query === null || isRare ? null : { params: [[param, query]], why: WHY };
}

const WHY = 'which query has more than one page of matches?';

/**
 * Returns whether a page may have a next page. In a small registry, a page of ten rows can be the whole result by
 * chance, so totals decide if the upstream reports them and parameter names must be guessed one by one.
 */
export function isProbablyTruncated(
  page: SearchPage,
  pages: readonly SearchPage[],
  isStrict: boolean,
): boolean {
  const truncated = isTruncated(page, pages);
  if (truncated !== 'maybe') return truncated === 'yes';
  return !isStrict || (page.rows.length >= 10 && pages.every(({ total }) => total === null));
}

/** Mirroring a registry with at most this many companies costs only a few more calls than further probes. */
export const SMALL_REGISTRY = 500;

/**
 * Returns whether the registry is small and the API refuses, or might refuse, unknown parameters. Until the statistics
 * have been requested, the registry counts as small.
 */
export function isSmallAndStrict({ query, registrySize, nextAddress }: Conclusions): boolean {
  const mostCompanies = registrySize ?? (nextAddress === null ? Infinity : 0);
  return mostCompanies <= SMALL_REGISTRY && query.mayBeStrict;
}

const ENOUGH_FOR_PAGES = 8;
// In a small registry, only very short queries have more matches than a page has rows.
const MAX_BROAD_CHARS = 2;
const MAX_QUERIES = 5;
// A small registry has few queries with more matches than fit on a page, so only this many are tried.
const FEW_QUERIES = 3;

/**
 * Returns the query with the most matches so far, or a new query if that query has too few matches to fill a large
 * page.
 */
export function broadQuery(
  { queryParam, query: { searches }, minQueryChars }: Conclusions,
  search: SearchConclusions,
  base: SearchPage,
): string | null {
  // A one-letter query also shows whether the upstream accepts queries that short.
  const isLetterUseful =
    search.minQueryLength.certainty === 'open' && !search.queryRule.possible.includes('token');
  if (base.total !== null && base.total > ENOUGH_FOR_LARGE_PAGE && !isLetterUseful) return base.query;
  return broaderQuery(search, queryParam.value ?? '', minQueryChars, searches) ?? base.query;
}

const ENOUGH_FOR_LARGE_PAGE = 200;

/** Returns the query parameter with a query as its value. */
export function toQueryParam({ queryParam }: Conclusions, query: string | null): Param {
  return [queryParam.value ?? '', query ?? ''];
}

/** Returns a query that has not been sent before and should have many matches under every possible query rule. */
function broaderQuery(
  search: SearchConclusions,
  param: string,
  minLength: number,
  searches: readonly Exchange[],
): string | null {
  const { pages } = search;
  const length = Math.max(
    minLength,
    ...pages.filter(isUnexpectedlyEmpty).map(({ query }) => query.length + 1),
  );
  const isNew = (query: string) =>
    query.length >= length &&
    !wasSent(searches, [[param, query]]) &&
    !pages.some((page) => page.query === query);
  return broadQueries(search, length).find(isNew) ?? null;
}

/**
 * Returns whether a frequent letter or beginning of a name has no matches. The upstream then probably returns nothing
 * for queries that short.
 */
function isUnexpectedlyEmpty(page: SearchPage): page is SearchPage & { readonly query: string } {
  const { query, rows } = page;
  return query !== null && rows.length === 0 && SHORT_QUERIES.has(query);
}

const SHORT_QUERIES: ReadonlySet<string> = new Set([
  ...LETTERS.slice(0, 8),
  ...SEED_QUERIES.slice(0, 8).filter((query) => query.length <= 2),
]);

/**
 * Returns queries that should have many matches: letters and short prefixes or, if a query must be a whole word,
 * frequent words and legal forms.
 */
function broadQueries({ known, queryRule: { possible } }: SearchConclusions, minLength: number): string[] {
  const names = known.map(({ name }) => loosely(name));
  const prefixes = frequent(names.map((name) => [...name].slice(0, minLength).join(''))).filter((prefix) =>
    /^\p{L}+$/u.test(prefix),
  );
  const [first, second] = prefixes;
  if (!possible.includes('token')) {
    // If a query can match any word in a name, the prefixes of all words are counted, not only the prefixes of whole
    // names.
    const isSubstring = possible.every((rule) => rule === 'substring');
    const [letter, other] = possible.includes('prefix')
      ? prefixes
      : frequentParts(names, minLength, isSubstring);
    // If all known names begin in the same way, a query for that prefix found them, and its matches may be few.
    const general = ['a', 's', 'm', ...PREFIXES];
    const queries = other === undefined ? [...general, letter] : [letter, other, ...general];
    return queries.filter((query) => query !== undefined);
  }
  // A word that is in nearly all known names is probably the query that found these names. Words with diacritics are
  // omitted, because the upstream may fold them.
  const all = known.flatMap(({ name }) => [...new Set(name.toLowerCase().match(/\p{L}{2,}/gu))]);
  const words = frequent(all).filter(
    (word) =>
      word === loosely(word) && names.filter((name) => name.includes(word)).length < names.length * 0.8,
  );
  // A word in only one or two known names shows little about the other names.
  const isFrequent = names.filter((name) => name.includes(words[0] ?? '')).length >= FREQUENT_IN;
  const [start, ...others] = isFrequent ? words : ['limited', ...words];
  const queries = possible.includes('prefix')
    ? [start, first, 'limited', others[0], second]
    : [start, 'limited', others[0], 'services', others[1]];
  return queries.filter((query) => query !== undefined);
}

const FREQUENT_IN = 3;

/**
 * Returns the word prefixes with `length` letters in the names, most frequent first. With `isAnywhere`, parts from the
 * middle of a word count too.
 */
function frequentParts(names: readonly string[], length: number, isAnywhere: boolean): string[] {
  const partsOf = (word: string) => {
    const characters = [...word];
    const count = isAnywhere ? characters.length - length + 1 : 1;
    return Array.from({ length: Math.max(0, count) }, (_, from) =>
      characters.slice(from, from + length).join(''),
    );
  };
  return frequent(names.flatMap((name) => [...new Set((name.match(/\p{L}+/gu) ?? []).flatMap(partsOf))]));
}

function frequent(items: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([item]) => item);
}
