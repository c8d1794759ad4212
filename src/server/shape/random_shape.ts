import { ERROR_BODIES, Shape, type ShapeInput } from './shape.ts';

/**
 * A shape drawn from everything that a shape can be: paging × envelope × total × semantics × cap × errors ×
 * ids × deletions, with names drawn from what APIs call things. The same seed gives the same shape.
 */
export function randomShape(seed: number): Shape {
  const draw = drawing(seed);
  for (;;) {
    // Some combinations contradict themselves (a total beside a top-level list): drawn again.
    const parsed = Shape.safeParse(shapeFrom(draw, seed));
    if (parsed.success) return parsed.data;
  }
}

interface Draw {
  one<T>(items: readonly T[]): T;
  chance(probability: number): boolean;
  number(from: number, to: number): number;
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

function shapeFrom(draw: Draw, seed: number): ShapeInput {
  const results = draw.one(LISTS);
  const id = draw.one(IDS);
  return {
    name: `random ${seed}`,
    ...(draw.chance(0.15) ? { paths: DOUBLED } : {}),
    ids: draw.chance(0.25) ? 'number' : 'string',
    search: searchFrom(draw, results),
    summary: { id, name: draw.one(NAMES), fields: draw.one([null, [], ['status', 'registered_on']]) },
    record: recordFrom(draw, id),
    gone: draw.one(GONE),
    errors: errorsFrom(draw),
    stats: {
      total: draw.one(STATS_TOTALS),
      ...(draw.chance(0.4) ? { fixed: { '/events_indexed': 918_273 } } : {}),
    },
    limits: {
      headers: draw.one([[], ['ietf'], ['draft'], ['x'], ['ietf', 'x']] as const).slice(),
      describe: draw.one(['minute', 'allowance']),
    },
  };
}

const DOUBLED = {
  search: '/api/api/search',
  entity: '/api/api/entity/{id}',
  stats: '/api/api/registry/stats',
};

const GONE: ShapeInput['gone'][] = [
  { as: 'not_found' },
  { as: 'gone' },
  { as: 'marked', at: '/deleted_at' },
  { as: 'marked', at: '/class', is: 'DeletedCompany', live: 'Company' },
  { as: 'marked', at: '/state/removed', is: true, live: false },
];

function searchFrom(draw: Draw, results: string): ShapeInput['search'] {
  const size = draw.one([5, 10, 20, 25, 50]);
  const max_size = Math.max(size, draw.one([20, 50, 100, 200]));
  const total = results === '' ? null : draw.one(TOTALS);
  return {
    query_param: draw.one(QUERY_PARAMS),
    identifier_param: draw.chance(0.4) ? draw.one(IDENTIFIER_PARAMS) : null,
    unknown_params: draw.chance(0.2) ? 'refuse' : 'ignore',
    matches: draw.one(['prefix', 'token', 'token_prefix', 'substring']),
    identifiers: draw.one(['prefix', 'exact', 'none']),
    folding: draw.one(['case', 'diacritics']),
    order: draw.one(['name', 'id', 'rank', 'relevance']),
    min_length: draw.one([0, 1, 1, 1, 2, 3]),
    too_short: draw.one(['refuse', 'empty']),
    broad_above: draw.chance(0.1) ? draw.number(200, 2_000) : null,
    results,
    item: draw.one(ITEMS),
    empty: results === '' ? 'list' : draw.one(['list', 'list', 'absent', 'null']),
    total,
    total_clamped_at: draw.chance(0.2) ? draw.one([100, 1_000, 10_000]) : null,
    paging: pagingFrom(draw, size),
    max_size,
    oversize: draw.one(['clamp', 'refuse']),
    last_page: draw.one(['null', 'absent']),
    absolute_urls: draw.chance(0.5),
    window: draw.chance(0.5) ? windowFrom(draw) : null,
    ...(results !== '' && draw.chance(0.4) ? { echo: { '/info/rows': 'rows', '/info/query': 'query' } } : {}),
  };
}

function pagingFrom(draw: Draw, size: number): NonNullable<ShapeInput['search']>['paging'] {
  const size_param = draw.chance(0.75) ? draw.one(SIZE_PARAMS) : null;
  const sized = { size_param, size };
  switch (draw.one(['page', 'page', 'offset', 'cursor', 'next_url', 'link_header', 'none'])) {
    case 'page':
      return {
        style: 'page',
        param: draw.one(['page', 'p', 'page_number', 'page[number]']),
        first: draw.one([0, 1]),
        ...sized,
      };
    case 'offset':
      return {
        style: 'offset',
        param: draw.one(['offset', 'start', 'skip', 'start_index']),
        first: 0,
        ...sized,
      };
    case 'cursor':
      return {
        style: 'cursor',
        param: draw.one(['cursor', 'page_token']),
        next: '/paging/next_cursor',
        ...sized,
      };
    case 'next_url':
      return { style: 'next_url', next: draw.one(['/links/next', '/next']), ...sized };
    case 'link_header':
      return { style: 'link_header', ...sized };
    default:
      return { style: 'none', ...sized };
  }
}

function windowFrom(draw: Draw): NonNullable<ShapeInput['search']>['window'] {
  return {
    rows: draw.one([100, 200, 1_000]),
    counts: draw.one(['start', 'end']),
    beyond: draw.one(['empty', 400, 416, 422]),
  };
}

function recordFrom(draw: Draw, summaryId: string): ShapeInput['record'] {
  const root = draw.one(ROOTS);
  return {
    root,
    id: draw.chance(0.6) ? summaryId : draw.one(IDS),
    name: draw.one(NAMES),
    volatile: draw.chance(0.3) ? ['/retrieved_at'] : [],
    ...(root !== '' && draw.chance(0.4) ? { fixed: { '/api_version': '2.1' } } : {}),
  };
}

function errorsFrom(draw: Draw): ShapeInput['errors'] {
  const body = draw.one(ERROR_BODIES);
  const retry_after = () => draw.one(['seconds', 'seconds', 'date', 'none'] as const);
  // With an empty body only the status can tell one refusal from another, and a 200 cannot at all.
  const throttled = body === 'empty' ? 429 : draw.one([429, 429, 403, 503, 200]);
  const exhausted = body === 'empty' ? 402 : draw.one([429, 429, 403, 402, 200]);
  return {
    body,
    throttled: { status: throttled, retry_after: retry_after() },
    exhausted: { status: exhausted, retry_after: retry_after() },
  };
}

/** Mulberry32, as small as such a generator gets. */
function drawing(seed: number): Draw {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    one: <T>(items: readonly T[]) => items[Math.floor(next() * items.length)] as T,
    chance: (probability) => next() < probability,
    number: (from, to) => from + Math.floor(next() * (to - from + 1)),
  };
}
