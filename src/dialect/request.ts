import type { Call, PageRef } from '../call.ts';
import type { Dialect, SearchDialect } from './dialect.ts';
import { pagingMethod } from './paging/paging.ts';
import { filled, textIn } from './template.ts';

/** The addresses of the three resources. */
export interface Endpoints {
  readonly search: URL;
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
    search: new URL(base.origin + path(upstream.paths?.search, '/api/search')),
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

export class UnwritableUrl {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}

export function entityUrl(endpoints: Endpoints, entityId: string): URL | UnwritableUrl {
  if (entityId === '') return new UnwritableUrl('the id is empty');
  if (!entityId.isWellFormed())
    return new UnwritableUrl('the id contains half a surrogate pair, which is not valid in a URL');
  const url = filled(endpoints.entity, 'id', entityId, encodeURIComponent);
  // URL parsers remove "." and ".." from a path, even if they are encoded (URL standard, "double-dot path segment").
  if (
    url
      .split('?', 1)[0]
      ?.split('/')
      .some((segment) => segment === '.' || segment === '..')
  )
    return new UnwritableUrl(
      `the id ${JSON.stringify(entityId)} cannot be sent, because URLs drop it from a path`,
    );
  return new URL(url);
}

/** Returns the id in a record's path, or null if the path does not match the template. */
export function idInPath(template: string, path: string): string | null {
  return textIn(template, 'id', path, decodeURIComponent);
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
  const url = new URL(endpoints.search);
  for (const [name, value] of Object.entries(search.extra)) url.searchParams.set(name, value);
  const { param, template } = parameterOf(search, by);
  if (text !== '' && param === null) return new UnwritableUrl('the API has no search by name');
  // For an empty query, the parameter is omitted, so that the API lists all companies (brreg, GLEIF). Some APIs reject
  // an empty parameter. `extra` can send one to an API that needs it.
  if (text !== '' && param !== null) {
    const value = filled(template, 'query', text);
    if (value === filled(template, 'query', ''))
      return new UnwritableUrl('the query has no letter or digit, and the query template sends nothing else');
    url.searchParams.set(param, value);
  }
  if (search.paging.size_param !== null)
    url.searchParams.set(search.paging.size_param, String(search.paging.size));
  const request = pagingMethod(search.paging.style).requestOf(search.paging, page);
  if ('url' in request) return nextPageUrl(url, request.url, endpoints.search);
  for (const [name, value] of Object.entries(request.parameters)) url.searchParams.set(name, value);
  return url;
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
function nextPageUrl(search: URL, next: string, endpoint: URL): URL | UnwritableUrl {
  const link = URL.canParse(next, search.href) ? new URL(next, search) : null;
  if (link === null || !/^https?:$/.test(link.protocol))
    return new UnwritableUrl(`the URL of the next page is not valid: ${next.slice(0, 200)}`);
  const isSameHost = link.hostname === search.hostname && (link.port === '' || link.port === search.port);
  if (!isSameHost && link.search === '')
    return new UnwritableUrl(`the next page is at another host (${link.host}), to which no call is sent`);
  // The parts are assigned, not copied with the link, because credentials in it would replace the key.
  const url = new URL(search);
  if (isSameHost) url.pathname = link.pathname;
  url.search = link.search;
  const lacking = isOnlyPosition(url, search) ? search : endpoint;
  if (url.pathname === endpoint.pathname)
    for (const [name, value] of lacking.searchParams)
      if (!link.searchParams.has(name)) url.searchParams.append(name, value);
  return url;
}

/** Returns whether a next-page URL has only a page number or offset, because the API has omitted the query. */
function isOnlyPosition(next: URL, search: URL): boolean {
  const [only, ...others] = next.searchParams;
  const isSamePath = next.pathname === search.pathname;
  return isSamePath && only !== undefined && others.length === 0 && /^\d{1,7}$/.test(only[1]);
}
