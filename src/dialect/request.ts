import type { Call, PageRef } from '../call.ts';
import type { Dialect, SearchDialect } from './dialect.ts';
import { pagingMethod } from './paging/paging.ts';
import { filled, placeholdersIn } from './template.ts';
import { constantParts, parametersIn, partsOf, UnwritableUrl, urlFrom, withParts } from './url_template.ts';

export { UnwritableUrl } from './url_template.ts';

/** The addresses of the three resources. */
export interface Endpoints {
  /** A URL template. Parameters that it does not contain are added to it. */
  readonly search: string;
  /** Null if the API has no statistics. */
  readonly stats: URL | null;
  /** A URL template with `{id}`. */
  readonly entity: string;
}

export interface UpstreamAddress {
  readonly base_url: string;
  /** Absolute paths that replace the default paths. They may contain query strings with constant parameters. */
  readonly paths?:
    | { readonly search?: string; readonly entity?: string; readonly stats?: string | null }
    | null
    | undefined;
}

/**
 * Joins the base URL and the three paths so that `/api` occurs exactly once. The base URL usually ends with `/api`, and
 * the default paths begin with it. `upstream.paths` replaces the joined paths.
 */
export function endpointsOf(upstream: UpstreamAddress): Endpoints {
  const base = new URL(upstream.base_url);
  const prefix = base.pathname.replace(/\/+$/, '');
  const joined = (path: string) =>
    prefix.endsWith('/api') ? prefix + path.slice('/api'.length) : prefix + path;
  const path = (override: string | undefined, standard: string) => override ?? joined(standard);
  const stats = upstream.paths?.stats;
  // The parts are concatenated, not resolved. Otherwise "//host/search" would resolve to another origin, and the key
  // would be sent there.
  return {
    search: base.origin + path(upstream.paths?.search, '/api/search'),
    stats: stats === null ? null : new URL(base.origin + path(stats, '/api/registry/stats')),
    entity: base.origin + path(upstream.paths?.entity, '/api/entity/{id}'),
  };
}

/**
 * Returns a call's URL. A call has none if its id is not valid in a path or its next page is at another origin. The key
 * is only ever sent to the configured origin.
 */
export function urlOf(endpoints: Endpoints, dialect: Dialect, call: Call): URL | UnwritableUrl {
  switch (call.kind) {
    case 'stats':
      return endpoints.stats ?? new UnwritableUrl('the API has no statistics (upstream.paths.stats is null)');
    case 'entity':
      return entityUrl(endpoints, call.entityId);
    case 'search':
      return searchUrl(endpoints, dialect.search, call.query.by, call.query.text, call.page);
  }
}

export function entityUrl(endpoints: Pick<Endpoints, 'entity'>, entityId: string): URL | UnwritableUrl {
  if (entityId === '') return new UnwritableUrl('the id is empty');
  if (!entityId.isWellFormed())
    return new UnwritableUrl('the id contains half a surrogate pair, which is not valid in a URL');
  return urlFrom(endpoints.entity, { id: entityId });
}

/** Returns the id in a record's path, or null if the path does not match the template. */
export function idInPath(template: string, path: string): string | null {
  return parametersIn(template, path)?.named.id ?? null;
}

function searchUrl(
  endpoints: Endpoints,
  search: SearchDialect,
  by: 'name' | 'identifier',
  text: string,
  page: PageRef,
): URL | UnwritableUrl {
  if (!text.isWellFormed())
    return new UnwritableUrl('the query contains half a surrogate pair, which is not valid in a URL');
  const { param, template } = parameterOf(search, by);
  if (text !== '' && param === null) return new UnwritableUrl('the API has no search by name');
  // For an empty query, the parameter is omitted, so that the API lists all companies (brreg, GLEIF). Some APIs reject
  // an empty parameter. `extra` can send one to an API that needs it.
  const query = text === '' || param === null ? {} : { [param]: filled(template, { query: text }) };
  if (param !== null && query[param] === filled(template, { query: '' }))
    return new UnwritableUrl('the query has no letter or digit, and the query template sends nothing else');
  const { size_param, size } = search.paging;
  const sized = size_param === null ? {} : { [size_param]: String(size) };
  const request = pagingMethod(search.paging.style).requestOf(search.paging, page);
  // The first row's offset is implied. Some APIs reject it ("Offset must be greater than 0").
  const isImplied =
    search.paging.style === 'offset' &&
    page.index + search.paging.first === 0 &&
    !placeholdersIn(endpoints.search).includes(search.paging.param);
  const paged = 'url' in request || isImplied ? {} : request.parameters;
  const url = urlFrom(endpoints.search, { ...search.extra, ...query, ...sized, ...paged });
  if (url instanceof UnwritableUrl || !('url' in request)) return url;
  return nextPageUrl(url, request.url, endpoints.search);
}

function parameterOf(
  { query_param, query_template, identifier_param, identifier_template }: SearchDialect,
  by: 'name' | 'identifier',
): { readonly param: string | null; readonly template: string } {
  if (by === 'name') return { param: query_param, template: query_template };
  const isSame = identifier_param === null || identifier_param === query_param;
  return {
    param: identifier_param ?? query_param,
    template: identifier_template ?? (isSame ? query_template : '{query}'),
  };
}

/**
 * Returns the next page's URL, at the configured origin only. A service behind a proxy can write an internal scheme, host
 * and path into its links. Of a link to another host, only the query is used.
 */
function nextPageUrl(search: URL, next: string, template: string): URL | UnwritableUrl {
  const text = QUERY_STRING.test(next) ? `?${next}` : next;
  const link = URL.canParse(text, search.href) ? new URL(text, search) : null;
  if (link === null || !/^https?:$/.test(link.protocol))
    return new UnwritableUrl(`the URL of the next page is not valid: ${next.slice(0, 200)}`);
  const isSameHost = link.hostname === search.hostname && (link.port === '' || link.port === search.port);
  if (!isSameHost && link.search === '')
    return new UnwritableUrl(`the next page is at another host (${link.host}), to which no call is sent`);
  // The parts are assigned, not copied with the link, because credentials in it would replace the key.
  const url = new URL(search);
  // `/companies` in a link stands for the configured `/api/companies`.
  if (isSameHost && !search.pathname.endsWith(link.pathname)) url.pathname = link.pathname;
  url.search = link.search;
  if (url.pathname !== search.pathname) return url;
  return withParts(url, isOnlyPosition(url, search) ? partsOf(search.search).parts : constantParts(template));
}

/** A link that is only a query string, such as `page=2`. A cursor in Base64 can end with equals signs. */
export const QUERY_STRING = /^[\w.[\]-]+=[^=\s]+(&[\w.[\]-]+=[^=\s]*)*$/;

/** Returns whether a next-page URL has only a page number or offset, because the API has omitted the query. */
function isOnlyPosition(next: URL, search: URL): boolean {
  const [only, ...others] = next.searchParams;
  const isSamePath = next.pathname === search.pathname;
  return isSamePath && only !== undefined && others.length === 0 && /^\d{1,7}$/.test(only[1]);
}
