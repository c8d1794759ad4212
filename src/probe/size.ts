import { type Finding, likely, open, type ProbeExchange, paramOf, sure } from './exchange.ts';
import { unlessGiven } from './given.ts';
import { isFirstPage, isTruncated, type SearchPage, sizesSent } from './pages.ts';
import { isLimitFor, ownNames, type ParamBeliefs } from './params.ts';
import { roleOfParam, usualNames } from './words.ts';

/** Hypotheses and evidence about the page size: the default, the parameter and the max page size. */

export interface SizeFacts {
  /** How many rows a page has if the request has no size parameter. Null if no page had rows. */
  readonly byDefault: number | null;
  readonly param: Finding<string | null>;
  readonly maxSize: Finding<MaxPageSize>;
  /** Names that did not change the number of rows on a truncated page. */
  readonly ignored: ReadonlySet<string>;
  /** Names of which one made a page longer than the default. Empty if the parameter is known. */
  readonly suspects: readonly string[];
}

interface MaxPageSize {
  /** The largest page size that a response has proven, in rows. */
  readonly rows: number;
  /** The page size to try next, or null if all sizes have been tried. */
  readonly next: number | null;
}

/** A page size that exceeds the usual limits. */
export const HUGE = 1000;

/** The max page size in most APIs. */
export const USUAL = 100;

export function findSize(
  pages: readonly SearchPage[],
  refusals: readonly ProbeExchange[],
  params: ParamBeliefs,
  stated: {
    readonly param: string | null;
    readonly maxSize: number | null;
    readonly given?: { readonly size_param?: string | null | undefined; readonly size?: number | undefined };
  },
): SizeFacts {
  const { given = {} } = stated;
  const first = pages.filter((page) => isFirstPage(page.exchange) && page.rows.length > 0);
  const bare = first.filter((page) => sizesSent(page).length === 0);
  const unsized = bare.length > 0 ? bare : first.filter((page) => areSizesIgnored(page, pages));
  const byDefault = unsized.length === 0 ? null : Math.max(...unsized.map(({ rows }) => rows.length));
  const ignored = new Set(
    pages
      .filter((page) => isIgnored(page, byDefault, pages))
      .flatMap((page) => sizesSent(page).map(({ name }) => name)),
  );
  const suspects = suspectsIn(pages, byDefault).filter((name) => !ignored.has(name));
  const effective = findSizeParam(pages, ignored, suspects, byDefault);
  const accepted =
    effective.value === null && params.mayBeStrict ? acceptedParam(pages, refusals, params) : null;
  const learned =
    accepted !== null
      ? likely(accepted, 'the API accepts it, and refuses other parameters')
      : effective.certainty === 'open' && stated.param !== null && !params.refused.has(stated.param)
        ? likely(stated.param, 'the document states it')
        : effective;
  const param = unlessGiven(given.size_param, learned);
  const maxSize = findMaxPageSize(pages, refusals, params, param);
  const isStated = stated.maxSize !== null && param.value === stated.param && maxSize.certainty === 'open';
  return {
    byDefault,
    ignored,
    suspects: param.value === null ? suspects : [],
    param,
    maxSize: unlessGiven(
      given.size === undefined ? undefined : { rows: given.size, next: null },
      isStated ? likely({ rows: stated.maxSize ?? 1, next: null }, 'the document states it') : maxSize,
    ),
  };
}

/**
 * Returns whether a page is followed by others although it is shorter than another one, so that a short page need not be
 * the last one. A total shows the last page better.
 */
export function areUneven(
  pages: readonly SearchPage[],
  paging: { readonly param: string; readonly first: number },
): boolean {
  if (pages.some(({ total }) => total !== null)) return false;
  const numberOf = ({ exchange }: SearchPage) => Number(paramOf(exchange, paging.param) ?? paging.first);
  const bySize = Map.groupBy(pages, (page) => JSON.stringify(sizesSent(page)));
  return [...bySize.values()].some((alike) => {
    const full = Math.max(...alike.map(({ rows }) => rows.length));
    return alike.some(
      (page) =>
        page.rows.length > 0 &&
        page.rows.length < full &&
        (isTruncated(page, pages) === 'yes' ||
          alike.some(
            (later) =>
              later.query === page.query && later.rows.length > 0 && numberOf(later) > numberOf(page),
          )),
    );
  });
}

/**
 * Judges the size parameters.
 * For: a page has exactly as many rows as the parameter's value, although the query has more matches.
 * Against: a page has more rows than the value; another page has the same number of rows with another value.
 */
function findSizeParam(
  pages: readonly SearchPage[],
  ignored: ReadonlySet<string>,
  suspects: readonly string[],
  byDefault: number | null,
): Finding<string | null> {
  // The rows that are left for the last page can be as many as one of the sizes.
  const mayBeRest = ({ exchange, total, rows }: SearchPage) =>
    !isFirstPage(exchange) && rows.length === (total ?? 0) % (byDefault ?? 1);
  const sized = pages.filter((page) => sizesSent(page).length > 0 && !mayBeRest(page));
  const matching = sized.flatMap((page) => {
    const [size, ...others] = sizesSent(page).filter(({ value }) => value === page.rows.length);
    return size === undefined || others.length > 0 || isIndependent(page, size.name, pages)
      ? []
      : [{ page, size }];
  });
  const isExceeded = (name: string) =>
    sized.some((page) => sizesSent(page).some((size) => size.name === name && page.rows.length > size.value));
  // Two pages with as many rows as two values of the same parameter are rarely a coincidence.
  const isRepeated = ({ name, value }: (typeof matching)[number]['size']) =>
    matching.some(({ size }) => size.name === name && size.value !== value);
  const possible = matching.filter(
    ({ page, size }) =>
      !isExceeded(size.name) &&
      (sizesSent(page).length <= 3 ||
        hasMoreRows(page, pages) ||
        isTruncated(page, pages) !== 'no' ||
        isRepeated(size)),
  );
  const best = possible.find(({ page }) => hasMoreRows(page, pages)) ?? possible[0];
  if (best !== undefined) {
    const { page, size } = best;
    const because = `${size.name}=${size.value} returns ${size.value === 1 ? '1 row' : `${size.value} rows`}`;
    const isContrasted = pages.some(({ rows }) => rows.length > page.rows.length);
    // One of many values can equal the default page size by chance.
    const isShown = sizesSent(page).length <= 3 || isRepeated(size);
    return isShown && hasMoreRows(page, pages) && isContrasted
      ? sure(size.name, `${because}, another page has more`)
      : likely(size.name, because);
  }
  if (suspects.length > 0) return open(null, 'one of several parameters makes pages longer');
  if (ignored.size > FEW_NAMES) return likely(null, `${ignored.size} likely parameters had no effect`);
  return open(null, 'no parameter changed the number of rows yet');
}

/** If so few names had no effect, the API can have a usual one. */
const FEW_NAMES = 3;

/** Returns the names that were sent with at least as many rows as each page that is longer than the default. */
function suspectsIn(pages: readonly SearchPage[], byDefault: number | null): string[] {
  const sets = pages.flatMap((page) => {
    const { length } = page.rows;
    const sent = sizesSent(page).filter(({ value }) => value >= length);
    return byDefault !== null && length > byDefault && sent.length > 0 ? [sent.map(({ name }) => name)] : [];
  });
  return sets.reduce((all, names) => all.filter((name) => names.includes(name)), sets[0] ?? []);
}

function isIgnored(page: SearchPage, byDefault: number | null, pages: readonly SearchPage[]): boolean {
  const { length } = page.rows;
  const sizes = sizesSent(page).map(({ value }) => value);
  const isLarger = length > 0 && sizes.every((value) => value < length);
  const isCut = isTruncated(page, pages) !== 'no' && !sizes.includes(length);
  return sizes.length > 0 && length === byDefault && (isLarger || isCut);
}

/** Returns whether small sizes had no effect: the page is truncated, but has none of the requested sizes. */
function areSizesIgnored(page: SearchPage, pages: readonly SearchPage[]): boolean {
  const { length } = page.rows;
  const isSmall = sizesSent(page).every(({ value }) => value < HUGE && value !== length);
  return length > 0 && isSmall && isTruncated(page, pages) === 'yes';
}

/** Returns whether another page has the same number of rows with another value or without the parameter. */
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

/** Returns whether the listing has rows after this page, so that it is not short because it is the last page. */
function hasMoreRows(page: SearchPage, pages: readonly SearchPage[]): boolean {
  if (isFirstPage(page.exchange) && isTruncated(page, pages) === 'yes') return true;
  const last = page.keys.at(-1) ?? '';
  return pages.some((other) => {
    const at = other === page || other.query !== page.query ? -1 : other.keys.indexOf(last);
    return at !== -1 && at < other.keys.length - 1;
  });
}

/** Returns a size parameter that a strict API has: it was the only one in a successful search. */
function acceptedParam(
  pages: readonly SearchPage[],
  refusals: readonly ProbeExchange[],
  params: ParamBeliefs,
): string | null {
  const isMoved = ({ query, rows, exchange }: SearchPage) =>
    rows.length === 0 &&
    isFirstPage(exchange) &&
    pages.some((other) => other.query === query && other.rows.length > 0);
  const accepted = pages.filter((page) => !isMoved(page)).map(({ exchange }) => exchange);
  // A parameter that was sent only in refused requests is adopted only if the API has shown that it has it.
  const limited = refusals.filter(({ request }) => request.params.some(([name]) => params.known.has(name)));
  for (const { request } of [
    ...accepted,
    ...limited.filter((refusal) => limitsIn(refusal, params).length > 0),
  ]) {
    const [only, ...others] = request.params.filter(([name]) => roleOfParam(name) === 'size');
    const isUsual = only !== undefined && (isUsualSize(only[0]) || ownNames('size', params).length === 1);
    if (only !== undefined && isUsual && others.length === 0 && !params.refused.has(only[0])) return only[0];
  }
  return null;
}

function isUsualSize(name: string): boolean {
  return usualNames('size', { sigil: '', joins: ['snake', 'camel', 'kebab'] }).includes(
    name.replace(/^\$/, ''),
  );
}

/** Returns the numbers in an error that may be the limit of a sent page size. */
export function limitsIn(
  refusal: ProbeExchange,
  { errors }: ParamBeliefs,
  param: string | null = null,
): number[] {
  const error = errors.get(refusal);
  if (error === undefined) return [];
  const sizes = refusal.request.params.filter(
    ([name, value]) =>
      (param === null ? roleOfParam(name) === 'size' : name === param) && /^\d+$/.test(value),
  );
  return sizes.flatMap(([name, value]) =>
    error.named.size > 0 && !error.named.has(name)
      ? []
      : error.numbers.filter((number) => isLimitFor(number, value)),
  );
}

/**
 * Finds the max page size. If a request asks for more rows, the API either refuses it or returns fewer rows. Fewer rows
 * are evidence only if the query has more matches than the page has rows.
 */
function findMaxPageSize(
  pages: readonly SearchPage[],
  refusals: readonly ProbeExchange[],
  params: ParamBeliefs,
  { value: param, certainty }: Finding<string | null>,
): Finding<MaxPageSize> {
  const most = Math.max(1, ...pages.map(({ rows }) => rows.length));
  if (param === null) {
    // A page that was requested with sizes may be longer than a page without them.
    const unsized = pages.filter((page) => sizesSent(page).length === 0 && page.rows.length > 0);
    const rows = Math.max(1, ...(unsized.length > 0 ? unsized : pages).map((page) => page.rows.length));
    const isFull = pages.some((page) => page.rows.length === rows && isTruncated(page, pages) === 'yes');
    const finding = certainty === 'likely' && isFull ? likely : open;
    return finding({ rows, next: null }, `no page had more than ${rows} rows`);
  }
  const limits = refusals
    .flatMap((refusal) => limitsIn(refusal, params, param))
    .filter((size) => size >= most);
  if (limits.length > 0) return sure({ rows: Math.max(...limits), next: null }, 'an error states it');
  const found = clampedSize(pages, most, param, refusals);
  return found.certainty === 'sure' && certainty !== 'sure' ? likely(found.value, found.because) : found;
}

function clampedSize(
  pages: readonly SearchPage[],
  most: number,
  param: string,
  refusals: readonly ProbeExchange[],
): Finding<MaxPageSize> {
  const clamped = pages.filter(
    (page) => page.rows.length === most && sizesIn(page.exchange, param).some((size) => size > most),
  );
  const because = `a request for more rows returns ${most}`;
  const isShown = (as: 'yes' | 'maybe') => clamped.some((page) => isTruncated(page, pages) === as);
  if (isShown('yes')) return sure({ rows: most, next: null }, because);
  if (isShown('maybe')) return likely({ rows: most, next: null }, because);
  const isHugeIn = (exchange: ProbeExchange) => sizesIn(exchange, param).some((size) => size >= HUGE);
  const tries = pages.filter(({ exchange, rows }) => isHugeIn(exchange) && rows.length * 2 >= most).length;
  // If a huge size was refused, the size may have been the reason, so no huge size is sent again.
  const next = refusals.some(isHugeIn) && most < USUAL ? USUAL : HUGE;
  return open({ rows: most, next: tries < 2 ? next : null }, `no page had more than ${most} rows`);
}

/** Returns the size parameter's value in a search, as a list with at most one number. */
function sizesIn(search: ProbeExchange, param: string): number[] {
  const text = paramOf(search, param);
  return text === null || !/^\d+$/.test(text) ? [] : [Number(text)];
}

/**
 * Returns the page sizes that may have applied to a request: the effective size parameter's value or, if none is known,
 * all sizes that fit the number of rows.
 */
export function pageSizesOf(
  page: SearchPage,
  { param, byDefault, maxSize }: SizeFacts,
  shift: number | 'beyond' = 0,
): number[] {
  const rows = page.rows.length;
  const effective = page.exchange.request.params.find(([name]) => name === param.value);
  if (param.certainty === 'sure' && effective !== undefined)
    return [Math.min(Number(effective[1]), Math.max(maxSize.value.rows, rows))];
  const usual = Math.max(byDefault ?? 1, rows);
  const sizes = sizesSent(page);
  // The last page can have fewer rows than its page size.
  const fullest = param.value === null ? [Math.max(usual, maxSize.value.rows)] : [];
  if (sizes.length === 0) return [...new Set([usual, ...fullest])];
  const isLast = shift === 'beyond' || page.total === null || shift + rows >= page.total;
  const sent = isLast ? sizes.map(({ value }) => value).filter((value) => value > rows) : [];
  return [...new Set([rows, usual, ...sent, ...fullest])];
}

/** Returns a function that tests whether a page has all of its query's matches. */
export function wholeness(pages: readonly SearchPage[], size: SizeFacts): (page: SearchPage) => boolean {
  const most = Math.max(0, ...pages.map(({ rows }) => rows.length));
  return (page) => {
    const { total, rows, exchange } = page;
    if (!isFirstPage(exchange)) return false;
    // A word in another parameter can be a second condition.
    if (exchange.request.params.filter(([, value]) => /\p{L}{2}/u.test(value)).length > 1) return false;
    if (total !== null) return rows.length >= total;
    if (sizesSent(page).length > 0 && size.param.value === null) return false;
    // No page size is 0, so an empty page was not truncated.
    if (rows.length === 0) return true;
    // If the page is as long as the longest page, an unknown limit may have truncated it.
    return rows.length < Math.min(...pageSizesOf(page, size), most);
  };
}
