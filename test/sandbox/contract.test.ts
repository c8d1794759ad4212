import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROBLEMS } from '../../src/api/problems.ts';
import { parseJson } from '../../src/json/json.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { ask } from '../support/api_client.ts';
import { CONTRACT_COMPANIES, keepsTheContract } from '../support/api_contract.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({
    companies: CONTRACT_COMPANIES,
    accounts: [{ id: 'main' }, { id: 'barred' }, { id: 'limited', perMinute: 2, total: 100 }],
  });
  sandbox.accounts.suspend('barred', true);
});
afterAll(() => sandbox.close());

keepsTheContract(() => ({
  url: sandbox.url,
  ask: (path, options) => ask(sandbox, path, options),
  barredKey: sandbox.keyOf('barred'),
}));

test("the sandbox's statistics contain the number of companies", async () => {
  const { status, json } = await ask(sandbox, '/api/registry/stats');
  expect(status).toBe(200);
  expect(json).toMatchObject({ companies: { total: 4 }, coverage: { complete: true } });
});

test('the sandbox accepts no key in the query string', async () => {
  const response = await fetch(`${sandbox.url}/api/search?q=a&api_key=${sandbox.keyOf('main')}`);
  expect(response.status).toBe(401);
});

test('every response from the sandbox reports the limits', async () => {
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

describe("the service's documentation", () => {
  test('the OpenAPI document describes the three endpoints, their parameters and their rejections', async () => {
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

  test('the service describes every problem code at the URL that is the problem type', async () => {
    for (const [code, { status, title }] of Object.entries(PROBLEMS)) {
      const response = await fetch(`${sandbox.url}/problems/${code}`);
      expect(await response.json()).toEqual({ code, status, title });
    }
    expect((await fetch(`${sandbox.url}/problems/toString`)).status).toBe(404);
  });
});

test('the sandbox logs every request with its account, target and status', async () => {
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

test("another process can read the sandbox's state, and its requests are not counted", async () => {
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
