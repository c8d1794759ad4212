import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseJson } from '../../src/dialect/json.ts';
import { PROBLEMS } from '../../src/server/problems.ts';
import { type Sandbox, startSandbox } from '../../src/server/sandbox.ts';
import { ask } from './asking.ts';

const COMPANIES = [
  {
    id: '00000417',
    name: 'Müller & Söhne GmbH',
    fields: { status: 'active', tax_reference: 9_007_199_254_740_993n },
  },
  { id: 'SC000193', name: "O'Brien “Quoted” Ltd", fields: { status: 'dissolved' } },
  { id: '000028V', name: '株式会社あおス', fields: { status: 'active', officers: [{ name: '佐藤 花子' }] } },
  { id: 'us_ca/C32 68%2F', name: 'Mueller Holdings', fields: { status: 'active' } },
];

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({
    companies: COMPANIES,
    accounts: [{ id: 'main' }, { id: 'barred' }, { id: 'limited', perMinute: 2, total: 100 }],
  });
  sandbox.accounts.suspend('barred');
});
afterAll(() => sandbox.close());

describe('search', () => {
  test('finds companies by name, each with its entity id', async () => {
    const { status, headers, json } = await ask(sandbox, `/api/search?q=${encodeURIComponent('müll')}`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(json).toEqual({
      total: 1,
      results: [{ id: '00000417', name: 'Müller & Söhne GmbH', status: 'active' }],
    });
  });

  test('finds companies by identifier through the same parameter', async () => {
    expect((await ask(sandbox, '/api/search?q=sc0001')).json).toMatchObject({
      total: 1,
      results: [{ id: 'SC000193' }],
    });
  });

  test('nothing found is an empty list and a total of 0', async () => {
    expect((await ask(sandbox, '/api/search?q=nothing')).json).toEqual({ total: 0, results: [] });
  });

  test.each([
    ['no query', ''],
    ['an empty query', '?q='],
    ['a page of 0', '?q=a&page=0'],
    ['a page that is no number', '?q=a&page=one'],
    ['a negative page size', '?q=a&per_page=-1'],
    ['the same parameter twice', '?q=a&q=b'],
    ['a query of 3,000 letters', `?q=${'a'.repeat(3_000)}`],
  ])('%s is refused with 400', async (_what, query) => {
    const { status, json } = await ask(sandbox, `/api/search${query}`);
    expect(status).toBe(400);
    expect(json).toMatchObject({
      status: 400,
      code: expect.stringMatching(/^(parameter_invalid|query_too_short)$/),
    });
  });

  test('a page size above the maximum gets the maximum', async () => {
    const { json } = await ask(sandbox, '/api/search?q=m&per_page=1000000');
    expect(json).toMatchObject({ total: 2 });
  });
});

describe('entity', () => {
  test('gives the canonical record, integers beyond 2^53 to the digit', async () => {
    const { status, text } = await ask(sandbox, '/api/entity/00000417');
    expect(status).toBe(200);
    expect(text).toContain('"tax_reference":9007199254740993');
    expect(parseJson(text)).toMatchObject({ id: '00000417', name: 'Müller & Söhne GmbH' });
  });

  test('ids may hold slashes, spaces and percent signs', async () => {
    const { json } = await ask(sandbox, `/api/entity/${encodeURIComponent('us_ca/C32 68%2F')}`);
    expect(json).toMatchObject({ id: 'us_ca/C32 68%2F', name: 'Mueller Holdings' });
  });

  test('an unknown id is 404, as a problem document with a stable code', async () => {
    const { status, headers, json } = await ask(sandbox, '/api/entity/99999999');
    expect(status).toBe(404);
    expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(json).toEqual({
      type: '/problems/entity_not_found',
      title: PROBLEMS.entity_not_found.title,
      status: 404,
      detail: PROBLEMS.entity_not_found.title,
      instance: '/api/entity/99999999',
      code: 'entity_not_found',
    });
  });
});

test('the statistics count the companies', async () => {
  const { status, json } = await ask(sandbox, '/api/registry/stats');
  expect(status).toBe(200);
  expect(json).toMatchObject({ companies: { total: 4 }, coverage: { complete: true } });
});

describe('keys', () => {
  const paths = ['/api/search?q=a', '/api/entity/00000417', '/api/registry/stats'];

  test.each(paths)('%s without a key is 401, with a challenge', async (path) => {
    const response = await fetch(sandbox.url + path);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="registry"');
    expect(await response.json()).toMatchObject({ code: 'credentials_missing' });
  });

  test.each(['Bearer nobody', 'bearer nobody'])('%s is 401 as an invalid token', async (authorization) => {
    const response = await fetch(`${sandbox.url}/api/search?q=a`, { headers: { authorization } });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="registry", error="invalid_token"');
  });

  test.each(['Basic bm9ib2R5', 'Bearer', 'Bearer a b'])('"%s" counts as no key', async (authorization) => {
    const response = await fetch(`${sandbox.url}/api/search?q=a`, { headers: { authorization } });
    expect(await response.json()).toMatchObject({ status: 401, code: 'credentials_missing' });
  });

  test('a key in the query is no key', async () => {
    const response = await fetch(`${sandbox.url}/api/search?q=a&api_key=${sandbox.keyOf('main')}`);
    expect(response.status).toBe(401);
  });

  test('a suspended account is 403', async () => {
    const { status, json } = await ask(sandbox, '/api/registry/stats', {}, 'barred');
    expect(status).toBe(403);
    expect(json).toMatchObject({ code: 'account_suspended' });
  });

  test('after a change of key the old one is refused', async () => {
    const old = sandbox.keyOf('main');
    sandbox.accounts.rekey('main');
    const response = await fetch(`${sandbox.url}/api/registry/stats`, {
      headers: { authorization: `Bearer ${old}` },
    });
    expect(response.status).toBe(401);
    expect((await ask(sandbox, '/api/registry/stats')).status).toBe(200);
  });
});

describe('what is not there', () => {
  test.each(['/', '/api', '/api/', '/api/entity', '/api/api/search?q=a', '/api/search/x'])(
    '%s is 404',
    async (path) => {
      expect(await ask(sandbox, path)).toMatchObject({ status: 404, json: { code: 'not_found' } });
    },
  );

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    '%s is 405, and Allow names GET',
    async (method) => {
      for (const path of ['/api/search?q=a', '/api/entity/00000417', '/api/registry/stats']) {
        const { status, headers, json } = await ask(sandbox, path, { method });
        expect(status).toBe(405);
        expect(headers.get('allow')).toBe('GET');
        expect(json).toMatchObject({ code: 'method_not_allowed' });
      }
    },
  );

  test('HEAD is 405 without a body', async () => {
    expect(await ask(sandbox, '/api/registry/stats', { method: 'HEAD' })).toMatchObject({
      status: 405,
      text: '',
    });
  });

  test('a body of any size and type does not change that', async () => {
    const body = 'x'.repeat(100_000);
    const { status } = await ask(sandbox, '/api/search', {
      method: 'POST',
      body,
      headers: { 'content-type': 'a/b' },
    });
    expect(status).toBe(405);
  });
});

test('limits are told with every answer', async () => {
  const first = await ask(sandbox, '/api/registry/stats', {}, 'limited');
  expect(first.headers.get('ratelimit-policy')).toBe('"minute";q=2;w=60, "total";q=100');
  expect(first.headers.get('ratelimit')).toMatch(/^"minute";r=1;t=60, "total";r=99$/);
  expect(first.headers.get('ratelimit-limit')).toBe('2');
  expect(first.headers.get('ratelimit-remaining')).toBe('1');
  await ask(sandbox, '/api/entity/none', {}, 'limited');
  const third = await ask(sandbox, '/api/search?q=a', {}, 'limited');
  expect(third.status).toBe(429);
  expect(third.json).toMatchObject({ code: 'rate_limited' });
  expect(Number(third.headers.get('retry-after'))).toBeGreaterThanOrEqual(59);
  expect(third.headers.get('ratelimit')).toMatch(/^"minute";r=0;t=\d+, "total";r=98$/);
});

describe('documents about the service', () => {
  test('the OpenAPI document describes the three endpoints, their parameters and refusals', async () => {
    const response = await fetch(`${sandbox.url}/openapi.json`);
    const document = (await response.json()) as OpenApi;
    expect(document.openapi).toBe('3.1.0');
    expect(Object.keys(document.paths).sort()).toEqual([
      '/api/entity/{id}',
      '/api/registry/stats',
      '/api/search',
    ]);
    const search = document.paths['/api/search']?.get;
    expect(search?.parameters?.map(({ name }) => name).sort()).toEqual(['page', 'per_page', 'q']);
    for (const { get } of Object.values(document.paths)) {
      expect(Object.keys(get.responses)).toEqual(expect.arrayContaining(['200', '401', '403', '429', '500']));
    }
    expect(Object.keys(document.paths['/api/entity/{id}']?.get.responses ?? {})).toEqual(
      expect.arrayContaining(['404', '410']),
    );
    expect(document.components.securitySchemes.key).toEqual({ type: 'http', scheme: 'bearer' });
  });

  test('every problem code has a page at its type', async () => {
    for (const [code, { status, title }] of Object.entries(PROBLEMS)) {
      const response = await fetch(`${sandbox.url}/problems/${code}`);
      expect(await response.json()).toEqual({ code, status, title });
    }
    expect((await fetch(`${sandbox.url}/problems/toString`)).status).toBe(404);
  });
});

test('every request is an arrival, with its account, target and status', async () => {
  sandbox.reset();
  const before = Date.now();
  await ask(sandbox, '/api/entity/SC000193');
  await ask(sandbox, '/api/nowhere');
  await fetch(`${sandbox.url}/api/search?q=a`);
  await fetch(`${sandbox.url}/_sandbox/arrivals`);
  const arrivals = sandbox.arrivals();
  expect(arrivals).toMatchObject([
    { account: 'main', kind: 'entity', target: 'SC000193', status: 200 },
    { account: null, kind: 'other', target: '/api/nowhere', status: 404 },
    { account: null, kind: 'search', target: '/api/search?q=a', status: 401 },
  ]);
  for (const { at } of arrivals) expect(Math.abs(at - before)).toBeLessThan(60_000);
});

test('a script outside reads the truth without being counted', async () => {
  sandbox.reset();
  const lines = async (what: string) =>
    (await (await fetch(`${sandbox.url}/_sandbox/${what}`)).text())
      .trim()
      .split('\n')
      .map((line) => parseJson(line));
  const entities = await lines('entities');
  expect(entities).toHaveLength(4);
  expect(entities[0]).toEqual({
    id: '00000417',
    gone: false,
    document: (await ask(sandbox, '/api/entity/00000417')).json,
  });
  expect(await lines('summaries')).toHaveLength(4);
  expect((await fetch(`${sandbox.url}/_sandbox/nothing`)).status).toBe(404);
  expect(sandbox.arrivals()).toHaveLength(1);
});

interface OpenApi {
  readonly openapi: string;
  readonly paths: Record<
    string,
    { get: { parameters?: { name: string }[]; responses: Record<string, unknown> } }
  >;
  readonly components: { securitySchemes: Record<string, unknown> };
}
