import { ApiProfile, defaultProfile } from '../api/api_profile.ts';
import { nextPath } from '../api/paging.ts';
import type { Dialect, Paging } from '../dialect/dialect.ts';
import { headerNameIn } from '../dialect/header_or_path.ts';
import { endpointsOf, type UpstreamAddress } from '../dialect/request.ts';
import { constantParts, parametersIn } from '../dialect/url_template.ts';

/**
 * Returns the mirror's API profile. Requests and envelopes follow the registry's dialect, so that a client has to
 * change only its base URL and key. In addition, the mirror offers every page and exact totals, and finds names by the
 * prefixes of their words. It has its own errors and limits.
 */
export function mirrorProfile(own: Dialect | undefined): ApiProfile {
  if (own === undefined)
    return ApiProfile.parse({
      dialect: { search: { identifier_param: IDENTIFIER_PARAM }, responses: [NOT_MIRRORED] },
      search: { folding: 'diacritics' },
      limits: { headers: ['ietf'] },
    });
  const { search } = own;
  // A body that is only a list has no place for a total.
  const total = search.results === '' && headerNameIn(search.total) === null ? null : search.total;
  return ApiProfile.parse({
    name: 'mirror',
    dialect: {
      ...own,
      search: {
        ...search,
        identifier_param: search.identifier_param ?? freeName(IDENTIFIER_PARAM, search),
        // The mirror finds the beginnings of words in any order, whatever the registry's own rule is.
        matches: 'token_prefix',
        identifiers: 'prefix',
        // A single character is always enough. An empty query is allowed only if the registry allows it.
        min_length: Math.min(1, search.min_length),
        main: null,
        group_as: null,
        total,
        total_clamped_at: null,
        absent_when_empty: false,
        extra: {},
        paging: pagingOf(search),
      },
      responses: [NOT_MIRRORED],
      limits: [],
    },
    search: {
      default_size: search.paging.size,
      folding: 'diacritics',
      // `/api/search?q=` must never list all companies, even if the registry ignores unknown parameters.
      plain_param: freeName(PLAIN_PARAM, search) === PLAIN_PARAM ? PLAIN_PARAM : null,
      // If the registry's envelope has no total, a header reports the total.
      total_header: total === null ? 'x-total-count' : null,
    },
    limits: { headers: ['ietf'] },
  });
}

/** Recognises a 504 that concerns a single record, not the service's health. */
const NOT_MIRRORED = {
  kind: 'entity',
  status: 504,
  at: '/code',
  is: 'record_not_mirrored',
  means: 'refused',
} as const;

/** Returns the mirror's paging. There is no cap, and results are paged even if the registry's are not. */
function pagingOf({ paging, results }: Dialect['search']): Paging {
  const { size_param } = paging;
  const size = size_param === null ? paging.size : Math.max(paging.size, MAX_PAGE_SIZE);
  const isImpossible = results === '' && nextPath(paging) !== null;
  if (paging.style === 'none' || isImpossible)
    return { style: 'page', param: 'page', first: 1, size_param, size, window: null, uneven: false };
  return { ...paging, size, window: null };
}

/** Returns a parameter name that the registry does not use for another purpose. */
function freeName(wanted: string, { query_param, paging, extra }: Dialect['search']): string {
  const taken = [
    query_param,
    paging.size_param,
    'param' in paging ? paging.param : null,
    ...Object.keys(extra),
  ];
  return taken.includes(wanted) ? `${wanted}_` : wanted;
}

const IDENTIFIER_PARAM = 'identifier';
const PLAIN_PARAM = 'q';
const MAX_PAGE_SIZE = 100;

/**
 * Returns a function that converts a URL of the registry's API to the default path for the same resource. It returns
 * other URLs unchanged. Constant parameters in the registry's paths must be present, because they can be the only
 * difference between two resources: `/api?action=search` and `/api?action=entity&id=7`.
 */
export function registryPaths(upstream: UpstreamAddress): (url: string) => string {
  const { origin } = new URL(upstream.base_url);
  const { search, stats, entity } = endpointsOf(upstream);
  const { paths } = defaultProfile;
  const resources = [
    { template: entity.slice(origin.length), served: paths.entity },
    ...(stats === null ? [] : [{ template: stats.pathname + stats.search, served: paths.stats }]),
    { template: search.slice(origin.length), served: paths.search },
  ]
    .filter(({ template, served }) => template !== served)
    // A path with more constant parameters is more specific.
    .sort((a, b) => constantParts(b.template).length - constantParts(a.template).length);
  return (url) => {
    for (const { template, served } of resources) {
      const found = parametersIn(template, url);
      if (found === null) continue;
      const { id, ...parameters } = found.named;
      if (served.includes('{id}') && id === undefined) continue;
      const path = served.replace('{id}', () => encodeURIComponent(id ?? ''));
      const query = new URLSearchParams([...Object.entries(parameters), ...found.others]).toString();
      return query === '' ? path : `${path}?${query}`;
    }
    return url;
  };
}
