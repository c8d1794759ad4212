import { ApiProfile, defaultProfile } from '../api/api_profile.ts';
import { dialectFor } from '../api/profile_dialect.ts';
import { Dialect, type Paging } from '../dialect/dialect.ts';
import { endpointsOf, type UpstreamAddress } from '../dialect/request.ts';

/**
 * How the mirror speaks: as the registry does, so that a client changes its address and nothing else. Requests
 * and envelopes follow the dialect; where the mirror can do more (any page, exact totals, prefixes), it does;
 * errors and limits are its own.
 */
export function mirrorProfile(dialect: Dialect | undefined, upstream: UpstreamAddress): ApiProfile {
  if (dialect === undefined)
    return ApiProfile.parse({
      search: { identifier_param: IDENTIFIER_PARAM, folding: 'diacritics' },
      limits: { headers: ['ietf'] },
    });
  const { search } = dialect;
  return ApiProfile.parse({
    name: 'mirror',
    paths: pathsOf(upstream),
    search: {
      query_param: search.query_param,
      identifier_param: search.identifier_param ?? freeName(IDENTIFIER_PARAM, search),
      matches: search.matches === 'unknown' ? 'token_prefix' : search.matches,
      identifiers: 'prefix',
      folding: 'diacritics',
      // It finds by any text, and lists everything where the registry does.
      min_length: Math.min(1, search.min_length),
      results: search.results,
      // Items are served whole, wrapping and all.
      item: '',
      total: search.total,
      // A total there must be: where the envelope has no place for it, in a header.
      total_header: search.total === null ? 'x-total-count' : null,
      paging: pagingOf(search.paging),
      max_size: Math.max(search.paging.size, LARGEST_PAGE),
    },
    // The whole answer is served as it came.
    record: { root: '', id: '', name: '' },
    gone: { as: 'gone' },
    stats: { total: null },
    limits: { headers: ['ietf'] },
  });
}

/** The dialect that a registry-mirror reads this mirror with. */
export function mirrorDialect(dialect: Dialect | undefined, profile: ApiProfile): Dialect {
  const spoken = dialectFor(profile, { pageSize: LARGEST_PAGE });
  const own = dialect ?? dialectFor(defaultProfile);
  return Dialect.parse({
    ...spoken,
    search: { ...spoken.search, item: own.search.item, id: own.search.id, name: own.search.name },
    entity: own.entity,
    stats: own.stats,
    volatile: own.volatile,
    responses: [...spoken.responses, NOT_MIRRORED],
  });
}

/** Says something about one record, and nothing about the health of the service. */
const NOT_MIRRORED = {
  kind: 'entity',
  status: 504,
  at: '/code',
  is: 'record_not_mirrored',
  means: 'refused',
} as const;

/** The paths that a client of the registry uses, from the host's root. */
function pathsOf(upstream: UpstreamAddress): ApiProfile['paths'] {
  const { search, stats, entity } = endpointsOf(upstream);
  return {
    search: search.pathname,
    stats: stats.pathname,
    entity: decodeURI(new URL(entity).pathname),
  };
}

/** Every row of a result can be had: there is no window, and pages even where the registry has none. */
function pagingOf(paging: Paging): Paging {
  const { size_param, size } = paging;
  if (paging.style === 'none')
    return { style: 'page', param: 'page', first: 1, size_param, size, window: null };
  return { ...paging, window: null };
}

/** Some registries take the name under this very parameter. */
function freeName(wanted: string, { query_param, paging }: Dialect['search']): string {
  const taken = [query_param, paging.size_param, 'param' in paging ? paging.param : null];
  return taken.includes(wanted) ? `${wanted}_` : wanted;
}

const IDENTIFIER_PARAM = 'identifier';
const LARGEST_PAGE = 100;
