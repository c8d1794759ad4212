import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isoTime } from '../../src/clock.ts';
import { PROBLEMS } from '../../src/server/problems.ts';
import { openAccountFile } from '../../src/warehouse/serve_accounts.ts';
import { type Mirrored, openMirrored, type Served, serve } from './mirrored.ts';

const DAY_MS = 86_400_000;
const COMPANIES = [
  {
    id: '00000417',
    name: 'Müller & Söhne GmbH',
    fields: { status: 'active', tax_reference: 9_007_199_254_740_993n, ratio: 0.1 },
  },
  { id: 'SC000193', name: "O'Brien “Quoted” Ltd", fields: { status: 'dissolved' } },
  { id: '000028V', name: '株式会社あおス', fields: { status: 'active', officers: [{ name: '佐藤 花子' }] } },
  { id: 'us_ca/C32 68%2F', name: 'Mueller Holdings', fields: { status: 'active' } },
  { id: '00000500', name: 'Gone Away Ltd', fields: { status: 'active' } },
  { id: '00000501', name: 'Changing Names Ltd', fields: { status: 'active', capital: 1 } },
];

let mirror: Mirrored;
let served: Served;
let beforeChangesMs: number;
let key: string;

beforeAll(async () => {
  mirror = await openMirrored({ companies: COMPANIES });
  await mirror.sync();
  beforeChangesMs = mirror.now();
  mirror.sandbox.companies.remove('00000500', mirror.now());
  mirror.sandbox.companies.put({
    id: '00000501',
    name: 'Changed Name Ltd',
    fields: { status: 'active', capital: 2 },
  });
  await mirror.sync(100 * DAY_MS);
  served = await serve(mirror);
  key = served.key;
});
afterAll(async () => {
  await served.close();
  await mirror.close();
  expect(served.failures).toEqual([]);
});

const ask = (path: string, options: Parameters<Served['ask']>[1] = {}) => served.ask(path, options);

describe('search', () => {
  test('finds companies by name, as the registry lists them', async () => {
    const { status, headers, json } = await ask(`/api/search?q=${encodeURIComponent('MULL')}`);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(json).toEqual({
      total: 1,
      results: [{ id: '00000417', name: 'Müller & Söhne GmbH', status: 'active' }],
    });
  });

  test('finds companies by identifier, with the parameter for names and with one of its own', async () => {
    for (const query of ['q=sc0001', 'identifier=sc0001', 'q=SC000193'])
      expect((await ask(`/api/search?${query}`)).json).toMatchObject({
        total: 1,
        results: [{ id: 'SC000193' }],
      });
    expect((await ask('/api/search?identifier=muller')).json).toMatchObject({ total: 0 });
  });

  test('finds names by the beginnings of their words, in any script', async () => {
    for (const [query, id] of [
      ['sohne mu', '00000417'],
      ["o'bri quot", 'SC000193'],
      ['株式', '000028V'],
    ] as const)
      expect((await ask(`/api/search?q=${encodeURIComponent(query)}`)).json).toMatchObject({
        results: [{ id }],
      });
  });

  test('ranks the exact identifier first, then names that begin with the text, then the rest', async () => {
    const { json } = await ask('/api/search?q=m');
    expect(json).toMatchObject({
      total: 2,
      results: [{ name: 'Mueller Holdings' }, { name: 'Müller & Söhne GmbH' }],
    });
    expect((await ask('/api/search?q=00000501')).json).toMatchObject({ results: [{ id: '00000501' }] });
  });

  test('pages, with the total on every page, and an empty one behind the last', async () => {
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => ask(`/api/search?q=0&per_page=2&page=${page}`)),
    );
    const rows = pages.map(({ json }) => (json as { results: { id: string }[] }).results.map(({ id }) => id));
    expect(rows).toEqual([['00000417', '00000501'], ['000028V'], [], []]);
    for (const { json } of pages) expect(json).toMatchObject({ total: 3 });
  });

  test('a company that is gone is not listed, and one that changed is listed as it is', async () => {
    expect((await ask('/api/search?q=gone')).json).toMatchObject({ total: 0, results: [] });
    expect((await ask('/api/search?q=changing')).json).toMatchObject({ total: 0 });
    expect((await ask('/api/search?q=changed')).json).toMatchObject({
      results: [{ id: '00000501', name: 'Changed Name Ltd' }],
    });
  });

  test.each([
    ['no query', ''],
    ['a page of 0', '?q=a&page=0'],
    ['a page that is no number', '?q=a&page=one'],
    ['the same parameter twice', '?q=a&q=b'],
    ['both parameters', '?q=a&identifier=b'],
    ['a query of 3,000 letters', `?q=${'a'.repeat(3_000)}`],
  ])('%s is refused with 400', async (_what, query) => {
    expect(await ask(`/api/search${query}`)).toMatchObject({ status: 400, json: { status: 400 } });
  });
});

describe('entity', () => {
  test('is the answer of the registry, byte for byte, and says how old it is', async () => {
    const { status, headers, text } = await ask('/api/entity/00000417');
    const upstream = await fetch(`${mirror.sandbox.baseUrl}/entity/00000417`, {
      headers: { authorization: `Bearer ${mirror.sandbox.keyOf('main')}` },
    });
    expect(status).toBe(200);
    expect(text).toBe(await upstream.text());
    expect(text).toContain('"tax_reference":9007199254740993');
    expect(Number(headers.get('x-mirror-age'))).toBeGreaterThanOrEqual(0);
    expect(Number(headers.get('x-mirror-age'))).toBeLessThan(60);
  });

  test('ids may hold slashes, spaces and percent signs', async () => {
    const { json } = await ask(`/api/entity/${encodeURIComponent('us_ca/C32 68%2F')}`);
    expect(json).toMatchObject({ id: 'us_ca/C32 68%2F' });
  });

  test('an unknown id is 404, one that is gone 410, each as a problem with a stable code', async () => {
    const unknown = await ask('/api/entity/99999999');
    expect(unknown.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
    expect(unknown.json).toEqual({
      type: '/problems/entity_not_found',
      title: PROBLEMS.entity_not_found.title,
      status: 404,
      detail: PROBLEMS.entity_not_found.title,
      instance: '/api/entity/99999999',
      code: 'entity_not_found',
    });
    expect(await ask('/api/entity/00000500')).toMatchObject({ status: 410, json: { code: 'entity_gone' } });
  });

  test('a company that was only listed is 504, not "there is no such company"', async () => {
    mirror.sandbox.companies.put({ id: '00000900', name: 'Only Listed Ltd', fields: {} });
    await mirror.sync(100 * DAY_MS, new Set(['search']));
    await served.service.refresh();
    expect((await ask('/api/search?q=only')).json).toMatchObject({ results: [{ id: '00000900' }] });
    expect(await ask('/api/entity/00000900')).toMatchObject({
      status: 504,
      json: { code: 'record_not_mirrored' },
    });
  });

  test('an entity tag answers 304 as long as the record is the same', async () => {
    const first = await ask('/api/entity/SC000193');
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toMatch(/^"[0-9a-z]+"$/);
    const again = await ask('/api/entity/SC000193', { headers: { 'if-none-match': `"other", ${tag}` } });
    expect(again).toMatchObject({ status: 304, text: '' });
    expect(again.headers.get('etag')).toBe(tag);
    expect((await ask('/api/entity/SC000193', { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });
});

describe('as_of', () => {
  test('gives the record as it was known then', async () => {
    const before = await ask(`/api/entity/00000501?as_of=${isoTime(beforeChangesMs)}`);
    expect(before.json).toMatchObject({ name: 'Changing Names Ltd', capital: 1 });
    expect((await ask('/api/entity/00000501')).json).toMatchObject({ name: 'Changed Name Ltd', capital: 2 });
    expect(before.headers.get('etag')).not.toBe((await ask('/api/entity/00000501')).headers.get('etag'));
  });

  test('a date means the end of that day', async () => {
    const day = isoTime(beforeChangesMs).slice(0, 10);
    expect((await ask(`/api/entity/00000501?as_of=${day}`)).json).toMatchObject({ capital: 1 });
  });

  test('a company that is gone now was there before', async () => {
    expect(await ask(`/api/entity/00000500?as_of=${isoTime(beforeChangesMs)}`)).toMatchObject({
      status: 200,
      json: { name: 'Gone Away Ltd' },
    });
    expect((await ask(`/api/entity/00000500?as_of=${isoTime(mirror.now())}`)).status).toBe(410);
  });

  test('before the first version there is nothing, and the answer says since when there is', async () => {
    const { status, json } = await ask('/api/entity/00000417?as_of=1999-12-31');
    expect(status).toBe(404);
    expect(json).toMatchObject({ detail: expect.stringContaining('first version was seen at 20') });
  });

  test.each(['yesterday', '2026-13-01', '2026-01-01T00:00:00', "' OR 1=1", ''])(
    '"%s" is refused',
    async (text) => {
      expect(await ask(`/api/entity/00000417?as_of=${encodeURIComponent(text)}`)).toMatchObject({
        status: 400,
        json: { code: 'parameter_invalid' },
      });
    },
  );
});

test("the statistics are the registry's own, and beside them what the mirror holds", async () => {
  const { json } = await ask('/api/registry/stats');
  expect(json).toMatchObject({
    companies: { total: expect.any(Number) },
    mirror: {
      source: { name: 'Sandbox registry', licence: null },
      gone: 1,
      coverage: { registry_total: expect.any(Number) },
      freshness: { oldest_record_at: expect.stringMatching(/^20/), within_1_day: expect.any(Number) },
    },
  });
});

describe('keys', () => {
  const paths = ['/api/search?q=a', '/api/entity/00000417', '/api/registry/stats'];

  test.each(paths)('%s without a key is 401, with a challenge', async (path) => {
    const response = await fetch(served.service.url + path);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="registry"');
    expect(await response.json()).toMatchObject({ code: 'credentials_missing' });
  });

  test('a wrong key is 401 as an invalid token, also one with the id of a right one', async () => {
    for (const wrong of ['nobody', `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`, `${key}A`]) {
      const { status, headers } = await ask('/api/registry/stats', { key: wrong });
      expect(status).toBe(401);
      expect(headers.get('www-authenticate')).toBe('Bearer realm="registry", error="invalid_token"');
    }
  });

  test('a key that is made while the server runs counts at once; revoked, it does not', async () => {
    const later = served.newKey('later');
    expect((await ask('/api/registry/stats', { key: later })).status).toBe(200);
    const file = openAccountFile(`${mirror.folder}/accounts.db`);
    file.revoke(later.slice(0, 13), Date.now());
    file.close();
    await expect.poll(async () => (await ask('/api/registry/stats', { key: later })).status).toBe(401);
  });

  test('a suspended account is 403', async () => {
    const barred = served.newKey('barred');
    const file = openAccountFile(`${mirror.folder}/accounts.db`);
    file.suspend('barred', true);
    file.close();
    expect(await ask('/api/registry/stats', { key: barred })).toMatchObject({
      status: 403,
      json: { code: 'account_suspended' },
    });
  });

  test('no key stands in the accounts file', () => {
    const file = openAccountFile(`${mirror.folder}/accounts.db`);
    const dump = JSON.stringify(file.keys()) + file.db.serialize().toString('latin1');
    file.close();
    expect(dump).toContain(key.slice(0, 13));
    expect(dump).not.toContain(key.slice(14));
  });
});

describe('what is not there', () => {
  test.each(['/', '/api', '/api/entity', '/api/api/search?q=a', '/_sandbox/entities'])(
    '%s is 404',
    async (path) => {
      expect(await ask(path)).toMatchObject({ status: 404, json: { code: 'not_found' } });
    },
  );

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('%s is 405, and Allow names GET', async (method) => {
    const { status, headers } = await ask('/api/search?q=a', { method });
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('GET');
  });
});

test('the OpenAPI document is valid, and names every parameter', async () => {
  const document = (await ask('/openapi.json')).json as Record<string, never>;
  expect(await new Validator().validate(document)).toMatchObject({ valid: true });
  const { paths } = document as unknown as {
    paths: Record<string, { get: { parameters: { name: string }[] } }>;
  };
  const names = (path: string) => paths[path]?.get.parameters.map(({ name }) => name);
  expect(names('/api/search')).toEqual(['q', 'identifier', 'per_page', 'page']);
  expect(names('/api/entity/{id}')).toEqual(['as_of', 'id']);
});
