import { ApiProfile, type ApiProfileInput, ERROR_BODIES } from '../api/api_profile.ts';
import { type Random, seededRandom } from '../random.ts';

/**
 * Returns a random API profile. It combines paging, envelope, total, query rules, cap, errors, ids and deletions at
 * random, with parameter and field names from real APIs. The same seed always gives the same profile.
 */
export function randomProfile(seed: number): ApiProfile {
  const draw = seededRandom(seed);
  for (;;) {
    // Contradictory combinations, such as a total in a body that is only a list, are drawn again.
    const parsed = ApiProfile.safeParse(profileFrom(draw, seed));
    if (parsed.success) return parsed.data;
  }
}

const QUERY_PARAMS = ['q', 'query', 'name', 'term', 'search', 'text', 'company_name', 'navn', 'filter[name]'];
const IDENTIFIER_PARAMS = ['id', 'number', 'company_number', 'identifier', 'orgnr', 'filter[id]'];
const SIZE_PARAMS = ['per_page', 'page_size', 'size', 'limit', 'items_per_page', 'page[size]'];
const LISTS = [
  '',
  '/results',
  '/items',
  '/data',
  '/companies',
  '/_embedded/entities',
  '/response/docs',
  '/hits/hits',
];
const ITEMS = ['', '', '', '/company', '/resource/attributes'];
const IDS = ['/id', '/entity_id', '/company_number', '/registration/number', '/lei', '/key'];
const NAMES = ['/name', '/title', '/legal_name', '/company/name', '/names/legal/text'];
const TOTALS = [
  null,
  '/total',
  '/total_count',
  '/page/totalElements',
  '/meta/pagination/total',
  '/count/all',
];
const ROOTS = ['', '', '/data', '/company', '/result/record'];
const STATS_TOTALS = [null, '/companies/total', '/total_companies', '/counts/registered', '/total'];

function profileFrom(draw: Random, seed: number): ApiProfileInput {
  const results = draw.pick(LISTS);
  const id = draw.pick(IDS);
  return {
    name: `random ${seed}`,
    ...(draw.chance(0.15) ? { paths: DOUBLED } : {}),
    ids: draw.chance(0.25) ? 'number' : 'string',
    search: searchFrom(draw, results),
    summary: { id, name: draw.pick(NAMES), fields: draw.pick([null, [], ['status', 'registered_on']]) },
    record: recordFrom(draw, id),
    gone: draw.pick(GONE),
    errors: errorsFrom(draw),
    stats: {
      total: draw.pick(STATS_TOTALS),
      ...(draw.chance(0.4) ? { fixed: { '/events_indexed': 918_273 } } : {}),
    },
    limits: {
      headers: draw.pick([[], ['ietf'], ['draft'], ['x'], ['ietf', 'x']] as const).slice(),
      describe: draw.pick(['minute', 'allowance']),
    },
  };
}

const DOUBLED = {
  search: '/api/api/search',
  entity: '/api/api/entity/{id}',
  stats: '/api/api/registry/stats',
};

const GONE: ApiProfileInput['gone'][] = [
  { as: 'not_found' },
  { as: 'gone' },
  { as: 'marked', at: '/deleted_at' },
  { as: 'marked', at: '/class', is: 'DeletedCompany', live: 'Company' },
  { as: 'marked', at: '/state/removed', is: true, live: false },
];

function searchFrom(draw: Random, results: string): ApiProfileInput['search'] {
  const size = draw.pick([5, 10, 20, 25, 50]);
  const max_size = Math.max(size, draw.pick([20, 50, 100, 200]));
  const total = results === '' ? null : draw.pick(TOTALS);
  return {
    query_param: draw.pick(QUERY_PARAMS),
    identifier_param: draw.chance(0.4) ? draw.pick(IDENTIFIER_PARAMS) : null,
    unknown_params: draw.chance(0.2) ? 'refuse' : 'ignore',
    matches: draw.pick(['prefix', 'token', 'token_prefix', 'substring']),
    identifiers: draw.pick(['prefix', 'exact', 'none']),
    folding: draw.pick(['case', 'diacritics']),
    order: draw.pick(['name', 'id', 'rank', 'relevance']),
    min_length: draw.pick([0, 1, 1, 1, 2, 3]),
    too_short: draw.pick(['refuse', 'empty']),
    broad_above: draw.chance(0.1) ? 200 + draw.below(1_800) : null,
    results,
    item: draw.pick(ITEMS),
    empty: results === '' ? 'list' : draw.pick(['list', 'list', 'absent', 'null']),
    total,
    total_clamped_at: draw.chance(0.2) ? draw.pick([100, 1_000, 10_000]) : null,
    paging: pagingFrom(draw, size),
    max_size,
    oversize: draw.pick(['clamp', 'refuse']),
    last_page: draw.pick(['null', 'absent']),
    absolute_urls: draw.chance(0.5),
    window: draw.chance(0.5) ? windowFrom(draw) : null,
    ...(results !== '' && draw.chance(0.4) ? { echo: { '/info/rows': 'rows', '/info/query': 'query' } } : {}),
  };
}

type PagingInput = NonNullable<NonNullable<ApiProfileInput['search']>['paging']>;

function pagingFrom(draw: Random, size: number): PagingInput {
  const size_param = draw.chance(0.75) ? draw.pick(SIZE_PARAMS) : null;
  return { ...PAGING[draw.pick(PAGING_STYLES)](draw), size_param, size };
}

const PAGING_STYLES = ['page', 'page', 'offset', 'cursor', 'next_url', 'link_header', 'none'] as const;

/** Random settings for each paging style, without the page size. */
const PAGING: { readonly [Style in PagingInput['style']]: (draw: Random) => PagingInput } = {
  none: () => ({ style: 'none' }),
  page: (draw) => ({
    style: 'page',
    param: draw.pick(['page', 'p', 'page_number', 'page[number]']),
    first: draw.pick([0, 1]),
  }),
  offset: (draw) => ({
    style: 'offset',
    param: draw.pick(['offset', 'start', 'skip', 'start_index']),
    first: 0,
  }),
  cursor: (draw) => ({
    style: 'cursor',
    param: draw.pick(['cursor', 'page_token']),
    next: '/paging/next_cursor',
  }),
  next_url: (draw) => ({ style: 'next_url', next: draw.pick(['/links/next', '/next']) }),
  link_header: () => ({ style: 'link_header' }),
};

function windowFrom(draw: Random): NonNullable<ApiProfileInput['search']>['window'] {
  return {
    rows: draw.pick([100, 200, 1_000]),
    counts: draw.pick(['start', 'end']),
    beyond: draw.pick(['empty', 400, 416, 422]),
  };
}

function recordFrom(draw: Random, summaryId: string): ApiProfileInput['record'] {
  const root = draw.pick(ROOTS);
  return {
    root,
    id: draw.chance(0.6) ? summaryId : draw.pick(IDS),
    name: draw.pick(NAMES),
    volatile: draw.chance(0.3) ? ['/retrieved_at'] : [],
    ...(root !== '' && draw.chance(0.4) ? { fixed: { '/api_version': '2.1' } } : {}),
  };
}

function errorsFrom(draw: Random): ApiProfileInput['errors'] {
  const body = draw.pick(ERROR_BODIES);
  const retry_after = () => draw.pick(['seconds', 'seconds', 'date', 'none'] as const);
  // With an empty body, only the status identifies a rejection, so each kind has its own status.
  const throttled = body === 'empty' ? 429 : draw.pick([429, 429, 403, 503, 200]);
  const exhausted = body === 'empty' ? 402 : draw.pick([429, 429, 403, 402, 200]);
  return {
    body,
    throttled: { status: throttled, retry_after: retry_after() },
    exhausted: { status: exhausted, retry_after: retry_after() },
  };
}
