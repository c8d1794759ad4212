import { expect, test } from 'vitest';
import { probeAt, syncAt } from '../support/probe.ts';
import { startRegistry } from '../support/small_registry.ts';

/** Registries that list all companies at /api/search, each in its own way. They ignore unknown parameters. */

const COMPANIES = Array.from({ length: 170 }, (_, index) => ({
  id: `R${1000 + index}`,
  name: `${['Harbour', 'Meadow', 'Castle', 'River', 'Stone'][index % 5]} ${['Trading', 'Foods', 'Holdings'][index % 3]} ${index}`,
}));

/**
 * Starts a registry. `list` returns the body of a search; null stands for the error 500, undefined for 404. A body with an
 * `error` has the status 400.
 */
function registryOf(list: (params: URLSearchParams) => unknown) {
  return startRegistry(({ pathname, params }) => {
    const company = COMPANIES.find(({ id }) => pathname === `/api/entity/${id}`);
    const body = pathname === '/api/search' ? list(params) : company;
    const isError = typeof body === 'object' && body !== null && 'error' in body;
    return { status: body === null ? 500 : body === undefined ? 404 : isError ? 400 : 200, body };
  });
}

const numberIn = (params: URLSearchParams, name: string, byDefault: number) =>
  params.has(name) ? Number(params.get(name)) : byDefault;

test('an API that returns cursors only on request is listed with them, although its pages end at a window', async () => {
  const { place, calls } = await registryOf((params) => {
    const cursor = params.get('cursorMark');
    const first = cursor === null ? 20 * (numberIn(params, 'page', 1) - 1) : Number(cursor.slice(1)) || 0;
    if (cursor === null && first > 60) return null;
    const docs = COMPANIES.slice(first, first + 20);
    const next = cursor === null ? {} : { nextCursorMark: `c${Math.min(first + 20, COMPANIES.length)}` };
    return { numFound: COMPANIES.length, docs, ...next };
  });
  const { draft } = await probeAt(place);
  expect(draft?.dialect.search.paging).toMatchObject({
    param: 'cursorMark',
    first: '*',
    next: '/nextCursorMark',
  });
  expect(calls()).toBeLessThanOrEqual(16);
  const { known, ended } = await syncAt(place.config());
  expect([ended, known.size]).toEqual(['done', COMPANIES.length]);
});

test.each([
  ['pagetoken', 'next_page_token'],
  ['nextToken', 'NextToken'],
  ['curseur', 'suivant'],
])('the parameter %s for a cursor is found among many, however %s is spelled', async (param, key) => {
  const { place } = await registryOf((params) => {
    const first = Number(params.get(param)?.slice(1) ?? 0);
    const next = first + 20 < COMPANIES.length ? { [key]: `t${first + 20}` } : {};
    return { results: COMPANIES.slice(first, first + 20), ...next };
  });
  const { draft } = await probeAt(place);
  expect(draft?.dialect.search.paging).toMatchObject({ param, next: `/${key}` });
});

test.each([0, 1])(
  'a listing with another order in each response is read without a query if its first page is %i',
  async (first) => {
    const towns = ['Ayr', 'Bath', 'Cork'];
    const { place } = await registryOf((params) => {
      const page = Math.max(0, numberIn(params, 'page', first) - first);
      const byTown = Map.groupBy(COMPANIES, ({ id }) => towns[Number(id.slice(1)) % 3]);
      // Companies of the same town come in any order.
      const rows = towns.flatMap((town) => (byTown.get(town) ?? []).toSorted(() => Math.random() - 0.5));
      return { businesses: rows.slice(page * 20, page * 20 + 20) };
    });
    const { draft, beliefs } = await probeAt(place);
    expect(draft?.dialect.search).toMatchObject({
      query_param: null,
      paging: { style: 'page', param: 'page' },
    });
    expect(beliefs.search?.paging).toMatchObject({ certainty: 'likely', isOrderUnstable: true });
    const { known, ended } = await syncAt(place.config());
    expect(ended).toBe('done');
    // Some companies can be missing from every reading.
    expect(known.size).toBeGreaterThan(0.95 * COMPANIES.length);
  },
);

test('two equal requests without results show no other order', async () => {
  const { place } = await registryOf((params) => {
    const query = params.get('query')?.toLowerCase() ?? '';
    const page = Math.max(0, numberIn(params, 'page', 1) - 1);
    const found = query.length < 2 ? [] : COMPANIES.filter(({ name }) => name.toLowerCase().includes(query));
    return { data: found.slice(page * 20, page * 20 + 20) };
  });
  const { draft, beliefs } = await probeAt(place);
  expect(beliefs.search?.paging.isOrderUnstable).toBe(false);
  expect(draft?.dialect.search.paging).toMatchObject({ style: 'page', param: 'page' });
});

test('a probe learns what a search that finds nothing returns, although no other request shows it', async () => {
  const { place } = await registryOf((params) => {
    const query = params.get('q')?.toLowerCase() ?? '';
    const isFound = ({ id, name }: (typeof COMPANIES)[number]) =>
      `${id} ${name}`.toLowerCase().includes(query);
    const found = COMPANIES.filter(isFound);
    // Some companies are found by a name that the results do not show, so that no query rule fits.
    const others = COMPANIES.filter((company) => !isFound(company)).slice(0, found.length / 8);
    const results = [...others, ...found];
    return found.length === 0 ? undefined : { total: results.length, results: results.slice(0, 20) };
  });
  const { draft } = await probeAt(place);
  expect(draft?.dialect.responses).toContainEqual(expect.objectContaining({ status: 404, means: 'absent' }));
});

test('a listing without cursors is read by the last id on each page, and an echo of it is no cursor', async () => {
  const { place } = await registryOf((params) => {
    const after = params.get('starting_after');
    const first = COMPANIES.findIndex(({ id }) => id === after) + 1;
    const data = COMPANIES.slice(first, first + 20);
    return { object: 'list', after, data, has_more: first + 20 < COMPANIES.length };
  });
  const { draft } = await probeAt(place);
  expect(draft?.dialect.search.paging).toMatchObject({ param: 'starting_after', next: '/data/[last]/id' });
  const { known, ended } = await syncAt(place.config());
  expect([ended, known.size]).toEqual(['done', COMPANIES.length]);
});

test('a registry that refuses some names and ignores all others is listed by its links', async () => {
  const { place } = await registryOf((params) => {
    const refused = [...params.keys()].filter((name) => /^[a-z]+$/.test(name));
    if (refused.length > 0)
      return { error: `The following query parameters are not valid: '${refused.join("', '")}'.` };
    const first = numberIn(params, 'page[offset]', 0);
    const next = first + 50 < COMPANIES.length ? { next: `/api/search?page[offset]=${first + 50}` } : {};
    return { data: COMPANIES.slice(first, first + 50), links: { self: '/api/search', ...next } };
  });
  const { draft } = await probeAt(place);
  expect(draft?.dialect).toMatchObject({
    search: { query_param: null, min_length: 0, paging: { style: 'next_url' } },
    entity: { id: '/id', name: '/name' },
  });
});

test('a parameter with a constant value in the configured path takes no expression', async () => {
  const { place } = await registryOf((params) => {
    const text = /LIKE UPPER\('%(.*)%'\)/.exec(params.get('where') ?? '')?.[1];
    const found = COMPANIES.filter(({ name }) => name.includes(text ?? ''));
    const first = numberIn(params, 'resultOffset', 0);
    return { features: found.slice(first, first + 20), exceededTransferLimit: true };
  });
  const paths = '{ search: "/api/search?where=1%3D1", entity: "/api/entity/{id}", stats: null }';
  place.write(place.text().replace('upstream: { ', `upstream: { paths: ${paths}, `).replace('/api",', '",'));
  const { draft } = await probeAt(place);
  expect(draft?.dialect.search).toMatchObject({ query_param: null, paging: { param: 'resultOffset' } });
});
