import { ApiProfile, type ApiProfileInput, type Echo } from '../../src/api/api_profile.ts';
import { ERROR_BODIES } from '../../src/api/error_bodies.ts';
import { type Random, seededRandom } from '../../src/random.ts';

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
  const paths = draw.chance(0.15) ? DOUBLED : undefined;
  const ids = draw.chance(0.25) ? 'number' : 'string';
  const search = searchFrom(draw, results);
  const name = draw.pick(NAMES);
  const fields = draw.pick([null, [], ['status', 'registered_on']]);
  const record = recordFrom(draw, id);
  const { mark, ...gone } = draw.pick(GONE);
  const errors = errorsFrom(draw);
  const total = draw.pick(STATS_TOTALS);
  return {
    name: `random ${seed}`,
    paths,
    ids,
    dialect: {
      search: { ...search.dialect, id, name },
      entity: { ...record.dialect, gone: mark ?? null },
      stats: { total },
      volatile: record.volatile,
    },
    search: search.facts,
    summary: { fields },
    record: { ...record.facts, ...gone },
    errors,
    stats: draw.chance(0.4) ? { fixed: { '/events_indexed': 918_273 } } : {},
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

const GONE: (NonNullable<ApiProfileInput['record']> & { readonly mark?: Mark })[] = [
  { gone: 'not_found' },
  { gone: 'gone' },
  { mark: { at: '/deleted_at' } },
  { mark: { at: '/class', is: 'DeletedCompany' }, live: 'Company' },
  { mark: { at: '/state/removed', is: true }, live: false },
];

/** Draws the search part of the dialect, and the facts about searches that a dialect does not have. */
function searchFrom(
  draw: Random,
  results: string,
): { readonly dialect: SearchInput; readonly facts: ApiProfileInput['search'] } {
  const default_size = draw.pick([5, 10, 20, 25, 50]);
  const max_size = Math.max(default_size, draw.pick([20, 50, 100, 200]));
  const total = results === '' ? null : draw.pick(TOTALS);
  const query_param = draw.pick(QUERY_PARAMS);
  const identifier_param = draw.chance(0.4) ? draw.pick(IDENTIFIER_PARAMS) : null;
  const unknown_params = draw.chance(0.2) ? ('refuse' as const) : ('ignore' as const);
  const matches = draw.pick(['prefix', 'token', 'token_prefix', 'substring'] as const);
  const identifiers = draw.pick(['prefix', 'exact', 'none'] as const);
  const folding = draw.pick(['case', 'diacritics'] as const);
  const order = draw.pick(['name', 'id', 'rank', 'relevance'] as const);
  const min_length = draw.pick([0, 1, 1, 1, 2, 3]);
  const too_short = draw.pick(['refuse', 'empty'] as const);
  const broad_above = draw.chance(0.1) ? 200 + draw.below(1_800) : null;
  const item = draw.pick(ITEMS);
  const empty = results === '' ? 'list' : draw.pick(['list', 'list', 'absent', 'null'] as const);
  const total_clamped_at = draw.chance(0.2) ? draw.pick([100, 1_000, 10_000]) : null;
  const paging = pagingFrom(draw, default_size, max_size);
  const oversize = draw.pick(['clamp', 'refuse'] as const);
  const last_page = draw.pick(['null', 'absent'] as const);
  const absolute_urls = draw.chance(0.5);
  const { rows, ...window } = draw.chance(0.5) ? windowFrom(draw) : { rows: null };
  const echo: Record<string, Echo> =
    results !== '' && draw.chance(0.4) ? { '/info/rows': 'rows', '/info/query': 'query' } : {};
  return {
    dialect: {
      query_param,
      identifier_param,
      results,
      item,
      total,
      total_clamped_at,
      matches,
      identifiers,
      min_length,
      paging: { ...paging, window: rows },
    },
    facts: {
      default_size,
      unknown_params,
      folding,
      order,
      too_short,
      broad_above,
      empty,
      oversize,
      last_page,
      absolute_urls,
      window,
      echo,
    },
  };
}

type SearchInput = NonNullable<NonNullable<ApiProfileInput['dialect']>['search']>;
type PagingInput = NonNullable<SearchInput['paging']>;
type Mark = NonNullable<NonNullable<NonNullable<ApiProfileInput['dialect']>['entity']>['gone']>;

function pagingFrom(draw: Random, defaultSize: number, maxSize: number): PagingInput {
  const size_param = draw.chance(0.75) ? draw.pick(SIZE_PARAMS) : null;
  const size = size_param === null ? defaultSize : maxSize;
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

function windowFrom(draw: Random) {
  return {
    rows: draw.pick([100, 200, 1_000]),
    counts: draw.pick(['start', 'end'] as const),
    beyond: draw.pick(['empty', 400, 416, 422] as const),
  } as const;
}

function recordFrom(draw: Random, summaryId: string) {
  const root = draw.pick(ROOTS);
  const id = draw.chance(0.6) ? summaryId : draw.pick(IDS);
  const name = draw.pick(NAMES);
  const volatile = draw.chance(0.3) ? ['/retrieved_at'] : [];
  const fixed: Record<string, string> = root !== '' && draw.chance(0.4) ? { '/api_version': '2.1' } : {};
  return { dialect: { root, id, name }, volatile, facts: { fixed } };
}

function errorsFrom(draw: Random): ApiProfileInput['errors'] {
  const body = draw.pick(ERROR_BODIES.filter((form) => form !== 'text'));
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
