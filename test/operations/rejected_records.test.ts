import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { runCommand } from '../support/command.ts';
import { DIALECT } from '../support/loader_dialect.ts';

let folder: string;
let server: Server;
let companies: string[];
/** The ids of the companies whose records the upstream rejects. */
let isRejected: (id: string) => boolean;
let calls: string[];

const WORDS = ['Alder', 'Birch', 'Cedar', 'Dogwood', 'Elm', 'Fir', 'Gum', 'Holly', 'Ivy', 'Juniper'];
const nameOf = (id: string) => `${WORDS[Number(id) % WORDS.length]} ${id}`;
const ids = (from: number, count: number) => Array.from({ length: count }, (_, at) => `${from + at}`);

function bodyOf({ pathname, searchParams }: URL): object | null {
  if (pathname === '/api/registry/stats') return { companies: companies.length };
  const id = pathname.split('/').at(-1) ?? '';
  if (pathname !== '/api/search') return isRejected(id) ? null : { id, name: nameOf(id) };
  const query = searchParams.get('q')?.toLowerCase() ?? '';
  const found = companies.filter((one) => nameOf(one).toLowerCase().startsWith(query));
  const from = 10 * (Number(searchParams.get('page')) - 1);
  return {
    total: found.length,
    results: found.slice(from, from + 10).map((one) => ({ id: one, name: nameOf(one) })),
  };
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'registry-mirror-'));
  [companies, calls, isRejected] = [ids(100, 40), [], () => true];
  server = createServer((request, response) => {
    calls.push(request.url ?? '');
    const body = bodyOf(new URL(request.url ?? '', 'http://upstream.example'));
    response.writeHead(body === null ? 403 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? { error: 'records are not part of your subscription' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command. Returns its result, and the number of calls that it made. */
async function run(command: readonly string[], settings: object = {}) {
  const { port } = server.address() as AddressInfo;
  const config = join(folder, 'registry-mirror.yaml');
  const search = { ...DIALECT.search, paging: { ...DIALECT.search.paging, size: 10 }, matches: 'prefix' };
  writeFileSync(
    config,
    stringify({
      version: 1,
      upstream: { base_url: `http://127.0.0.1:${port}/api`, api_key: 'a-key-of-a-test', concurrency: 1 },
      allowance: { per_minute: 'unlimited', unlimited: true },
      dialect: { ...DIALECT, search: { ...search, identifiers: 'none' } },
      warehouse: 'warehouse.db',
      ledger: 'ledger.db',
      ...settings,
    }),
  );
  calls = [];
  const { code, json } = await runCommand([...command, '--json', '--config', config]);
  const records = calls.filter((one) => one.startsWith('/api/entity/')).length;
  return { code, data: json.data, message: json.error?.message, records, calls: calls.length };
}

const REJECTED =
  /^Failed: the upstream rejects every record call: HTTP 403: .*records are not part of your subscription.*\/api\/entity\/1\d\d\)\. The companies stay due/;

describe('an upstream that rejects every record call', () => {
  test('plan and status expect no finish, and plan reports that the next run tries one record', async () => {
    await run(['sync']);
    expect((await run(['status'])).data.completion).toMatchObject({ is: 'unknown', earliest: null });
    expect((await run(['plan'])).data.finishes_at).toEqual({ low: null, high: null });
    const { stdout } = await runCommand(['plan', '--config', join(folder, 'registry-mirror.yaml')]);
    expect(stdout).toContain('finish     unknown until the upstream returns a record');
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'next run 40 calls: 40 records, but at most one record call if the upstream still rejects it',
    );
    isRejected = () => false;
    await run(['sync', '--max-calls', '1']);
    expect((await run(['status'])).data.completion).toMatchObject({ is: 'expected' });
  });

  test('sync stops record calls after five rejections, and later runs try one record each', async () => {
    const first = await run(['sync']);
    expect(first).toMatchObject({ code: 1, records: 5, data: { ended: 'failed', known: 40 } });
    expect(first.message).toMatch(REJECTED);
    companies.push(...ids(140, 20));
    const second = await run(['sync'], { max_age: { stats: '1ms', summaries: '1ms' } });
    expect(second).toMatchObject({ code: 1, records: 1, data: { known: 60 } });
    expect(second.message).toMatch(REJECTED);
    const status = await run(['status']);
    expect(status.data.health).toMatchObject({
      state: 'needs_you',
      problems: [
        { name: 'runs_fail', cause: expect.stringContaining('Check that your subscription includes') },
      ],
    });
    expect(JSON.stringify((await run(['doctor'])).data)).toContain('the upstream rejects every record call');
    isRejected = () => false;
    expect(await run(['sync'])).toMatchObject({ code: 0, records: 54, data: { ended: 'done', fetched: 54 } });
  });

  test('sync stops record calls for a watchlist, too', async () => {
    const list = join(folder, 'ids.txt');
    writeFileSync(list, companies.join('\n'));
    const { code, records, message } = await run(['sync'], { scope: { ids: list } });
    expect({ code, records }).toEqual({ code: 1, records: 5 });
    expect(message).toMatch(REJECTED);
  });

  test('sync keeps searching, and reports rejected records even if it reaches its call limit', async () => {
    const limited = await run(['sync', '--max-calls', '20'], { focus: 'records' });
    expect(limited).toMatchObject({ code: 1, records: 5, calls: 20 });
    expect(limited.message).toMatch(REJECTED);
  });

  test('a refresh stops after four rejections and a rejected company whose record was received before', async () => {
    isRejected = () => false;
    expect(await run(['sync'])).toMatchObject({ code: 0, records: 40 });
    isRejected = () => true;
    const stale = { max_age: { records: '1ms' } };
    expect(await run(['sync'], stale)).toMatchObject({ code: 1, records: 5 });
    expect(await run(['sync'], stale)).toMatchObject({ code: 1, records: 1 });
    isRejected = () => false;
    expect(await run(['sync'], stale)).toMatchObject({ code: 0, data: { ended: 'done' } });
  });

  test('a backfill stops, keeps its items, and continues once records are permitted', async () => {
    writeFileSync(join(folder, 'ids.txt'), ids(100, 30).join('\n'));
    // A 403 concerns the record only if the upstream has accepted the key before.
    await run(['sync', '--max-calls', '1']);
    const backfill = ['backfill', '--ids', join(folder, 'ids.txt')];
    const first = await run(backfill);
    expect(first).toMatchObject({ code: 1, records: 5, data: { open: 30, failed: 0 } });
    expect(first.message).toMatch(REJECTED);
    expect(await run(backfill)).toMatchObject({ code: 1, records: 1, data: { open: 30 } });
    isRejected = () => false;
    expect(await run(backfill)).toMatchObject({ code: 0, data: { found: 24, failed: 6 } });
  });

  test('probe --check reports that every stored record call was rejected', async () => {
    await run(['sync']);
    const { code, data } = await run(['probe', '--check', '--max-calls', '0']);
    expect(code).toBe(1);
    expect(data.contradictions).toMatchObject([
      { kind: 'entity', why: expect.stringContaining('the upstream rejected every stored record call') },
    ]);
  });
});

test('many rejected companies do not stop record calls as long as another record can be fetched', async () => {
  isRejected = () => false;
  await run(['sync']);
  companies.push(...ids(140, 30));
  isRejected = (id) => Number(id) >= 140;
  // Two control calls check whether records can be fetched: after 4 rejected companies, and after 20 more.
  const grown = await run(['sync'], { max_age: { stats: '1ms', summaries: '1ms' } });
  expect(grown).toMatchObject({ code: 0, records: 32, data: { ended: 'done', known: 70 } });
});
