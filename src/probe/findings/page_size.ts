import { broadest, broadQuery, toQueryParam } from '../broad_queries.ts';
import type {
  Conclusions,
  IsWhole,
  PagePosition,
  SearchConclusions,
  SearchPage,
  SizeFacts,
} from '../conclusions.ts';
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
  wasRefused,
  wasSent,
} from '../evidence.ts';
import { candidatesFor, roleOfParam } from '../param_roles.ts';
import { refusesUnknownParams } from '../refusals.ts';
import { isFirstPage, isTruncated, sizesSent } from '../search_pages.ts';
import { SIZE_PARAMS } from '../word_lists.ts';
import { findMaxPageSize, HUGE, hasHugeSize, USUAL } from './max_page_size.ts';

/** Finds the default page size, the page size parameter and the max page size. */
export function findSize(
  pages: readonly SearchPage[],
  refusals: readonly Exchange[],
  isStrict: boolean,
): SizeFacts {
  const unsized = unsizedPages(pages.filter(({ exchange }) => isFirstPage(exchange)));
  const byDefault = unsized.length === 0 ? null : Math.max(...unsized.map(({ rows }) => rows.length));
  const isDefaultShown = unsized.some((page) => isTruncated(page, pages) === 'yes');
  const effective = findSizeParam(pages, byDefault);
  const accepted =
    effective.value === null
      ? (namedSizeParam(refusals) ?? (isStrict ? acceptedSizeParam(pages, refusals) : null))
      : null;
  const param =
    accepted === null
      ? effective
      : likely(accepted, 'the API names its limit, or accepts it and refuses other parameters');
  return { byDefault, isDefaultShown, param, maxSize: findMaxPageSize(pages, refusals, param) };
}

/** Returns the size parameter whose limit a refusal names, or null if there is none. */
function namedSizeParam(refusals: readonly Exchange[]): string | null {
  return errorHintsOf(refusals).tooLarge.find((name) => roleOfParam(name) === 'size') ?? null;
}

/**
 * Returns a size parameter that was the only one in a request and was not refused as unknown, or null if there is none.
 */
function acceptedSizeParam(pages: readonly SearchPage[], refusals: readonly Exchange[]): string | null {
  const limited = refusals.filter((refusal) => {
    const { maximum, unknown } = errorHintsOf([refusal]);
    return maximum !== null && unknown.length === 0;
  });
  const accepted = pages.filter((page) => !isMovedBeyond(page, pages)).map(({ exchange }) => exchange);
  for (const { request } of [...accepted, ...limited]) {
    const [only, ...others] = request.params.filter(([name]) => roleOfParam(name) === 'size');
    if (only !== undefined && others.length === 0) return only[0];
  }
  return null;
}

/**
 * Returns whether a page is empty although other pages for its query have rows. If so, the supposed size parameter
 * selects a page.
 */
function isMovedBeyond({ query, rows, exchange }: SearchPage, pages: readonly SearchPage[]): boolean {
  return (
    rows.length === 0 &&
    isFirstPage(exchange) &&
    pages.some((other) => other.query === query && other.rows.length > 0)
  );
}

/** Returns the non-empty pages that were requested without an effective size parameter. */
function unsizedPages(firstPages: readonly SearchPage[]): SearchPage[] {
  return firstPages.filter((page) => {
    const sizes = sizesSent(page).map(({ value }) => value);
    return page.rows.length > 0 && (sizes.length === 0 || areSmallSizesIgnored(page, sizes, firstPages));
  });
}

/** Finds the size parameter. The evidence is a page with exactly as many rows as the parameter's value. */
function findSizeParam(pages: readonly SearchPage[], byDefault: number | null): Finding<string | null> {
  const sized = pages.filter((page) => sizesSent(page).length > 0);
  const matching = sized.flatMap((page) => {
    const [size, ...others] = sizesSent(page).filter(({ value }) => value === page.rows.length);
    return size === undefined || others.length > 0 || isIndependent(page, size.name, pages)
      ? []
      : [{ page, size }];
  });
  // If two pages have as many rows as two values of the same parameter, this is rarely a coincidence.
  const isRepeated = ({ name, value }: (typeof matching)[number]['size']) =>
    matching.some(({ size }) => size.name === name && size.value !== value);
  const possible = matching.filter(
    ({ page, size }) => isNeverExceeded(size.name, sized) && (!isByChance(page, pages) || isRepeated(size)),
  );
  const best = possible.find(({ page }) => hasMoreRows(page, pages)) ?? possible[0];
  if (best !== undefined) {
    const { page, size } = best;
    const because = `${size.name}=${size.value} returned ${size.value} rows`;
    return hasMoreRows(page, pages) && isContrasted(page, pages)
      ? sure(size.name, because)
      : likely(size.name, because);
  }
  const ignored = sized.find((page) => sizesSent(page).length > 3 && isIgnored(page, byDefault, pages));
  if (ignored !== undefined)
    return likely(null, `${sizesSent(ignored).length} likely parameters had no effect`);
  return open(null, 'no parameter changed the number of rows yet');
}

/**
 * Returns whether the upstream ignored all size parameters in a request: the page is truncated, but has none of the
 * requested sizes.
 */
function isIgnored(page: SearchPage, byDefault: number | null, pages: readonly SearchPage[]): boolean {
  const sizes = sizesSent(page).map(({ value }) => value);
  const isLarger = page.rows.length > 0 && sizes.every((size) => size < page.rows.length);
  return (isLarger && page.rows.length === byDefault) || areSmallSizesIgnored(page, sizes, pages);
}

function areSmallSizesIgnored(
  page: SearchPage,
  sizes: readonly number[],
  pages: readonly SearchPage[],
): boolean {
  const { length } = page.rows;
  const isSmall = sizes.every((size) => size < HUGE && size !== length);
  return length > 0 && isSmall && isTruncated(page, pages) === 'yes';
}

/**
 * Returns whether another page has the same number of rows although it was requested with another value or without the
 * parameter. If so, the parameter does not explain the number of rows.
 */
function isIndependent(page: SearchPage, param: string, pages: readonly SearchPage[]): boolean {
  const size = paramOf(page.exchange, param);
  return pages.some(
    (other) =>
      other !== page &&
      other.rows.length === page.rows.length &&
      paramOf(other.exchange, param) !== size &&
      isTruncated(other, pages) !== 'no',
  );
}

/**
 * Returns whether the page has all matches. If so, its number of rows may be one of the many requested sizes by chance.
 */
function isByChance(page: SearchPage, pages: readonly SearchPage[]): boolean {
  return sizesSent(page).length > 3 && isTruncated(page, pages) === 'no' && !hasMoreRows(page, pages);
}

/**
 * Returns whether another page has more rows than this page. If so, the upstream's own limit does not explain the
 * number of rows on this page.
 */
function isContrasted(page: SearchPage, pages: readonly SearchPage[]): boolean {
  return pages.some(({ rows }) => rows.length > page.rows.length);
}

/** Returns whether no page has more rows than this parameter requested. */
function isNeverExceeded(name: string, sized: readonly SearchPage[]): boolean {
  return sized.every((page) =>
    sizesSent(page).every((size) => size.name !== name || page.rows.length <= size.value),
  );
}

/**
 * Returns whether the listing has rows after this page. If so, the page is not short merely because it is the last
 * page.
 */
function hasMoreRows(page: SearchPage, pages: readonly SearchPage[]): boolean {
  if (isFirstPage(page.exchange) && isTruncated(page, pages) === 'yes') return true;
  const last = page.keys.at(-1) ?? '';
  return pages.some((other) => other !== page && other.query === page.query && isFollowed(last, other.keys));
}

function isFollowed(key: string, keys: readonly string[]): boolean {
  const at = keys.indexOf(key);
  return at !== -1 && at < keys.length - 1;
}

/**
 * Returns the page sizes that may have applied to a request: the effective size parameter's value or, if none is known,
 * all sizes that fit the number of rows.
 */
export function pageSizesOf(
  page: SearchPage,
  { param, byDefault, isDefaultShown, maxSize }: SizeFacts,
  shift: PagePosition['shift'] = 0,
): number[] {
  const rows = page.rows.length;
  const effective = page.exchange.request.params.find(([name]) => name === param.value);
  if (param.certainty === 'sure' && effective !== undefined)
    return [Math.min(Number(effective[1]), Math.max(maxSize.value.rows, rows))];
  const usual = Math.max(byDefault ?? 1, rows);
  const sizes = sizesSent(page);
  // The last page can have fewer rows than its page size.
  const fullest = param.value === null ? [Math.max(usual, maxSize.value.rows)] : [];
  const larger = isDefaultShown || shift === 'beyond' ? [] : divisorsOf(shift).filter((size) => size > usual);
  if (sizes.length === 0) return [...new Set([usual, ...fullest, ...larger])];
  const isLast = shift === 'beyond' || page.total === null || shift + rows >= page.total;
  const sent = isLast ? sizes.map(({ value }) => value).filter((value) => value > rows) : [];
  return [...new Set([rows, usual, ...sent, ...fullest, ...larger])];
}

/** Returns the page sizes that divide `shift` without a remainder. */
function divisorsOf(shift: number): number[] {
  return Array.from({ length: shift }, (_, index) => index + 1).filter((size) => shift % size === 0);
}

/**
 * Returns a function that tests whether a page has all of its query's matches. `clamp` is the cap on totals, or null if
 * there is none.
 */
export function wholeness(pages: readonly SearchPage[], size: SizeFacts, clamp: number | null): IsWhole {
  const most = Math.max(0, ...pages.map(({ rows }) => rows.length));
  return (page) => {
    const { total, rows, exchange } = page;
    if (!isFirstPage(exchange)) return false;
    if (total !== null && total !== clamp) return rows.length >= total;
    if (sizesSent(page).length > 0 && size.param.value === null) return false;
    // No page size is 0, so an empty page was not truncated.
    if (rows.length === 0) return true;
    // If the page is as long as the longest page, an unknown limit may have truncated it.
    return rows.length < Math.min(...pageSizesOf(page, size), most);
  };
}

/**
 * Drafts one request with all likely size parameters or, if the upstream refuses unknown parameters, one request for
 * each of them.
 */
export function probeSizeParam(conclusions: Conclusions, search: SearchConclusions): SearchDraft | null {
  const { searches } = conclusions.query;
  const { param } = search.size;
  const base = broadest(search);
  if (base === null || param.value !== null || param.certainty === 'likely') return null;
  const isStrict = refusesUnknownParams(searches);
  const drafts = isStrict
    ? draftsOneByOne(conclusions, search, base)
    : draftsTogether(conclusions, search, base);
  const isNew = ({ params }: SearchDraft) =>
    !wasSent(searches, params) && !(isStrict && wasRefused(searches, params));
  return drafts.find(isNew) ?? null;
}

/** Drafts a request with a size parameter that the API names, if a query has more matches than a page has rows. */
export function probeNamedSize(conclusions: Conclusions, search: SearchConclusions): SearchDraft | null {
  const { pages } = search;
  const isNamed = conclusions.query.stated.allowed.some((name) => roleOfParam(name) === 'size');
  const isUseful = isNamed && pages.some((page) => isTruncated(page, pages) !== 'no');
  return isUseful ? probeSizeParam(conclusions, search) : null;
}

/**
 * Drafts the request from `probeNamedSize` if the next page cannot be requested, so that further matches are out of
 * reach.
 */
export function probeNecessarySize(conclusions: Conclusions, search: SearchConclusions): SearchDraft | null {
  return search.paging.value === null ? probeNamedSize(conclusions, search) : null;
}

/**
 * Drafts a request with huge sizes first, because its response also shows the max page size, then a request with small
 * sizes.
 */
function draftsTogether(
  conclusions: Conclusions,
  search: SearchConclusions,
  base: SearchPage,
): SearchDraft[] {
  const { searches } = conclusions.query;
  if (!searches.some(hasHugeSize)) {
    const sizes = SIZE_PARAMS.map((name, index): Param => [name, String(HUGE + index)]);
    const query = broadQuery(conclusions, search, base);
    return [{ params: [toQueryParam(conclusions, query), ...sizes], why: 'how many rows fit on a page?' }];
  }
  // The paging probe sends small sizes too. Small sizes need a separate probe only if too few rows are known to
  // distinguish pages, or if no paging probe will follow.
  const isPagingKnown = search.paging.certainty === 'sure';
  if (isPagingKnown ? !hadEffect(conclusions, search) : base.ids.length >= ENOUGH_ROWS) return [];
  const wasSmall = searches.some(({ request }) => request.why === WHY_SMALL_SIZES);
  const query = wasSmall ? base.query : broadQuery(conclusions, search, base);
  return [
    {
      params: [toQueryParam(conclusions, query), ...distinctSizes(search, 12)],
      why: WHY_SMALL_SIZES,
    },
  ];
}

const WHY_SMALL_SIZES = 'which parameter sets the page size?';
const ENOUGH_ROWS = 20;

/** Returns whether huge sizes had an effect: a refusal, or a page with more rows than the default page size. */
function hadEffect({ query }: Conclusions, { pages, size }: SearchConclusions): boolean {
  const isRefused = query.searches.some((search) => search.reading !== 'ok' && hasHugeSize(search));
  return isRefused || pages.some(({ rows }) => rows.length > (size.byDefault ?? 0));
}

function draftsOneByOne(
  conclusions: Conclusions,
  search: SearchConclusions,
  base: SearchPage,
): SearchDraft[] {
  // If the API explains its refusals, a huge size is sent, because the error message then names the limit.
  const small = search.size.byDefault === 3 ? 4 : 3;
  const size = conclusions.query.stated.refusesUnknown ? HUGE : small;
  return likeliest(candidatesFor('size', SIZE_PARAMS, conclusions.query), search)
    .slice(0, 4)
    .map((name) => ({
      params: [toQueryParam(conclusions, base.query), [name, String(size)]],
      why: `does ${name} set the page size?`,
    }));
}

/**
 * Returns every size parameter with its own value. The values start at `from`, and none of them is the number of rows
 * on a known page.
 */
export function distinctSizes({ pages }: SearchConclusions, from: number): Param[] {
  const seen = new Set(pages.map(({ rows }) => rows.length));
  const sizes = Array.from({ length: SIZE_PARAMS.length + seen.size }, (_, index) => index + from);
  const unseen = sizes.filter((size) => !seen.has(size));
  return SIZE_PARAMS.map((name, index): Param => [name, String(unseen[index])]);
}

/** Sorts parameter names. Names that also occur as keys in a response come first. */
export function likeliest(names: readonly string[], { pages }: SearchConclusions): string[] {
  const text = pages[0]?.exchange.text.slice(0, 4000) ?? '';
  const isKey = (name: string) => text.includes(`"${name}"`);
  return [...names.filter(isKey), ...names.filter((name) => !isKey(name))];
}

/**
 * Returns the size parameter for searches that have another purpose. Its value is the largest proven size or, if that
 * is below `USUAL`, the next size to try. Returns [] if no size parameter is known.
 */
export function nextSizeParams({ size: { param, maxSize } }: SearchConclusions): Param[] {
  const { rows, next } = maxSize.value;
  const isRefusalAcceptable = next !== null && rows < USUAL;
  return param.value === null ? [] : [[param.value, String(isRefusalAcceptable ? next : rows)]];
}
