import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isoTime } from '../../src/clock.ts';
import { openAccountFile } from '../../src/warehouse/accounts.ts';
import { CONTRACT_COMPANIES, keepsTheContract } from '../support/api_contract.ts';
import { type Mirrored, openMirrored, type Served, serve } from '../support/served_mirror.ts';

const DAY_MS = 86_400_000;
const COMPANIES = [
  ...CONTRACT_COMPANIES,
  { id: '00000500', name: 'Gone Away Ltd', fields: { status: 'active' } },
  { id: '00000501', name: 'Changing Names Ltd', fields: { status: 'active', capital: 1 } },
];

let mirror: Mirrored;
let served: Served;
let beforeChangesMs: number;
let key: string;
let barredKey: string;

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
  barredKey = served.newKey('barred');
  const accounts = openAccountFile(`${mirror.folder}/accounts.db`);
  accounts.suspend('barred', true);
  accounts.close();
});
afterAll(async () => {
  await served.close();
  await mirror.close();
  expect(served.failures).toEqual([]);
});

const ask = (path: string, options: Parameters<Served['ask']>[1] = {}) => served.ask(path, options);

keepsTheContract(() => ({ url: served.service.url, ask, barredKey }));

describe('search', () => {
  test('a search finds companies by identifier with either parameter', async () => {
    for (const query of ['identifier=sc0001', 'q=SC000193'])
      expect((await ask(`/api/search?${query}`)).json).toMatchObject({
        total: 1,
        results: [{ id: 'SC000193' }],
      });
    expect((await ask('/api/search?identifier=muller')).json).toMatchObject({ total: 0 });
  });

  test('a search finds names by prefixes of their words, in any script', async () => {
    for (const [query, id] of [
      ['sohne mu', '00000417'],
      ["o'bri quot", 'SC000193'],
      ['株式', '000028V'],
    ] as const)
      expect((await ask(`/api/search?q=${encodeURIComponent(query)}`)).json).toMatchObject({
        results: [{ id }],
      });
  });

  test('a search returns the company with the identifier first, then names that begin with the query, then all others', async () => {
    const { json } = await ask('/api/search?q=m');
    expect(json).toMatchObject({
      total: 2,
      results: [{ name: 'Mueller Holdings' }, { name: 'Müller & Söhne GmbH' }],
    });
    expect((await ask('/api/search?q=00000501')).json).toMatchObject({ results: [{ id: '00000501' }] });
  });

  test('a search returns the total on every page, and an empty page after the last', async () => {
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => ask(`/api/search?q=0&per_page=2&page=${page}`)),
    );
    const rows = pages.map(({ json }) => (json as { results: { id: string }[] }).results.map(({ id }) => id));
    expect(rows).toEqual([['00000417', '00000501'], ['000028V'], [], []]);
    for (const { json } of pages) expect(json).toMatchObject({ total: 3 });
  });

  test('a search omits gone companies, and returns changed companies with their new values', async () => {
    expect((await ask('/api/search?q=gone')).json).toMatchObject({ total: 0, results: [] });
    expect((await ask('/api/search?q=changing')).json).toMatchObject({ total: 0 });
    expect((await ask('/api/search?q=changed')).json).toMatchObject({
      results: [{ id: '00000501', name: 'Changed Name Ltd' }],
    });
  });

  test('a search rejects a request with both parameters with status 400', async () => {
    expect(await ask('/api/search?q=a&identifier=b')).toMatchObject({ status: 400, json: { status: 400 } });
  });
});

describe('entity', () => {
  test("the entity endpoint returns the registry's response byte for byte, and its age in a header", async () => {
    const { status, headers, text } = await ask('/api/entity/00000417');
    const upstream = await fetch(`${mirror.sandbox.baseUrl}/entity/00000417`, {
      headers: { authorization: `Bearer ${mirror.sandbox.keyOf('main')}` },
    });
    expect(status).toBe(200);
    expect(text).toBe(await upstream.text());
    expect(Number(headers.get('x-mirror-age'))).toBeGreaterThanOrEqual(0);
    expect(Number(headers.get('x-mirror-age'))).toBeLessThan(60);
  });

  test('the entity endpoint returns 410 for a gone company', async () => {
    expect(await ask('/api/entity/00000500')).toMatchObject({ status: 410, json: { code: 'entity_gone' } });
  });

  test('the entity endpoint returns 504 for a company whose record has not been fetched yet', async () => {
    mirror.sandbox.companies.put({ id: '00000900', name: 'Only Listed Ltd', fields: {} });
    await mirror.sync(100 * DAY_MS, new Set(['search']));
    expect((await ask('/api/search?q=only')).json).toMatchObject({ results: [{ id: '00000900' }] });
    expect(await ask('/api/entity/00000900')).toMatchObject({
      status: 504,
      json: { code: 'record_not_mirrored' },
    });
  });

  test("the entity endpoint returns 304 if the request's entity tag shows that the record has not changed", async () => {
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
  test('as_of returns the record as it was known at that time', async () => {
    const before = await ask(`/api/entity/00000501?as_of=${isoTime(beforeChangesMs)}`);
    expect(before.json).toMatchObject({ name: 'Changing Names Ltd', capital: 1 });
    expect((await ask('/api/entity/00000501')).json).toMatchObject({ name: 'Changed Name Ltd', capital: 2 });
    expect(before.headers.get('etag')).not.toBe((await ask('/api/entity/00000501')).headers.get('etag'));
  });

  test('as_of treats a date as the end of that day', async () => {
    const day = isoTime(beforeChangesMs).slice(0, 10);
    expect((await ask(`/api/entity/00000501?as_of=${day}`)).json).toMatchObject({ capital: 1 });
  });

  test('as_of returns the record even if the company was deleted later', async () => {
    expect(await ask(`/api/entity/00000500?as_of=${isoTime(beforeChangesMs)}`)).toMatchObject({
      status: 200,
      json: { name: 'Gone Away Ltd' },
    });
    expect((await ask(`/api/entity/00000500?as_of=${isoTime(mirror.now())}`)).status).toBe(410);
  });

  test("as_of returns 404 for a time before the first record version, and names that version's time", async () => {
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

test("the service's statistics contain the registry's own figures and the mirror's state", async () => {
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

test('the freshness counts a record from its last fetch, not from a later 404', async () => {
  const other = await openMirrored({ companies: COMPANIES });
  await other.sync();
  // A 404 without proof that the company is gone changes only the time of the last request.
  other.house.warehouse.db
    .prepare('UPDATE _company SET fetched_at = @nowMs - 40 * @day, asked_at = @nowMs')
    .run({ nowMs: Date.now(), day: DAY_MS });
  const served = await serve(other);
  try {
    const { json } = await served.ask('/api/registry/stats');
    expect(json).toMatchObject({
      mirror: { freshness: { within_1_day: 0, within_30_days: 0, within_90_days: expect.any(Number) } },
    });
  } finally {
    await served.close();
    await other.close();
  }
});

describe('a registry that finds names by their first characters', () => {
  test('the mirror of it also finds a name by a later word', async () => {
    const other = await openMirrored({
      companies: [{ id: '1', name: 'ACE OF SPADES', fields: {} }],
      profile: { dialect: { search: { matches: 'prefix' } } },
    });
    await other.sync();
    const its = await serve(other);
    try {
      expect((await its.ask('/api/search?q=spades%20ac')).json).toMatchObject({ results: [{ id: '1' }] });
    } finally {
      await its.close();
      await other.close();
    }
  });
});

describe('a key for the mirror', () => {
  test('a key for the mirror is rejected as an invalid token, even if it contains the id of a valid key', async () => {
    for (const wrong of [`${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`, `${key}A`]) {
      const { status, headers } = await ask('/api/registry/stats', { key: wrong });
      expect(status).toBe(401);
      expect(headers.get('www-authenticate')).toBe('Bearer realm="registry", error="invalid_token"');
    }
  });

  test('a key for the mirror is not stored in the accounts file', () => {
    const file = openAccountFile(`${mirror.folder}/accounts.db`);
    const dump = JSON.stringify(file.keys()) + file.db.serialize().toString('latin1');
    file.close();
    expect(dump).toContain(key.slice(0, 13));
    expect(dump).not.toContain(key.slice(14));
  });
});

test('the mirror has no paths below /_sandbox', async () => {
  expect(await ask('/_sandbox/entities')).toMatchObject({ status: 404, json: { code: 'not_found' } });
});

test('without a page, an unknown path returns the same response to a browser as to a client', async () => {
  const { status, json } = await ask('/unknown', {
    headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
  });
  expect(status).toBe(404);
  expect(json).toMatchObject({ code: 'not_found' });
});

test('the OpenAPI document is valid and contains every parameter', async () => {
  const document = (await ask('/openapi.json')).json as Record<string, never>;
  expect(await new Validator().validate(document)).toMatchObject({ valid: true });
  const { paths } = document as unknown as {
    paths: Record<string, { get: { parameters: { name: string }[] } }>;
  };
  const names = (path: string) => paths[path]?.get.parameters.map(({ name }) => name);
  expect(names('/api/search')).toEqual(['q', 'identifier', 'per_page', 'page']);
  expect(names('/api/entity/{id}')).toEqual(['as_of', 'id']);
});
