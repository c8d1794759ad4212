import { expect, test } from 'vitest';
import { FIRST_PAGE } from '../../src/call.ts';
import { classify } from '../../src/dialect/classify.ts';
import { rereadSoftErrors, softError } from '../../src/probe/soft_errors.ts';
import { probeAt, syncAt } from '../support/probe.ts';
import { searchExchange } from '../support/probe_exchanges.ts';
import { probedWith } from '../support/probed_api.ts';
import { startRegistry } from '../support/small_registry.ts';

/** Registries in which every response has the status 200, and a code or message in the body shows its meaning. */

const WORDS = 'Amber Birch Cedar Delta Ember Fjord Grove Heron Islay Jarrow Kestrel Linden'.split(' ');
const COMPANIES = Array.from({ length: 36 }, (_, index) => ({
  id: `R${1000 + index * 7}`,
  name: `${WORDS[index % WORDS.length]} ${['Trading', 'Foods', 'Services'][index % 3]} ${index} Co Limited`,
}));

type Company = (typeof COMPANIES)[number];

/** Starts a registry with this body for the companies that a search or a record request finds. */
async function registryWith(bodyFor: (found: readonly Company[]) => object | string, param = 'q') {
  return await startRegistry(({ pathname, params }) => {
    const query = params.get(param)?.toLowerCase();
    const id = /^\/api\/entity\/(.*)/.exec(pathname)?.[1];
    if (pathname === '/api/search')
      return { body: bodyFor(COMPANIES.filter(({ name }) => query && name.toLowerCase().includes(query))) };
    const company = COMPANIES.find((one) => one.id === id);
    return company === undefined ? { status: 404 } : { body: company };
  }, COMPANIES.length);
}

const search = {
  kind: 'search',
  query: { by: 'name', text: 'amber' },
  page: FIRST_PAGE,
  reason: '',
  expected: 0,
} as const;

function reply(json: object) {
  return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(json)) };
}

const CIRCUMSTANCES = { nowMs: 0, keyHasWorked: true };

test('a code that responses with companies have too is no error in a response without companies', async () => {
  const { place } = await registryWith((results) => ({ error: 'OK', count: results.length, results }));
  const { draft } = await probeAt(place);
  expect(draft?.dialect.responses).toEqual([]);
  const { known, ended } = await syncAt(place.config());
  expect([ended, known.size]).toEqual(['done', COMPANIES.length]);
});

test.each([
  ['a code', { error_code: 300_000, reason: 'no data' }, { error_code: 10_012, reason: 'ip banned' }],
  ['a status as in HTTP', { status: '201', data: null }, { status: '105', data: null }],
  [
    'a message',
    { result: 'error', message: 'No records' },
    { result: 'error', message: 'Slow down, please' },
  ],
])('%s can report that nothing was found, and another value a refusal', async (_, nothing, refusal) => {
  const { place } = await registryWith((result) =>
    result.length === 0 ? { ...nothing, calls: 17 } : { result, calls: 17 },
  );
  const { draft } = await probeAt(place);
  const dialect = draft?.dialect;
  expect(dialect?.search.query_param).toBe('q');
  if (dialect === undefined) return;
  expect(classify(dialect, search, reply({ ...nothing, calls: 18 }), CIRCUMSTANCES).is).toBe('ok');
  expect(classify(dialect, search, reply({ ...refusal, calls: 18 }), CIRCUMSTANCES).is).toBe('refused');
  const { known, ended } = await syncAt(place.config());
  expect([ended, known.size]).toEqual(['done', COMPANIES.length]);
});

test('an error that a longer query has means that nothing was found, although the other search had a page size', () => {
  const found = searchExchange({ code: 0, rows: [{ id: '1' }] }, 'ltd');
  const sized = {
    ...found,
    request: { ...found.request, params: [...found.request.params, ['limit', '9']] },
  };
  const nothing = { ...searchExchange({ code: 7, rows: null }, 'zqxjwv'), reading: 'refused' } as const;
  const read = rereadSoftErrors([nothing, sized as typeof found, nothing]);
  expect(read.map(({ reading }) => reading)).toEqual(['absent', 'ok', 'absent']);
});

test('of two errors in a list, the one that a search without parameters has asks for them', () => {
  const answer = (text: string, query?: string) => {
    const exchange = searchExchange([{ Error: text }], query);
    return { ...exchange, reading: softError(exchange.json) === null ? 'ok' : 'refused' } as const;
  };
  const [bare, other, empty] = [
    answer('Criteria missing'),
    answer('Criteria missing', 'a'),
    answer('None', 'b'),
  ];
  const read = rereadSoftErrors([bare, other, searchExchange([{ id: '1' }, { id: '2' }], 'c'), empty]);
  expect(read.map(({ reading }) => reading)).toEqual(['refused', 'refused', 'ok', 'absent']);
});

test('an error that repeats a word of its search refuses it, and others mean that nothing was found', () => {
  const answersTo = (error: string) => {
    const refused = { ...searchExchange({ error }, 'Amber'), reading: 'refused' } as const;
    return rereadSoftErrors([refused, searchExchange({ rows: [{ id: '1' }] }, 'ltd')])[0]?.reading;
  };
  expect(answersTo('Invalid field: Amber')).toBe('refused');
  expect(answersTo('No results for Amber')).toBe('absent');
  expect(answersTo('Nil')).toBe('absent');
});

test('a status in the body is no error if the body has data', () => {
  expect(softError({ status: '201', data: null })).not.toBeNull();
  expect(softError({ status: '201', data: { total: 0, list: null } })).toBeNull();
  expect(softError({ status: '200', data: null })).toBeNull();
});

test('a text instead of a list can report that nothing was found', async () => {
  const { place } = await registryWith((results) => (results.length === 0 ? 'No results.' : results));
  const { draft } = await probeAt(place);
  expect(draft?.dialect.responses).toEqual([
    { kind: 'search', status: 200, at: '', is: 'No results.', means: 'absent' },
  ]);
  const { known, ended } = await syncAt(place.config());
  expect([ended, known.size]).toEqual(['done', COMPANIES.length]);
});

test('an error about a query that is too short is not a search without matches', async () => {
  const { place } = await startRegistry(({ pathname, params }) => {
    const query = params.get('q')?.toLowerCase() ?? '';
    const company = COMPANIES.find(({ id }) => pathname === `/api/entity/${id}`);
    if (pathname !== '/api/search') return company === undefined ? { status: 404 } : { body: company };
    if (query.length < 4) return { body: { error: 'query too short' } };
    const found = COMPANIES.filter(({ name }) => name.toLowerCase().includes(query));
    return { body: { total: found.length, found } };
  });
  const { draft } = await probeAt(place);
  expect(draft?.dialect.responses).toMatchObject([{ at: '/error', means: 'refused' }]);
});

test('a key that is null in successful responses is an error in other responses', async () => {
  const { place } = await startRegistry(({ pathname, params }) => {
    const query = params.get('q')?.toLowerCase();
    const company = COMPANIES.find(({ id }) => pathname === `/api/entity/${id}`);
    if (pathname !== '/api/search') return company === undefined ? { status: 404 } : { body: company };
    if (!query) return { body: { Data: null, Total: 0, Errors: 'Invalid filter' } };
    const found = COMPANIES.filter(({ name }) => name.toLowerCase().includes(query));
    return { body: { Data: found, Total: found.length, Errors: null } };
  }, COMPANIES.length);
  const { draft } = await probeAt(place);
  expect(draft?.dialect.responses).toMatchObject([{ at: '/Errors', means: 'refused' }]);
  const { known, ended } = await syncAt(place.config());
  expect([ended, known.size]).toEqual(['done', COMPANIES.length]);
});

test('a list whose only row is an error is empty, and a list of page links has no companies', async () => {
  const { place } = await registryWith((found) => ({
    link: ['self', 'first'].map((rel) => ({ rel, href: `https://r.example/search?rows=${found.length}` })),
    entry: found.length === 0 ? [{ '@_fa': true, error: 'Result set was empty' }] : found,
  }));
  const { draft } = await probeAt(place);
  expect(draft?.dialect.search.results).toBe('/entry');
  const { known, ended } = await syncAt(place.config());
  expect([ended, known.size]).toEqual(['done', COMPANIES.length]);
});

test.each([
  ['INVALID_REQUEST', true],
  ['accessDenied', true],
  ['ZERO_RESULTS', false],
])('a status %s in a successful response is a refusal: %s', (status, isRefusal) => {
  expect(softError({ status, results: [] }) !== null).toBe(isRefusal);
});

test('a path that answers like another missing path gets no queries', () => {
  const { searches } = probedWith(
    ({ path }) => ({ status: 404, json: { message: `No resource at ${path}` } }),
    { search: '/companies', entity: '/companies/{id}', stats: '/figures' },
  );
  expect(searches.length).toBeLessThanOrEqual(1);
});

test('an error about a missing query states its shortest length', () => {
  const beliefs = probedWith(
    ({ params }) =>
      params.some(([name]) => name === 'q')
        ? { status: 200, json: { results: [], total: 0 } }
        : { status: 400, json: { message: 'q must have at least 2 characters.' } },
    { search: '/firms', entity: '/firms/{id}', stats: null },
  );
  expect(beliefs.minQueryChars).toBe(2);
});

test('at a configured path that fails without a query, probe tries parameters before it asks for one', () => {
  const paths = { search: '/firms', entity: '/firms/{id}', stats: null };
  const broken = { status: 500, json: undefined };
  const { query } = probedWith(({ kind, params, path }) => {
    const text = params.find(([name]) => name === 'q')?.[1]?.toLowerCase();
    const found = COMPANIES.filter(({ name }) => name.toLowerCase().includes(text ?? ''));
    if (kind === 'entity') return { status: 200, json: COMPANIES.find(({ id }) => path.endsWith(id)) };
    return text === undefined ? broken : { status: 200, json: found };
  }, paths);
  expect(query.value?.param).toBe('q');
  const { questions, calls } = probedWith(() => broken, paths);
  expect(questions[0]?.about).toBe('query_param');
  expect(calls).toBeLessThan(10);
});

test('pages of different lengths are read until one is not found', async () => {
  const lists = [COMPANIES.slice(0, 9), COMPANIES.slice(9, 16), COMPANIES.slice(16, 22), COMPANIES.slice(22)];
  const { place } = await startRegistry(({ pathname, params }) => {
    const id = /^\/api\/entity\/(.*)/.exec(pathname)?.[1];
    if (pathname === '/api/search') {
      const list = lists[Number(params.get('page') ?? '1') - 1];
      return list === undefined ? { status: 404, body: { error: 'no such page' } } : { body: list };
    }
    const company = COMPANIES.find((one) => one.id === id);
    return company === undefined ? { status: 404 } : { body: company };
  }, COMPANIES.length);
  place.write(`${place.text()}${LISTING_ONLY}`);
  const { known, ended } = await syncAt(place.config());
  expect([ended, known.size]).toEqual(['done', COMPANIES.length]);
});

const LISTING_ONLY = `
dialect:
  search:
    query_param: null
    min_length: 0
    paging: { style: page, param: page, first: 1, uneven: true }
    results: ""
    id: /id
    name: /name
  entity: { id: /id, name: /name }
`;
