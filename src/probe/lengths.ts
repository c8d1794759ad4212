import { type Finding, likely, open, type ProbeExchange, sure } from './exchange.ts';
import { isEmptyQuery, isFirstPage, isOtherForm, isTruncated, type SearchPage, sizesSent } from './pages.ts';

/** Hypotheses and evidence about the shortest query, and about searches without a query. */

/**
 * Judges the min query length: the fewest characters that the upstream accepts in a query. `stated` is the length in an
 * error, or 1.
 */
export function findMinLength(pages: readonly SearchPage[], stated: number): Finding<number> {
  const shortest = shortestWithRows(pages);
  if (stated > 1 && (shortest === null || lengthOf(shortest) >= stated))
    return sure(stated, 'an error states it');
  if (shortest === null) return open(1, 'no query had matches yet');
  const upper = lengthOf(shortest);
  if (upper === 1) return sure(1, `"${shortest}" has matches`);
  return open(1, `no query shorter than "${shortest}" had matches`);
}

function shortestWithRows(pages: readonly SearchPage[]): string | null {
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
  searches: readonly ProbeExchange[],
  registrySize: number | null,
): Finding<boolean> {
  const empty = searches.filter(isEmptyQuery).filter(({ reading }) => reading !== 'broken');
  if (empty.length === 0) return open(false, 'no search without a query was sent');
  const [all] = pages
    .filter(({ exchange }) => empty.includes(exchange))
    .sort((a, b) => b.rows.length - a.rows.length);
  if (all === undefined) return sure(false, 'the API refuses a search without a query');
  if (all.rows.length === 0) return sure(false, 'a search without a query has no matches');
  const others = pages.filter(({ query }) => query !== null && query !== '' && !isOtherForm(query));
  if (all.total !== null) return byTotal(all, others, registrySize);
  const oneList = oneListSize(pages);
  if (oneList !== null)
    return likely(
      true,
      `every response has the same ${oneList} companies, and their number is no usual limit`,
    );
  // A short page with a sign that rows follow is the first of several.
  const isLongest =
    isTruncated(all, pages) === 'yes' || others.every(({ rows }) => rows.length <= all.rows.length);
  const laterPages = pages.filter(
    ({ query, exchange, rows }) =>
      (query === null || query === '') && !isFirstPage(exchange) && rows.length > 0,
  );
  if (isLongest && laterPages.some(({ keys }) => !all.keys.includes(keys[0] ?? '')))
    return likely(true, 'a search without a query has a full page and further pages');
  if (isLongest && laterPages.length > 0 && isTruncated(all, pages) === 'no')
    return likely(true, `a search without a query has pages, and ends after ${all.rows.length} companies`);
  if (!isLongest) return open(false, 'a search without a query has fewer rows than another');
  return registrySize !== null || isTruncated(all, pages) !== 'no'
    ? likely(true, 'a search without a query returns a full page')
    : open(false, 'a search without a query returns few companies, and no total');
}

/**
 * Returns the number of companies if the API has one list of all, and null otherwise. Its number of rows is no usual
 * limit, and a request for another page, or for more rows, returned the same list.
 */
export function oneListSize(pages: readonly SearchPage[]): number | null {
  const most = Math.max(0, ...pages.map(({ rows }) => rows.length));
  const whole = pages.filter(({ rows }) => rows.length === most);
  const isSameList = pages.every(
    (page) =>
      page.keys[0] === whole[0]?.keys[0] &&
      isTruncated(page, pages) !== 'yes' &&
      (whole.includes(page) || sizesSent(page).some(({ value }) => value === page.rows.length)),
  );
  const asksForMore = (page: SearchPage) =>
    !isFirstPage(page.exchange) || sizesSent(page).some(({ value }) => value > most);
  const isShown = whole.length > 1 && isSameList && whole.some(asksForMore);
  return isShown && most > FEW_COMPANIES && !isUsualLimit(most) ? most : null;
}

const FEW_COMPANIES = 100;

/** Limits are round, such as 250 or 1,024, or one less. */
function isUsualLimit(rows: number): boolean {
  return [rows, rows + 1].some((limit) => limit % 25 === 0 || limit % 64 === 0);
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
