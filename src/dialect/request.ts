import type { Call, PageRef } from '../call.ts';
import type { Dialect, SearchDialect } from './dialect.ts';
import { pagingMethod } from './paging/paging.ts';

/** Where the three resources stand. */
export interface Endpoints {
  readonly search: URL;
  readonly stats: URL;
  /** A URL template with `{id}`. */
  readonly entity: string;
}

export interface UpstreamAddress {
  readonly base_url: string;
  /** From the host's root; where given they replace the default join. */
  readonly paths?:
    | { readonly search?: string; readonly entity?: string; readonly stats?: string }
    | null
    | undefined;
}

/**
 * Joins the base address to the three paths so that exactly one `/api` stands between them: the base
 * usually ends in it and the paths begin with it. `paths` overrides this from the host's root.
 */
export function endpointsOf(upstream: UpstreamAddress): Endpoints {
  const base = new URL(upstream.base_url);
  const prefix = base.pathname.replace(/\/+$/, '');
  const joined = (path: string) =>
    prefix.endsWith('/api') ? prefix + path.slice('/api'.length) : prefix + path;
  const path = (override: string | undefined, standard: string) => override ?? joined(standard);
  // Concatenated, never resolved: "//host/search" would resolve to another origin, and take the key there.
  return {
    search: new URL(base.origin + path(upstream.paths?.search, '/api/search')),
    stats: new URL(base.origin + path(upstream.paths?.stats, '/api/registry/stats')),
    entity: base.origin + path(upstream.paths?.entity, '/api/entity/{id}'),
  };
}

/**
 * The URL of one call, or the reason why none can be written: an id that no path segment can carry, or a
 * next page at another origin (the key goes nowhere else).
 */
export function urlOf(endpoints: Endpoints, dialect: Dialect, call: Call): URL | UnwritableUrl {
  switch (call.kind) {
    case 'stats':
      return endpoints.stats;
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
  // "." and ".." vanish from a path, encoded or not (URL standard, "double-dot path segment").
  if (entityId === '' || entityId === '.' || entityId === '..')
    return new UnwritableUrl(`the id ${JSON.stringify(entityId)} cannot be a path segment`);
  if (!entityId.isWellFormed())
    return new UnwritableUrl('the id holds half a surrogate pair, which no URL can carry');
  return new URL(endpoints.entity.replace('{id}', () => encodeURIComponent(entityId)));
}

function searchUrl(
  endpoints: Endpoints,
  search: SearchDialect,
  by: 'name' | 'identifier',
  text: string,
  page: PageRef,
): URL | UnwritableUrl {
  const request = pagingMethod(search.paging.style).requestOf(search.paging, page);
  if ('url' in request) return nextPageUrl(endpoints.search, request.url);
  if (!text.isWellFormed())
    return new UnwritableUrl('the query holds half a surrogate pair, which no URL can carry');
  const url = new URL(endpoints.search);
  for (const [name, value] of Object.entries(search.extra)) url.searchParams.set(name, value);
  const param = by === 'identifier' ? (search.identifier_param ?? search.query_param) : search.query_param;
  // Everything is listed without the filter (brreg, GLEIF): an empty one may be refused. `extra` can send it all the same.
  if (text !== '') url.searchParams.set(param, text);
  if (search.paging.size_param !== null)
    url.searchParams.set(search.paging.size_param, String(search.paging.size));
  for (const [name, value] of Object.entries(request.parameters)) url.searchParams.set(name, value);
  return url;
}

function nextPageUrl(search: URL, next: string): URL | UnwritableUrl {
  const url = URL.canParse(next, search.href) ? new URL(next, search) : null;
  if (url === null) return new UnwritableUrl(`the next page has no usable address: ${next.slice(0, 200)}`);
  // Services behind a proxy that ends TLS often write their own links with http.
  const isSameHost = url.hostname === search.hostname && (url.port === '' || url.port === search.port);
  if (isSameHost && search.protocol === 'https:' && url.protocol === 'http:') url.protocol = 'https:';
  if (url.origin !== search.origin)
    return new UnwritableUrl(
      `the next page stands at another origin (${url.origin}), where the key must not go`,
    );
  // Credentials in an address would take the place of the key.
  url.username = '';
  url.password = '';
  return url;
}
