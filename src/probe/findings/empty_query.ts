import type { Conclusions, SearchConclusions, SearchPage } from '../conclusions.ts';
import {
  type Exchange,
  type Finding,
  likely,
  open,
  type Param,
  type SearchDraft,
  sure,
} from '../evidence.ts';
import { roleOfParam } from '../param_roles.ts';
import { ignoresUnknownParams, isTooBroad, textOf } from '../refusals.ts';
import { isFirstPage, isTruncated } from '../search_pages.ts';

/**
 * Finds out whether an empty query lists the whole registry: its total is the registry count, or larger than every
 * other query's total. If there is no total, a full page is evidence only if the registry count is known. Otherwise, a
 * list of a few companies could be mistaken for the registry. The finding stays open if the upstream ignores the query.
 */
export function findFullListing(
  pages: readonly SearchPage[],
  searches: readonly Exchange[],
  registrySize: number | null,
): Finding<boolean> {
  const empty = emptyQueries(searches, pages);
  if (empty.every(({ reading }) => reading === 'broken')) return open(false, 'no empty query was sent');
  const all = pages
    .filter(({ exchange }) => empty.includes(exchange))
    .sort((a, b) => b.rows.length - a.rows.length)[0];
  if (all === undefined) return byRefusals(empty);
  if (all.rows.length === 0) return sure(false, 'an empty query has no matches');
  const others = pages.filter(({ query }) => query !== null && query !== '');
  if (!others.some((page) => differs(page, all)))
    return open(false, 'an empty query has the same matches as other queries');
  if (all.total !== null) return byTotal(all.total, others, registrySize);
  if (!isFullPage(all, others)) return likely(false, `an empty query finds ${all.rows.length} companies`);
  return registrySize !== null && registrySize > all.rows.length
    ? likely(true, 'an empty query returns a full page')
    : open(false, 'an empty query returns a full page, but no total');
}

/**
 * Returns the empty queries. They include searches with only identifier parameters if the upstream ignored all of these
 * parameters. A response without rows does not show that, because an identifier may have matched nothing.
 */
function emptyQueries(searches: readonly Exchange[], pages: readonly SearchPage[]): Exchange[] {
  const isLenient = ignoresUnknownParams(searches);
  return searches.filter((search) => {
    if (isEmptyQuery(search)) return true;
    const { params } = search.request;
    const found = pages.find(({ exchange }) => exchange === search)?.ids ?? [];
    return (
      isLenient &&
      params.length > FEW_PARAMS &&
      params.every(([name]) => roleOfParam(name) === 'identifier') &&
      (search.reading !== 'ok' || found.length > 0) &&
      !params.some(([, id]) => found.includes(id))
    );
  });
}

/** One of so few parameters might have an effect. */
const FEW_PARAMS = 3;

/** Returns whether a search has no parameters other than page sizes. */
export function isEmptyQuery({ request }: Exchange): boolean {
  return request.kind === 'search' && request.params.every(([name]) => roleOfParam(name) === 'size');
}

/**
 * Finds out from refused empty queries whether an empty query lists the registry. The finding stays open if the
 * upstream refuses an empty query as too broad.
 */
function byRefusals(empty: readonly Exchange[]): Finding<boolean> {
  const because = 'the API refuses an empty query';
  if (empty.some(isTooBroad)) return open(false, `${because}, because it has too many matches`);
  const isExplained = empty.some((search) => isEmptyQuery(search) && textOf(search).trim() !== '');
  return isExplained ? sure(false, because) : likely(false, `${because}, perhaps for another reason`);
}

function byTotal(
  total: number,
  others: readonly SearchPage[],
  registrySize: number | null,
): Finding<boolean> {
  const largest = Math.max(0, ...others.map((page) => page.total ?? 0));
  const because = `an empty query has the total ${total}`;
  if (total < largest) return sure(false, `${because}, another query has ${largest}`);
  if (registrySize === null) return likely(true, `${because}, the largest of all queries`);
  if (total >= registrySize) return sure(true, `${because}, the registry count`);
  // A total below the registry count is still plausible, because the upstream may cap totals, or the registry count may
  // include other entities.
  return 2 * total >= registrySize || total % 100 === 0
    ? likely(true, `${because} of ${registrySize}, the largest of all queries`)
    : likely(false, `${because} of ${registrySize}`);
}

/**
 * Returns whether a query and the empty query have different matches. If so, the upstream does not ignore the query.
 */
function differs({ ids, total, exchange }: SearchPage, all: SearchPage): boolean {
  if (total !== null && all.total !== null) return total !== all.total;
  if (!isFirstPage(exchange)) return false;
  return ids.length === 0 || ids.join() !== all.ids.slice(0, ids.length).join();
}

/** Returns whether no page has more rows than this one, which has as many rows as requested or may be truncated. */
function isFullPage(all: SearchPage, others: readonly SearchPage[]): boolean {
  const { length } = all.rows;
  const isRequested = all.exchange.request.params.some(([, size]) => Number(size) === length);
  return (
    (isRequested || isTruncated(all, [all, ...others]) !== 'no') &&
    others.every(({ rows }) => rows.length <= length)
  );
}

/**
 * Finds the cap on totals from the empty query: it lists the whole registry, but its total is a round number below the
 * registry count.
 */
export function findClampOfAll(
  pages: readonly SearchPage[],
  fullListing: Finding<boolean>,
  registrySize: number | null,
): Finding<number> | null {
  const total = pages.find(({ exchange }) => isEmptyQuery(exchange))?.total ?? null;
  if (!fullListing.value || total === null || registrySize === null) return null;
  return total >= 100 && total % 100 === 0 && total < registrySize
    ? likely(total, `the total of an empty query is ${total}, but the registry has ${registrySize} companies`)
    : null;
}

/** Returns the min query length, or 0 if an empty query lists the whole registry. */
export function minLengthWithEmptyQuery(
  minQueryLength: Finding<number>,
  fullListing: Finding<boolean>,
): Finding<number> {
  if (minQueryLength.value > 1) return minQueryLength;
  const { value, certainty, because } = fullListing;
  if (value) return { value: 0, certainty, because };
  if (certainty === 'open') return open(1, because);
  return certainty === 'likely' && minQueryLength.certainty === 'sure' ? likely(1, because) : minQueryLength;
}

/**
 * Drafts an empty query if the upstream accepts single letters. One listing may then replace the listings of all
 * letters.
 */
export function probeEmptyQuery(
  { query, queryParam, minQueryChars }: Conclusions,
  { pages, size: { param, maxSize } }: SearchConclusions,
): SearchDraft | null {
  if (queryParam.certainty === 'open' || minQueryChars > 1) return null;
  if (emptyQueries(query.searches, pages).length > 0) return null;
  // The size parameter is sent only if its name is well known. Otherwise, the search would not be recognised as an
  // empty query later.
  const isKnown = param.value !== null && roleOfParam(param.value) === 'size';
  const params: Param[] = isKnown ? [[param.value ?? '', String(maxSize.value.rows)]] : [];
  return { params, why: 'does an empty query list the whole registry?' };
}
