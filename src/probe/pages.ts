import { nameIn, textAt } from '../dialect/body_values.ts';
import type { Pointer } from '../dialect/dialect.ts';
import { nextLink } from '../dialect/headers.ts';
import { QUERY_STRING } from '../dialect/request.ts';
import { totalAt } from '../dialect/total.ts';
import { type JsonObject, scalarText, stringifyJson } from '../json/json.ts';
import { leavesOf, linkLeavesOf, wholeNumberOf } from './bodies.ts';
import type { ProbeExchange } from './exchange.ts';
import { rowsAt } from './rows.ts';
import {
  isPagingParam,
  LAST_WORDS,
  MORE_WORDS,
  NEXT_PAGE_WORDS,
  NOT_NEXT_PAGE_WORDS,
  roleOfParam,
  wordsOfKey,
} from './words.ts';

/** The successful searches, read with the leading hypotheses about the list, the id, the name and the total. */

/** A parsed search response. */
export interface SearchPage {
  readonly exchange: ProbeExchange;
  /** Null if the request had no query. */
  readonly query: string | null;
  readonly rows: readonly JsonObject[];
  readonly ids: readonly string[];
  /** Each row's key within the listing: the id, or the row's content if a company can have several rows. */
  readonly keys: readonly string[];
  readonly names: readonly (string | null)[];
  readonly total: number | null;
}

export interface PagePaths {
  /** Returns the query in a request, or null if it has none. */
  readonly queryOf: (search: ProbeExchange) => string | null;
  readonly results: Pointer;
  readonly id: Pointer;
  readonly name: Pointer | null;
  readonly nameFallbacks: readonly (readonly Pointer[])[];
  readonly total: Pointer | null;
}

export function readPages(searches: readonly ProbeExchange[], paths: PagePaths): SearchPage[] {
  const all = searches.map((exchange) => {
    const rows = rowsAt(exchange, paths.results);
    return {
      exchange,
      query: paths.queryOf(exchange),
      rows,
      ids: rows.map((row) => textAt(row, paths.id) ?? ''),
      names: rows.map((row) => nameIn(row, { name: paths.name, name_fallbacks: paths.nameFallbacks })),
      total: totalAt(paths.total, exchange.headers, exchange.json),
    };
  });
  const isById = !hasSeveralRows(all);
  return all.map((page) => ({
    ...page,
    keys: isById ? page.ids : page.rows.map((row) => stringifyJson(row)),
  }));
}

/** Returns whether a page has several rows with the same id. */
export function hasSeveralRows(pages: readonly Pick<SearchPage, 'ids'>[]): boolean {
  return pages.some(({ ids }) => new Set(ids).size < ids.length);
}

/** Returns whether a search has no paging parameter, or only asks for cursors, and therefore gets the first page. */
export function isFirstPage({ request }: ProbeExchange): boolean {
  return !request.params.some(([name, value]) => isPagingParam(name) && value !== FIRST_CURSOR);
}

export function asksForCursors({ request }: ProbeExchange): boolean {
  return request.params.some(([name, value]) => isPagingParam(name) && value === FIRST_CURSOR);
}

/** The value that asks some APIs for cursors, which their other responses do not contain (Solr, Crossref, OpenAlex). */
export const FIRST_CURSOR = '*';

/** Returns whether a search requests a page beyond the end. */
export function isFarPage({ request }: ProbeExchange): boolean {
  return request.params.some(([name, value]) => isPagingParam(name) && value === FAR);
}

/** A page number or offset beyond the end of any listing. */
export const FAR = '99999';

/** Returns whether a search has no parameters other than page sizes. */
export function isEmptyQuery({ request }: ProbeExchange): boolean {
  return request.kind === 'search' && request.params.every(([name]) => roleOfParam(name) === 'size');
}

/** Returns whether the API refused a search without a query. */
export function refusesEmptyQuery(searches: readonly ProbeExchange[]): boolean {
  return searches.some((search) => search.reading === 'refused' && isEmptyQuery(search));
}

/** Returns a search's page size parameters and their values. */
export function sizesSent({ exchange }: SearchPage): { readonly name: string; readonly value: number }[] {
  return exchange.request.params
    .filter(([name, value]) => roleOfParam(name) === 'size' && /^\d+$/.test(value))
    .map(([name, value]) => ({ name, value: Number(value) }));
}

/** The mark of a query in another form than the dialect's, such as `*:*`, which the mirror cannot send. */
export const OTHER_FORM = '?';

export const isOtherForm = (query: string | null): boolean => query?.startsWith(OTHER_FORM) ?? false;

/** Returns the row keys on the longest first page for a query, or [] if there is none. */
export function orderOf(query: string | null, pages: readonly SearchPage[]): readonly string[] {
  return pages
    .filter((page) => page.query === query && isFirstPage(page.exchange))
    .reduce<readonly string[]>((longest, { keys }) => (keys.length > longest.length ? keys : longest), []);
}

/**
 * Returns whether a query has more matches than the page has rows. A total or a next-page link proves it. Without
 * either, the result is `maybe` if other pages have the same number of rows, or if that number is a multiple of 5.
 */
export function isTruncated(page: SearchPage, all: readonly SearchPage[]): 'yes' | 'maybe' | 'no' {
  const { rows, total, query } = page;
  if (total !== null && total > rows.length) return 'yes';
  if (hasNext(page)) return 'yes';
  const isFollowedByNothing = all.some(
    (other) =>
      other !== page && other.query === query && other.rows.length === 0 && !isFarPage(other.exchange),
  );
  if (total !== null || rows.length < 3 || all.some(hasNext) || isFollowedByNothing) return 'no';
  const alike = all.filter((other) => other.rows.length === rows.length && other.ids[0] !== page.ids[0]);
  return alike.length > 0 || rows.length % 5 === 0 ? 'maybe' : 'no';
}

function hasNext({ exchange }: SearchPage): boolean {
  return nextPageLinksIn(exchange).length > 0 || hasMoreFlag(exchange);
}

/** Returns whether a flag shows that rows follow, such as `"hasMore": true` or `"last": false`. */
function hasMoreFlag({ json }: ProbeExchange): boolean {
  return leavesOf(json ?? null).some(({ pointer, value }) => {
    const words = wordsOfKey(pointer);
    if (value === false) return words.some((word) => LAST_WORDS.has(word));
    return value === true && words.some((word) => MORE_WORDS.has(word));
  });
}

/** A reference to the next page in a response: a URL or a cursor. */
export interface NextPageLink {
  readonly is: 'link_header' | 'next_url' | 'cursor';
  /** The JSON path to the link, or '' if the link is in a header. */
  readonly at: Pointer;
  readonly value: string;
}

/** Finds the most reliable next-page link. A header is preferred to a URL in the body, and a URL to a cursor. */
export function findNextPageLink(searches: readonly ProbeExchange[]): NextPageLink | null {
  const all = searches.flatMap(nextPageLinksIn);
  return (
    all.find(({ is }) => is === 'link_header') ?? all.find(({ is }) => is === 'next_url') ?? all[0] ?? null
  );
}

/** Returns the next-page links in one response. A value that the request sent is an echo. */
export function nextPageLinksIn({ headers, json, request }: ProbeExchange): NextPageLink[] {
  const link = nextLink(headers);
  const inHeader: NextPageLink[] = link === null ? [] : [{ is: 'link_header', at: '', value: link }];
  const links = linkLeavesOf(json ?? null).filter(({ value }) => isUrl(scalarText(value) ?? ''));
  const inBody = [...leavesOf(json ?? null), ...links].flatMap(({ pointer, value }): NextPageLink[] => {
    const text = scalarText(value);
    if (text === null || text === '' || typeof value === 'boolean') return [];
    if (request.params.some(([name, sent]) => sent === text && roleOfParam(name) === 'cursor')) return [];
    // A number under `offset` is the position of this page, and a text the key of the next page.
    if (!isNextKey(pointer) && (wholeNumberOf(value) !== null || !/\/offset$/i.test(pointer))) return [];
    return [{ is: isUrl(text) ? 'next_url' : 'cursor', at: pointer, value: text }];
  });
  return [...inHeader, ...inBody];
}

/** Returns whether a text is an absolute URL, or a relative one such as `?page=2`, `page=2` or `companies?page=2`. */
export function isUrl(text: string): boolean {
  return /^(https?:\/\/|\/|[\w.-]*\?)/.test(text) || QUERY_STRING.test(text);
}

function isNextKey(pointer: Pointer): boolean {
  const words = wordsOfKey(pointer);
  return (
    words.some((word) => NEXT_PAGE_WORDS.has(word)) && !words.some((word) => NOT_NEXT_PAGE_WORDS.has(word))
  );
}

/** Returns the names and values of the parameters in the links of a response to the search itself. */
export function linkedParams({
  json,
  request,
  headers,
}: ProbeExchange): (readonly [name: string, value: string])[] {
  if (json === undefined) return [];
  const inBody = [...leavesOf(json), ...linkLeavesOf(json)].map(({ value }) => value);
  return [...inBody, nextLink(headers), ...Object.values(headers)].flatMap((value) => {
    if (typeof value !== 'string' || !isUrl(value) || !value.includes('?')) return [];
    const url = URL.parse(value, `http://host${request.path}`);
    return url === null || !url.pathname.endsWith(request.path.split('/').at(-1) ?? '')
      ? []
      : [...url.searchParams];
  });
}
