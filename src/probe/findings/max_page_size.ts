import { broadest, broadQuery, SMALL_REGISTRY, toQueryParam } from '../broad_queries.ts';
import type { Conclusions, MaxPageSize, SearchConclusions, SearchPage } from '../conclusions.ts';
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
import { isTruncated } from '../search_pages.ts';

/** A page size that exceeds the usual limits. */
export const HUGE = 1000;

/** The max page size in most APIs. A larger size is tried only among the first searches. */
export const USUAL = 100;

/**
 * Finds the max page size. If a request asks for more rows, the API either refuses it or returns fewer rows. Fewer rows
 * are evidence only if the query has more matches than the page has rows.
 */
export function findMaxPageSize(
  pages: readonly SearchPage[],
  refusals: readonly Exchange[],
  { value: param, certainty }: Finding<string | null>,
): Finding<MaxPageSize> {
  const most = Math.max(1, ...pages.map(({ rows }) => rows.length));
  if (param === null) {
    const isFull = pages.some((page) => page.rows.length === most && isTruncated(page, pages) === 'yes');
    const finding = certainty === 'likely' && isFull ? likely : open;
    return finding({ rows: most, next: null }, `no page had more than ${most} rows`);
  }
  const named = refusals.flatMap((refusal) => namedBy(refusal, param)).find((size) => size >= most);
  if (named !== undefined) return sure({ rows: named, next: null }, 'an error message names it');
  const refused = Math.min(
    Number.POSITIVE_INFINITY,
    ...refusals
      .filter((refusal) => isForItsSize(refusal, pages, param))
      .flatMap((refusal) => sizesIn(refusal, param))
      .filter((size) => size > most),
  );
  const accepted = pages.flatMap(({ exchange }) => sizesIn(exchange, param));
  const found =
    refused < Number.POSITIVE_INFINITY
      ? betweenRefusals(Math.max(most, ...accepted), refused)
      : withoutRefusals(pages, most, param, refusals);
  return found.certainty === 'sure' && certainty !== 'sure' ? likely(found.value, found.because) : found;
}

function betweenRefusals(accepted: number, refused: number): Finding<MaxPageSize> {
  const between = LADDER.filter((size) => size > accepted && size < refused * 0.95);
  // The max page size in most APIs is tried first, then the largest size below it.
  const next = between.find((size) => size >= USUAL) ?? between.at(-1) ?? null;
  const because = `the API accepts ${accepted} and refuses ${refused}`;
  return next === null ? likely({ rows: accepted, next }, because) : open({ rows: accepted, next }, because);
}

const LADDER = [20, 50, USUAL, 200];

/**
 * Returns whether the page size is the only possible reason for a refusal, because successful searches accepted every
 * other parameter in the request.
 */
function isForItsSize(refusal: Exchange, pages: readonly SearchPage[], param: string): boolean {
  const others = refusal.request.params.filter(([name]) => name !== param);
  const lengths = pages.flatMap(({ query, rows }) =>
    query === null || rows.length === 0 ? [] : [query.length],
  );
  const shortest = Math.min(...lengths);
  return others.every(([name, value]) =>
    pages.some(({ exchange, query }) => {
      const known = paramOf(exchange, name);
      return known !== null && (known !== query || value.length >= shortest);
    }),
  );
}

function withoutRefusals(
  pages: readonly SearchPage[],
  most: number,
  param: string,
  refusals: readonly Exchange[],
): Finding<MaxPageSize> {
  const clamped = pages.filter(
    (page) => page.rows.length === most && sizesIn(page.exchange, param).some((size) => size > most),
  );
  const because = `a request for more rows returned ${most}`;
  if (clamped.some((page) => isTruncated(page, pages) === 'yes'))
    return sure({ rows: most, next: null }, because);
  if (clamped.some((page) => isTruncated(page, pages) === 'maybe'))
    return likely({ rows: most, next: null }, because);
  const isHugeIn = (exchange: Exchange) => sizesIn(exchange, param).some((size) => size >= HUGE);
  const tries = pages.filter(({ exchange, rows }) => isHugeIn(exchange) && rows.length * 2 >= most).length;
  // If a huge size was refused, the size may have been the reason, so no huge size is sent again.
  const next = refusals.some(isHugeIn) && most < USUAL ? USUAL : HUGE;
  return open(
    { rows: most, next: tries < 2 ? next : null },
    `no page had more than ${most} rows; the limit may be higher`,
  );
}

/** Returns the size parameter's value in a search, as a list with at most one number. */
function sizesIn(search: Exchange, param: string): number[] {
  const text = paramOf(search, param);
  return text === null || !/^\d+$/.test(text) ? [] : [Number(text)];
}

function namedBy(refusal: Exchange, param: string): number[] {
  if (sizesIn(refusal, param).every((size) => size <= 20)) return [];
  const named = errorHintsOf([refusal]).maximum;
  return named === null ? [] : [named];
}

/**
 * Drafts a request for a huge page, unless one has been sent before. The query is broad, so the response also shows
 * whether the upstream refuses broad queries.
 */
export function probeHugePage(conclusions: Conclusions, search: SearchConclusions): SearchDraft | null {
  return conclusions.query.searches.some(hasHugeSize) ? null : probeMaxPageSize(conclusions, search);
}

/** Drafts a request with the next size to try, unless another probe has shown the limit. */
export function probeMaxPageSize(conclusions: Conclusions, search: SearchConclusions): SearchDraft | null {
  const { searches } = conclusions.query;
  const { param, maxSize } = search.size;
  const { rows, next } = maxSize.value;
  const base = broadest(search);
  if (base === null || param.value === null || next === null) return null;
  if (rows >= USUAL && searches.length >= FEW_SEARCHES) return null;
  // In a small registry, larger pages save only a few calls.
  const mostCompanies = conclusions.registrySize ?? Number.POSITIVE_INFINITY;
  const hasNextPages = search.paging.certainty === 'sure' && searches.length >= FEW_SEARCHES;
  if (mostCompanies <= (hasNextPages ? SMALL_REGISTRY : rows * FEW_PAGES)) return null;
  const hasMore = base.total !== null && base.total > rows;
  const wasHuge = search.pages.some(({ exchange }) => hasHugeSize(exchange));
  if (wasHuge && searches.length >= FEW_SEARCHES) return null;
  const query = hasMore && wasHuge ? base.query : broadQuery(conclusions, search, base);
  const params: Param[] = [toQueryParam(conclusions, query), [param.value, String(next)]];
  return wasSent(searches, params) ? null : { params, why: whyOfSize(next) };
}

const FEW_SEARCHES = 7;
const FEW_PAGES = 5;

function whyOfSize(size: number): string {
  return `may a page hold ${size} rows?`;
}

/**
 * Reads, from the stored reason for a probe's call, the page size that the call requested. Returns null if the call was
 * not a size probe.
 */
export function requestedSizeOf(why: string): string | null {
  const [size] = /\d+/.exec(why) ?? [];
  return size !== undefined && why === whyOfSize(Number(size)) ? size : null;
}

/** Returns whether a search requested a huge page size. */
export function hasHugeSize({ request }: Exchange): boolean {
  return request.params.some(([name, value]) => roleOfParam(name) === 'size' && Number(value) >= HUGE);
}
