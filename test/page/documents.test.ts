import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import Sqlite from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Documents, zoneOf } from '../../src/page/documents.ts';
import { Page } from '../../src/page/page.ts';
import { bench } from '../support/loader.ts';
import { companies, type Mirrored, openMirrored, type Served, serve } from '../support/served_mirror.ts';

const DAY_MS = 86_400_000;
const CHANGING = { id: '00000501', name: '=Before & Co', fields: { status: 'active' } };

let mirror: Mirrored;
let served: Served;
let page: Page;
const failures: string[] = [];

beforeAll(async () => {
  mirror = await openMirrored({ companies: [...companies(40), CHANGING] });
  await mirror.sync();
  mirror.sandbox.companies.put({ ...CHANGING, fields: { status: 'dissolved' } });
  await mirror.sync(100 * DAY_MS);
  mirror.house.warehouse.db.exec(
    `INSERT INTO _quarantine (call_id, kind, target, reason, quarantined_at)
     SELECT call_id, kind, target, 'no name', sent_at FROM _call WHERE target = '${CHANGING.id}' LIMIT 1;
     INSERT INTO _quarantine (call_id, kind, target, reason, quarantined_at, state)
     SELECT call_id, kind, 'settled', 'no id', quarantined_at, 'replayed' FROM _quarantine`,
  );
  const { config } = mirror;
  page = new Page({
    config,
    onlyLocalHosts: true,
    now: mirror.now,
    failed: ({ message }) => void failures.push(message),
  });
  served = await serve(mirror, { intercept: page });
});
afterEach(() => expect(failures.splice(0)).toEqual([]));
afterAll(async () => {
  await served.close();
  await mirror.close();
});

const get = async (path: string) => {
  const response = await fetch(served.service.url + path);
  return { status: response.status, headers: response.headers, text: await response.text() };
};

test('the list of changes can be filtered, shows its total, and links to CSV', async () => {
  const { text } = await get('/page/changes?kind=fields&field=/status');
  expect(text).toContain('1 change of 1');
  expect(text).toContain('href="/page/changes.csv?field=%2Fstatus&amp;kind=fields"');
  expect((await get('/page/changes?since=2999-01-01')).text).toContain('No changes match.');
});

test.each([
  ['/?range=week', 'range=week. Expected: 24h, 30d, all.'],
  ['/page/search?q=a&state=actve', 'state=actve. Expected: listed, fetched, gone.'],
  ['/page/search?q=a&from=-1', 'from=-1. Expected: a whole number.'],
  ['/page/changes?kind=new', 'kind=new. Expected: all, fields, gone, returned.'],
  ['/page/changes.csv?since=2026-02-30', 'since=2026-02-30. Expected: a date such as 2026-01-31.'],
  ['/page/quarantine?id=x', 'id=x. Expected: a whole number.'],
])('%s names the value that cannot be read, and what is expected', async (path, text) => {
  const response = await get(path);
  expect(response.status).toBe(400);
  expect(response.text).toContain(text);
});

test('an empty parameter is no filter, and a time without a zone is UTC', async () => {
  expect((await get('/page/search?q=before&state=&from=')).status).toBe(200);
  const [earlier, later] = ['2026-01-01T00:00', '2999-01-01T00:00%2B02:00'];
  expect((await get(`/page/changes?since=${earlier}&kind=fields`)).text).toContain('1 change');
  expect((await get(`/page/changes?since=${later}`)).text).toContain('No changes match.');
});

test('the CSV file of changes escapes names that a spreadsheet would execute', async () => {
  const { headers, text } = await get('/page/changes.csv');
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(text).toContain(`,00000501,'=Before & Co,/status,active,dissolved\r\n`);
});

test("a run's page shows how the run ended, and its calls by outcome", async () => {
  const { text } = await get('/page/runs/1');
  expect(text).toContain('Run 1: sync');
  expect(text).toMatch(/\d+ calls/);
  expect((await get('/page/runs/999')).status).toBe(404);
});

test("a quarantine entry's page shows the response as it was received", async () => {
  const list = (await get('/page/quarantine')).text;
  const [, id] = /\/page\/quarantine\?id=(\d+)/.exec(list) ?? [];
  const { text } = await get(`/page/quarantine?id=${id}`);
  expect(text).toContain('Response as received');
  expect(text).toContain(`registry-mirror quarantine replay ${id}`);
});

/** Returns each chart's title, the number of its periods, and the sum of each column of its table. */
function chartsIn(text: string): Record<string, readonly unknown[]> {
  const figures = text.split('<figure class="chart" id="').slice(1);
  return Object.fromEntries(
    figures.map((figure) => {
      const [id = ''] = figure.split('"', 1);
      const [, title] = /<h3>(.*?)<\/h3>/.exec(figure) ?? [];
      const rows = (/<tbody>(.*?)<\/table>/s.exec(figure)?.[1] ?? '').split('<tr>').slice(1);
      const cells = rows.map((row) => [...row.matchAll(/figure">([\d,–]+)/g)].map(([, cell]) => cell ?? ''));
      const number = (cell: string) => Number(cell.replaceAll(',', '').replace('–', '0'));
      const sums = (cells[0] ?? []).map((_, at) =>
        cells.reduce((sum, row) => sum + number(row[at] ?? ''), 0),
      );
      return [id, [title, rows.length, sums]];
    }),
  );
}

test('each chart shows the periods of the selected range, and its columns add up to the plain counts', async () => {
  const { db } = mirror.house.warehouse;
  const numbers = (sql: string) => db.prepare<[], number[]>(sql).raw().get();
  const results = (condition: string) =>
    numbers(`SELECT sum(new), sum(changed), sum(gone) FROM _run WHERE ${condition}`);
  const calls = (condition: string) => numbers(`SELECT count(*) FROM _call WHERE ${condition}`);
  // The first run was a hundred days ago.
  const [all, last] = ['TRUE', 'run_id = (SELECT max(run_id) FROM _run)'];
  const title = 'New, changed and gone per';
  for (const [path, size, called, found] of [
    ['/', 16, ['Calls per day', 60, calls(last)], [`${title} week`, 16, results(all)]],
    ['/?range=24h', 24, ['Calls per hour', 24, calls(last)], [`${title} day`, 2, results(last)]],
    ['/?range=30d', 30, ['Calls per day', 30, calls(last)], [`${title} day`, 30, results(last)]],
    ['/?range=all', 16, ['Calls per week', 16, calls(all)], [`${title} week`, 16, results(all)]],
  ] as const) {
    const charts = chartsIn((await get(path)).text);
    const { coverage, ...others } = charts;
    expect([path, coverage?.slice(0, 2)]).toEqual([path, ['Registry size', size]]);
    expect(others).toMatchObject({
      calls: called,
      weekly: found,
      'run-history': ['Runs per day', 60, [1, 0, 0]],
    });
  }
});

test('the overview lists only open quarantine entries', async () => {
  const [section] = /id="quarantine".*?<\/table>/s.exec((await get('/')).text) ?? [];
  expect(section).toContain('no name');
  expect(section).not.toContain('settled');
});

test('a search has pages, can be filtered by state, and exports all matches as CSV', async () => {
  const all = (await get('/page/search?q=ltd')).text;
  expect(all).toMatch(/1–\d+ of \d+ compan/);
  expect((await get('/page/search?q=before&state=gone')).text).toContain(
    '0–0 of 0 companies with state gone',
  );
  expect((await get('/page/search.csv?q=before')).text).toContain("00000501,'=Before & Co,fetched");
});

test("a company's page shows each version's changes, and offers the stored response as JSON", async () => {
  const { text } = await get('/page/company?id=00000501');
  expect(text.split('id="history"')[1]).toMatch(/<del><bdi>active.*<ins><bdi>dissolved/s);
  expect(JSON.stringify(JSON.parse((await get('/page/company.json?id=00000501')).text))).toContain(
    'dissolved',
  );
});

test('a document is compressed, and gets status 304 if the browser has cached it', async () => {
  const { headers } = await get('/page/changes');
  expect(headers.get('content-encoding')).toBe('gzip');
  const second = await new Promise<number | undefined>((resolve) => {
    const options = { headers: { 'if-none-match': headers.get('etag') ?? '' } };
    request(`${served.service.url}/page/changes`, options, ({ statusCode }) => resolve(statusCode)).end();
  });
  expect(second).toBe(304);
});

test("times are shown in the browser's time zone if its cookie contains a valid zone", async () => {
  expect(zoneOf('a=b; zone=Asia/Tokyo', 'UTC')).toBe('Asia/Tokyo');
  expect(zoneOf('zone=<script>', 'UTC')).toBe('UTC');
  expect(zoneOf(undefined, 'Europe/Oslo')).toBe('Europe/Oslo');
});

test('a corrupt ledger causes a page with the fault and the remedy until the ledger is restored', async () => {
  const { ledger } = mirror.config;
  const files = ['', '-journal'].map((end) => ledger + end).filter((file) => existsSync(file));
  expect((await get('/')).status).toBe(200);
  for (const file of files) renameSync(file, `${file}.aside`);
  writeFileSync(ledger, NO_DATABASE);
  const { status, text } = await get('/');
  const other = await get('/page/changes');
  rmSync(ledger);
  for (const file of files) renameSync(`${file}.aside`, file);
  expect(status).toBe(503);
  expect(text).toContain(`Needs you: cannot open the ledger ${ledger}: file is not a database`);
  expect(text).toContain('<code>registry-mirror doctor --rebuild-ledger</code>');
  expect(other.status).toBe(200);
  expect((await get('/')).status).toBe(200);
  expect(failures.splice(0)).toEqual([expect.stringContaining('cannot open the ledger')]);
});

test('a corrupt warehouse causes an error with the remedy', () => {
  const { warehouse } = mirror.config;
  const warehousePath = `${warehouse}.copy`;
  mirror.house.warehouse.db.exec(`VACUUM INTO '${warehousePath}'`);
  const intact = readFileSync(warehousePath);
  writeFileSync(
    warehousePath,
    Buffer.concat([intact.subarray(0, 4096), Buffer.alloc(intact.length - 4096, 255)]),
  );
  const db = new Sqlite(warehousePath, { readonly: true });
  const doubted: unknown[] = [];
  const doubt = (error: unknown) => doubted.push(error) > 0;
  const documents = new Documents(mirror);
  const url = new URL('http://page/page/runs/1');
  expect(() => documents.draw(url, 'UTC', { current: () => ({ db }), doubt })).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('restore the latest backup') }),
  );
  expect(doubted).toHaveLength(1);
  db.close();
});

test('a document shows one moment, also if a run writes while it is drawn', () => {
  const db = new Sqlite(mirror.config.warehouse, { readonly: true });
  const writer = mirror.house.warehouse.db;
  // The overview reads the registry's name after the facts and before the charts.
  const { config } = mirror;
  const source = Object.defineProperty({ ...config.source }, 'name', {
    get: () => writer.exec('UPDATE _run SET new = new + 1000') && config.source.name,
  });
  const documents = new Documents({
    config: { ...config, source },
    now: mirror.now,
  });
  const newCompanies = writer.prepare<[], number>('SELECT sum(new) FROM _run').pluck();
  const before = newCompanies.get();
  const drawn = documents.draw(new URL('http://page/'), 'UTC', {
    current: () => ({ db }),
    doubt: () => false,
  });
  const after = newCompanies.get();
  writer.exec(`UPDATE _run SET new = new - ${((after ?? 0) - (before ?? 0)) / 2}`);
  db.close();
  const { weekly } = chartsIn(String(drawn?.body));
  expect([after === before, weekly]).toEqual([false, ['New, changed and gone per week', 16, [before, 1, 0]]]);
});

const NO_DATABASE = 'no database '.repeat(500);

test('an unknown path of the server shows a page that leads to the overview', async () => {
  const response = await fetch(`${served.service.url}/unknown`, { headers: { accept: 'text/html' } });
  expect(response.status).toBe(404);
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await response.text()).toContain('<a href="/">');
});

test('a search with very many matches shows the best 500, and its CSV file has more', () => {
  const { warehouse, search } = bench();
  const results = Array.from({ length: 600 }, (_, at) => ({ id: `C${at}`, name: `Common ${at}` }));
  search('a', { total: 600, results });
  const read = (path: string) =>
    String(
      new Documents(mirror).draw(new URL(path, 'http://page'), 'UTC', {
        current: () => warehouse,
        doubt: () => false,
      })?.body,
    );
  expect(read('/page/search?q=common')).toContain('1–25 of 500 companies, the best of more matches.');
  expect(read('/page/search?q=common+599')).toContain('1–1 of 1 company</p>');
  expect(read('/page/search.csv?q=common').trim().split('\n')).toHaveLength(601);
});

test('the search on the page finds a misspelt name', async () => {
  expect((await get('/page/search?q=befoer')).text).toContain('=Before &amp; Co');
});
