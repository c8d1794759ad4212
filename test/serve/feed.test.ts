import { setTimeout } from 'node:timers/promises';
import { zstdDecompressSync } from 'node:zlib';
import { Validator } from '@seriousme/openapi-schema-validator';
import { parse } from 'csv-parse/sync';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { forget } from '../../src/load/forget.ts';
import { type Mirrored, openMirrored, type Served, serve } from '../support/served_mirror.ts';

let mirror: Mirrored;
let served: Served;

beforeAll(async () => {
  mirror = await openMirrored({ companies: COMPANIES });
  await mirror.sync();
  served = await serve(mirror);
});
afterAll(async () => {
  await served.close();
  await mirror.close();
  expect(served.failures).toEqual([]);
});

const COMPANIES = [1, 2, 3].map((nth) => ({
  id: `0000000${nth}`,
  name: `Company ${nth} Ltd`,
  fields: { status: 'active', officers: [{ name: 'Ann' }] },
}));

interface Page {
  readonly cursor: string;
  readonly has_more: boolean;
  readonly changes: readonly { version: number; op: string; table: string; key: object; row?: object }[];
}

async function page(query: string): Promise<Page> {
  const { json, status } = await served.ask(`/changes?${query}`);
  expect(status).toBe(200);
  return json as unknown as Page;
}

async function end(): Promise<string> {
  let last = await page('since=0&limit=10000');
  while (last.has_more) last = await page(`since=${last.cursor}`);
  return last.cursor;
}

test("the feed's pages contain every row once, and the last cursor is the end of the feed", async () => {
  const whole = await page('since=0&limit=10000');
  expect(whole.has_more).toBe(false);
  const paged: Page['changes'][number][] = [];
  let cursor = '0';
  for (let more = true; more; ) {
    const next = await page(`since=${cursor}&limit=4`);
    expect(next.changes.length).toBeLessThanOrEqual(4);
    paged.push(...next.changes);
    ({ cursor, has_more: more } = next);
  }
  expect(paged.map(({ version, key }) => ({ version, key }))).toEqual(
    whole.changes.map(({ version, key }) => ({ version, key })),
  );
  expect(cursor).toBe(whole.cursor);
  expect(whole.changes).toContainEqual({
    version: expect.any(Number),
    op: 'insert',
    table: 'entity',
    key: { entity_id: '00000001' },
    row: expect.objectContaining({ entity_id: '00000001', name: 'Company 1 Ltd', status: 'active' }),
  });
});

test('JSON Lines output of the feed has one change per line, with the cursor in a header', async () => {
  const { text, headers } = await served.ask('/changes?tables=entity,entity__officers', {
    headers: { accept: 'application/x-ndjson' },
  });
  expect(headers.get('content-type')).toBe('application/jsonl; charset=utf-8');
  expect(headers.get('x-next-cursor')).toBe(await end());
  expect(headers.get('x-has-more')).toBe('false');
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Page['changes'][number]);
  expect(new Set(lines.map(({ table }) => table))).toEqual(new Set(['entity', 'entity__officers']));
});

test('a waiting request for the feed gets its response when a change arrives', async () => {
  const since = await end();
  const waiting = page(`since=${since}&wait=30`);
  // A wait of 30 ms would have ended by then.
  await setTimeout(1_000);
  mirror.sandbox.companies.put({ id: '00000009', name: 'New Ltd', fields: { status: 'active' } });
  await mirror.sync(100 * 86_400_000);
  const { changes } = await waiting;
  expect(changes.length).toBeGreaterThan(0);
  expect(await page(`since=${await end()}&wait=0`)).toMatchObject({ changes: [], has_more: false });
});

test("a forgotten company appears in the feed as one forget operation without the company's data", async () => {
  const since = await end();
  const { dialect } = mirror.config;
  if (dialect === undefined) throw new Error('the mirror has no dialect');
  forget({ warehouse: mirror.house.warehouse, dialect, entityIds: ['00000003'], nowMs: mirror.now() });
  expect((await page(`since=${since}`)).changes).toEqual([
    { version: expect.any(Number), op: 'forget', table: null, key: { entity_id: '00000003' } },
  ]);
  expect(JSON.stringify(await page('since=0&limit=10000'))).not.toContain('Company 3');
});

test('a cursor from another mirror is rejected with 410, and an invalid request with 400', async () => {
  expect(await served.ask('/changes?since=5-000000000000')).toMatchObject({
    status: 410,
    json: { code: 'cursor_unknown', detail: expect.stringContaining('since=0') },
  });
  for (const query of ['limit=0', 'limit=x', 'wait=61', 'unknown=1', 'format=xml'])
    expect((await served.ask(`/changes?${query}`)).status, query).toBe(400);
});

test.each(['entty', 'entity,entty', 'entity_history', 'entity,', ''])(
  'the tables %j are rejected with 400 and the names of the valid ones',
  async (tables) => {
    expect(await served.ask(`/changes?tables=${tables}`)).toMatchObject({
      status: 400,
      json: {
        code: 'parameter_invalid',
        detail: expect.stringContaining('Tables: entity_overview, entity, '),
      },
    });
  },
);

test('a table can be exported over HTTP in every format, and the export contains the matching cursor', async () => {
  const csv = await served.ask('/export/entity.csv');
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(csv.headers.get('x-next-cursor')).toBe(await end());
  const rows = parse(csv.text, { columns: true }) as { entity_id: string }[];
  expect(rows.map(({ entity_id }) => entity_id).sort()).toEqual(['00000001', '00000002', '00000009']);
  const lines = (await served.ask('/export/entity.jsonl')).text.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ document: expect.objectContaining({ name: 'New Ltd' }) }),
  );
  const response = await fetch(`${served.service.url}/export/entity__officers.parquet`, {
    headers: { authorization: `Bearer ${served.key}` },
  });
  const officers = await parquetReadObjects({
    file: await response.arrayBuffer(),
    compressors: { ZSTD: (input) => zstdDecompressSync(input) },
  });
  expect(officers).toHaveLength(2);
});

test('the feed and the export need a key, and requests to them are counted', async () => {
  const limited = served.newKey('limited', { total: 2 });
  for (const path of ['/changes', '/export/entity.csv']) {
    expect((await fetch(served.service.url + path)).status, path).toBe(401);
    expect((await served.ask(path, { key: limited })).status, path).toBe(200);
  }
  expect((await served.ask('/changes', { key: limited })).status).toBe(429);
  for (const path of [
    '/export/_call.csv',
    '/export/entity.xml',
    '/export/nonsense.csv',
    '/export/..%2Fx.csv',
  ])
    expect((await served.ask(path)).status, path).toBe(404);
});

test('the warehouse is released when a client disconnects during an export', async () => {
  for (let nth = 0; nth < 6; nth++) {
    const left = new AbortController();
    const response = await fetch(`${served.service.url}/export/entity.csv`, {
      headers: { authorization: `Bearer ${served.key}` },
      signal: left.signal,
    });
    expect(response.status).toBe(200);
    left.abort();
  }
  expect((await served.ask('/export/entity.csv')).status).toBe(200);
});

test('the OpenAPI document describes both endpoints', async () => {
  const { json } = await served.ask('/openapi.json');
  expect(await new Validator().validate(json as Record<string, unknown>)).toMatchObject({ valid: true });
  const paths = Object.keys((json as { paths: object }).paths);
  expect(paths).toEqual(expect.arrayContaining(['/changes', '/export/{file}']));
});
