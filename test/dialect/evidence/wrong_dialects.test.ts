import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { type Finished, runCommand } from '../../support/command.ts';

/**
 * A small API that ignores unknown parameters. Some fields and envelopes are traps: a field `total_here` that counts the
 * page, a list of facets, constant texts, and a row number.
 */
const FIRST = ['Amber', 'Birch', 'Cedar', 'Delta', 'Ember', 'Frost', 'Grove', 'Harbor', 'Indigo', 'Juniper'];
const SECOND = ['Farms', 'Glass', 'Hotels', 'Motors', 'Paper', 'Ropes', 'Sails', 'Tools', 'Wool', 'Yarns'];
const COMPANIES = FIRST.flatMap((first, at) =>
  SECOND.map((second, index) => ({
    id: `C${1000 + at * 10 + index}`,
    name: `${first} ${second}`,
    town: ['Douglas', 'Ramsey', 'Peel'][(at + index) % 3],
    state: 'Registered',
    euId: `XY.C${1000 + at * 10 + index}`,
    registered: `20${10 + at}-01-${10 + index}`,
    kind: { code: 7 },
    names: [
      { type: 'old', text: `Former ${at}${index}`, until: '1999' },
      { type: 'legal', text: `${first} ${second}` },
    ],
  })),
);
const SIZE = 5;

let server: Server;
const requests: string[] = [];
let baseUrl = '';

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(request.url ?? '');
    const url = new URL(request.url ?? '/', 'http://localhost');
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(bodyFor(url)));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

function bodyFor(url: URL): unknown {
  if (url.pathname === '/stats') return { total: COMPANIES.length };
  const record = COMPANIES.find(({ id }) => url.pathname === `/company/${id}`);
  if (record !== undefined) return { ...record, motto: 'Registered' };
  const query = (url.searchParams.get('q') ?? '').toLowerCase();
  const page = Number(url.searchParams.get('page') ?? '1');
  const found = COMPANIES.filter(({ name }) =>
    name
      .toLowerCase()
      .split(' ')
      .some((word) => word.startsWith(query)),
  );
  const rows = found.slice((page - 1) * SIZE, page * SIZE).map((row, index) => ({ ...row, row: index + 1 }));
  return {
    results: rows,
    total: found.length,
    total_here: rows.length,
    registry_total: COMPANIES.length,
    facets: [
      { code: 'IM', label: 'Isle of Man' },
      { code: 'GB', label: 'United Kingdom' },
    ],
  };
}

const SEARCH = {
  query_param: 'q',
  paging: { style: 'page', param: 'page', size: SIZE },
  results: '/results',
  id: '/id',
  name: '/name',
  total: '/total',
  matches: 'token_prefix',
};
const RIGHT = { search: SEARCH, entity: { id: '/id', name: '/name' }, stats: { total: '/total' } };

async function synced(
  dialect: object,
): Promise<
  Finished & { readonly check: Finished; readonly sent: readonly string[]; readonly health: string }
> {
  const folder = mkdtempSync(join(tmpdir(), 'wrong-dialect-'));
  try {
    const config = join(folder, 'registry-mirror.yaml');
    const upstream = {
      base_url: baseUrl,
      api_key: 'key',
      paths: { search: '/search', entity: '/company/{id}', stats: '/stats' },
    };
    const allowance = { per_minute: 'unlimited', unlimited: true };
    writeFileSync(
      config,
      stringify({ version: 1, upstream, allowance, dialect, warehouse: 'w.db', ledger: 'l.db' }),
    );
    requests.length = 0;
    const sync = await runCommand(['sync', '--json', '--config', config]);
    const sent = [...requests];
    const status = await runCommand(['status', '--json', '--config', config]);
    const check = await runCommand(['probe', '--check', '--json', '--config', config]);
    return { ...sync, check, sent, health: status.json?.data?.health?.state ?? '' };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('a right dialect is not contradicted, and all companies are mirrored', async () => {
  const { json, health } = await synced(RIGHT);
  expect(json.data).toMatchObject({ ended: 'done', known: COMPANIES.length, records: COMPANIES.length });
  expect(health).toBe('healthy');
});

test('the run and the check propose the value that fits', async () => {
  const { json, check } = await synced({ ...RIGHT, search: { ...SEARCH, name: '/names/[type=old]/text' } });
  const proposal = { key: 'search.name', from: '/names/[type=old]/text', to: '/name' };
  expect(json.data.proposals).toEqual([expect.objectContaining(proposal)]);
  expect(check.code).toBe(1);
  expect(check.json.data.proposals).toEqual([expect.objectContaining(proposal)]);
  expect(check.json.data.contradictions[0].why).toMatch(/^dialect.search.name does not fit the responses/);
});

describe('a wrong dialect stops the mirror within 30 calls of the kind that shows it', () => {
  const search = (changes: object) => ({ ...RIGHT, search: { ...SEARCH, ...changes } });
  const cases: readonly (readonly [string, object, RegExp, RegExp?])[] = [
    ['a name that is missing', search({ name: '/title' }), /search.name .* names are missing .*C\d+: null/],
    [
      'a selector that no element meets',
      search({ name: '/names/[type=trade]/text' }),
      /search.name .* names are missing/,
    ],
    ['a constant name', search({ name: '/state' }), /search.name .*(1 different value|\/name fits)/],
    ['a category as the name', search({ name: '/town' }), /search.name .*(different values|\/name fits)/],
    [
      'a former name',
      search({ name: '/names/[type=old]/text' }),
      /search.name .*match their query.*\/name fits/,
    ],
    ['the id as the name', search({ name: '/id' }), /search.name .* (names contain the id|\/name fits)/],
    [
      'a text made from the id as the name, in a listing of all companies',
      search({ name: '/euId', min_length: 0 }),
      /search.name .* names contain the id/,
    ],
    [
      'a date as the name, in a listing of all companies',
      search({ name: '/registered', min_length: 0 }),
      /search.name .* names have no two letters/,
    ],
    [
      'a query parameter that is ignored',
      search({ query_param: 'title', total: null }),
      /search.query_param .* the same 5 rows/,
    ],
    [
      'a list of facets',
      search({ results: '/facets', id: '/code', name: '/label', total: null }),
      /search.query_param/,
    ],
    [
      'a total of the page',
      search({ total: '/total_here' }),
      /search.total .*the next page had others.*null fits/,
    ],
    [
      'a total of the page, and a page size that is too large',
      search({ total: '/total_here', paging: { style: 'page', param: 'page', size: 50 } }),
      /search.total .*the next page had others/,
    ],
    ['a total of the registry', search({ total: '/registry_total' }), /the total (is )?100/, /q=\w\w/],
    [
      'a page parameter that is ignored',
      search({ paging: { style: 'page', param: 'p', size: SIZE } }),
      /search.paging .* page 2 repeated page 1/,
      /p=2/,
    ],
    ['a constant id', search({ id: '/kind/code' }), /search.id .* another name than before/],
    ['a row number as the id', search({ id: '/row' }), /search.id .* another name than before/],
    [
      'a record without the name',
      { ...RIGHT, entity: { id: '/id', name: '/title' } },
      /entity.name .*names are missing/,
      /company/,
    ],
    [
      'a record with a constant name',
      { ...RIGHT, entity: { id: '/id', name: '/motto' } },
      /entity.name/,
      /company/,
    ],
  ];
  test.each(cases.map(([what, dialect, why, kind = /./]) => ({ what, dialect, why, kind })))(
    '$what',
    async ({ dialect, why, kind }) => {
      const { code, json, sent, health } = await synced(dialect);
      expect(json.error?.message ?? json.data.ended).toMatch(why);
      expect(json.data.ended).toBe('drift');
      expect(code).toBe(1);
      expect(sent.filter((url) => kind.test(url)).length).toBeLessThanOrEqual(30);
      expect(health).not.toBe('healthy');
    },
  );
});
