import { ApiProfile, defaultProfile } from '../api/api_profile.ts';
import { servicePaging } from '../api/paging.ts';
import { dialectFor } from '../api/profile_dialect.ts';
import { Dialect, type Paging } from '../dialect/dialect.ts';

/**
 * Returns the mirror's API profile. Requests and envelopes follow the registry's dialect, so that a client has to
 * change only its base URL and key. In addition, the mirror offers every page and exact totals, and finds names by the
 * prefixes of their words. It has its own errors and limits.
 */
export function mirrorProfile(dialect: Dialect | undefined): ApiProfile {
  if (dialect === undefined)
    return ApiProfile.parse({
      search: { identifier_param: IDENTIFIER_PARAM, folding: 'diacritics' },
      limits: { headers: ['ietf'] },
    });
  const { search } = dialect;
  // A body that is only a list has no place for a total.
  const total = search.results === '' ? null : search.total;
  return ApiProfile.parse({
    name: 'mirror',
    search: {
      query_param: search.query_param,
      identifier_param: search.identifier_param ?? freeName(IDENTIFIER_PARAM, search),
      query_template: search.query_template,
      // `/api/search?q=` must never list all companies, even if the registry ignores unknown parameters.
      plain_param: freeName(PLAIN_PARAM, search) === PLAIN_PARAM ? PLAIN_PARAM : null,
      identifier_template: search.identifier_template,
      // The mirror finds names by the same rule as the command `search`, whatever the registry's own rule is.
      matches: 'token_prefix',
      identifiers: 'prefix',
      folding: 'diacritics',
      // A single character is always enough. An empty query is allowed only if the registry allows it.
      min_length: Math.min(1, search.min_length),
      results: search.results,
      // A stored list item already includes the wrapper around the company, so the profile adds none.
      item: '',
      total,
      // If the registry's envelope has no total, a header reports the total.
      total_header: total === null ? 'x-total-count' : null,
      paging: pagingOf(search),
      max_size: Math.max(search.paging.size, MAX_PAGE_SIZE),
    },
    // The registry's stored response is returned unchanged as the record.
    record: { root: '', id: '', name: '' },
    gone: { as: 'gone' },
    stats: { total: null },
    limits: { headers: ['ietf'] },
  });
}

/** Returns the dialect that lets another registry-mirror mirror this one. */
export function mirrorDialect(dialect: Dialect | undefined, profile: ApiProfile): Dialect {
  const served = dialectFor(profile, { pageSize: MAX_PAGE_SIZE });
  const own = dialect ?? dialectFor(defaultProfile);
  return Dialect.parse({
    ...served,
    search: {
      ...served.search,
      item: own.search.item,
      id: own.search.id,
      id_fallbacks: own.search.id_fallbacks,
      name: own.search.name,
    },
    entity: own.entity,
    stats: own.stats,
    volatile: own.volatile,
    responses: [...served.responses, NOT_MIRRORED],
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
  const { size_param, size } = paging;
  const isImpossible = results === '' && servicePaging(paging).linkPath(paging) !== null;
  if (paging.style === 'none' || isImpossible)
    return { style: 'page', param: 'page', first: 1, size_param, size, window: null };
  return { ...paging, window: null };
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
