import { copyFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { backUp, prepareReplacement } from '../../src/warehouse/backup.ts';
import { type Mirrored, openMirrored, type Served, serve } from '../support/served_mirror.ts';

const OLD = [{ id: '1', name: 'Old Company', fields: {} }];
const NEW = { id: '2', name: 'New Company', fields: {} };
const OPERATIONAL = { hasMetrics: true, onlyLocalHosts: true };

let mirror: Mirrored;
let served: Served;
/** A backup from before the second company. */
let backup: string;
let files: Set<unknown>;

beforeEach(async () => {
  mirror = await openMirrored({ companies: OLD });
  await mirror.sync();
  backup = join(mirror.folder, 'backup.db');
  backUp(mirror.house.warehouse, backup);
  mirror.sandbox.companies.put(NEW);
  await mirror.sync(400 * 86_400_000);
  files = new Set();
  served = await serve(mirror, {
    operational: OPERATIONAL,
    reconciliation: { access: 'open', companyPage: null },
    intercept: {
      handle(_request, _response, warehouse) {
        try {
          files.add(warehouse.current().db);
        } catch {
          // No file can be read.
        }
        return false;
      },
      notFound: () => ({ headers: {}, body: '' }),
    },
  });
});
afterEach(async () => {
  await served.close();
  await mirror.close();
});

const found = async () => {
  const { status, json } = await served.ask('/api/search?q=company');
  return status === 200 ? (json as { total: number }).total : status;
};
const statuses = async () => {
  const paths = [
    '/api/search?q=company',
    '/api/entity/1',
    '/api/registry/stats',
    '/changes',
    '/health',
    '/metrics',
  ];
  return Promise.all(paths.map(async (path) => (await served.ask(path)).status));
};
const UNAVAILABLE = Array(6).fill(503);
const AVAILABLE = Array(6).fill(200);

test('the service reads the restored file, with the same keys and counts', async () => {
  const limited = served.newKey('limited', { total: 3 });
  const ask = async () => (await served.ask('/api/search?q=company', { key: limited })).json;
  expect(await ask()).toMatchObject({ total: 2 });

  const replacement = prepareReplacement(backup, mirror.config.warehouse, mirror.now());
  replacement.replace(mirror.now());

  await expect.poll(found).toBe(1);
  expect(await ask()).toMatchObject({ total: 1 });
  expect(await ask()).toMatchObject({ total: 1 });
  expect(await ask()).toMatchObject({ code: 'allowance_exhausted' });
  expect(await (await fetch(`${served.service.url}/reconcile/suggest/entity?prefix=new`)).json()).toEqual({
    result: [],
  });
  expect(files.size).toBe(2);
});

test('requests get 503 while the file is missing, and the service continues when it is back', async () => {
  const { warehouse } = mirror.config;
  const moved = ['', '-wal', '-shm'].map((end) => [warehouse + end, `${warehouse}.moved${end}`] as const);
  for (const [from, to] of moved) renameSync(from, to);
  await expect.poll(statuses).toEqual(UNAVAILABLE);
  const { headers, json } = await served.ask('/api/entity/1');
  expect(headers.get('retry-after')).toBe('5');
  expect(json).toMatchObject({
    code: 'mirror_unavailable',
    detail: expect.stringContaining('there is no warehouse at'),
  });
  expect(() => served.service.companies()).toThrow('cannot be read now');

  for (const [from, to] of moved) renameSync(to, from);
  await expect.poll(statuses, { timeout: 5_000 }).toEqual(AVAILABLE);
  expect(await found()).toBe(2);
});

test.each([
  ['emptied', (path: string) => truncateSync(path, 0)],
  ['truncated', (path: string) => truncateSync(path, 8192)],
  ['overwritten', (path: string) => writeFileSync(path, 'this is not a database'.repeat(2_000))],
])(
  'requests get 503 after the file was %s, and the service continues after a restore',
  async (_what, damage) => {
    const { warehouse } = mirror.config;
    mirror.house.close();
    rmSync(`${warehouse}-wal`, { force: true });
    damage(warehouse);
    await expect.poll(async () => (await served.ask('/health')).status).toBe(503);
    expect(await found()).toBe(503);

    for (const end of ['-wal', '-shm']) rmSync(warehouse + end, { force: true });
    copyFileSync(backup, `${warehouse}.new`);
    renameSync(`${warehouse}.new`, warehouse);
    await expect.poll(found, { timeout: 5_000 }).toBe(1);
  },
);
