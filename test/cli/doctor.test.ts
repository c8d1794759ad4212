import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import { Ledger } from '../../src/allowance/ledger.ts';
import {
  checkAllowance,
  checkCount,
  checkKey,
  checkRate,
  checkTerms,
  checkUsers,
} from '../../src/cli/doctor/account.ts';
import type { CheckResult } from '../../src/cli/doctor/check_result.ts';
import { checkFiles, checkStoredResponses } from '../../src/cli/doctor/files.ts';
import { checkDisk, checkRuntime, checkSqlite, type DiskFacts } from '../../src/cli/doctor/machine.ts';
import { checkMapping } from '../../src/cli/doctor/mapping.ts';
import { checkClock, remedyFor } from '../../src/cli/doctor/network.ts';
import { type ConfigInput, Secret } from '../../src/config/config.ts';
import { BEARER } from '../../src/config/credentials.ts';
import { configFrom, loadConfig } from '../../src/config/load_config.ts';
import { DEFAULT_MAPPING } from '../../src/dialect/mapping.ts';
import { metaTable } from '../../src/warehouse/meta.ts';
import { faulty } from '../support/faults.ts';
import { allowanceOf, UNLIMITED } from '../support/ledger.ts';
import { bench, dialectWith, temporaryFolder } from '../support/loader.ts';
import { type Overrides, openUpstream, type Upstream } from '../support/upstream.ts';

/** Upstream settings that send the key in the default header. */
const sent = (api_key: Secret | null) => ({ api_key, key_header: BEARER, key_param: null, headers: {} });

const COMPANIES = [...generateRegistry({ companies: 20, seed: 3 })];
const GB = 1e9;
const NOW = Date.parse('2027-03-10T12:00:00Z');

const KEY = new Secret('a-key');
const REFUSED = { ...UNLIMITED, refusedKey: { fingerprint: KEY.fingerprint, sinceMs: NOW } };

const disk = (facts: Partial<DiskFacts>) =>
  checkDisk({
    folder: '/srv',
    freeBytes: 10 * GB,
    fileBytes: 0,
    neededBytes: 0.07 * GB,
    fileSystem: 0xef53,
    ...facts,
  });
const terms = (account: ConfigInput['account']) =>
  checkTerms(
    configFrom({
      version: 1,
      upstream: { base_url: 'https://registry.example/api', api_key: 'k' },
      allowance: { unlimited: true },
      account,
    }),
    NOW,
  );
const clock = (aheadMs: number) => checkClock({ date: new Date(NOW).toUTCString() }, NOW + aheadMs);
const spent = (name: 'total' | 'day') => ({
  ...UNLIMITED,
  windows: [{ name, limit: 100, sinceMs: 0, resetsAtMs: null, spent: 100, left: 0 }],
});

/** The upstream reports that the quota is used up, although the ledger counts calls left. */
const EXHAUSTED = {
  ...UNLIMITED,
  left: 0,
  resumesAtMs: NOW + 60_000,
  exhausted: { atMs: NOW, untilMs: NOW + 60_000, left: 60 },
};

describe('checks', () => {
  it.each<[string, () => readonly CheckResult[], CheckResult['status'][]]>([
    ['the runtime', () => [checkRuntime()], ['ok']],
    ['SQLite', () => [checkSqlite()], ['ok']],
    ['10 GB free', () => disk({}), ['ok']],
    ['less space than the file', () => disk({ fileBytes: 20 * GB }), ['warning']],
    ['60 MB free, if a run needs 70 MB', () => disk({ freeBytes: 0.06 * GB, fileSystem: null }), ['problem']],
    ['80 MB free', () => disk({ freeBytes: 0.08 * GB, fileSystem: null }), ['warning']],
    ['NFS', () => disk({ fileSystem: 0x6969 }), ['ok', 'warning']],
    // statfs(2) returns a signed number on 32-bit machines.
    ['CIFS', () => disk({ fileSystem: 0xff534d42 | 0 }), ['ok', 'warning']],
    ['the free tier', () => terms({ tier: 'free' }), ['note', 'note']],
    ['a licence without an end', () => terms({ tier: 'paid' }), ['note', 'note']],
    ['a licence until next year', () => terms({ tier: 'paid', license_ends: '2027-12-31' }), ['ok', 'note']],
    ['a licence for 30 days', () => terms({ tier: 'paid', license_ends: '2027-04-09' }), ['warning', 'note']],
    ['a licence for today', () => terms({ tier: 'paid', license_ends: '2027-03-10' }), ['warning', 'note']],
    ['an expired licence', () => terms({ tier: 'paid', license_ends: '2027-03-09' }), ['problem', 'note']],
    ['a clock that agrees', () => clock(2000), ['ok']],
    ['a clock that is ahead', () => clock(90_000), ['warning']],
    ['a clock that is behind', () => clock(-90_000), ['warning']],
    ['a response without a Date', () => checkClock({ date: undefined }, NOW), []],
    ['a response with an unreadable Date', () => checkClock({ date: 'soon' }, NOW), []],
    ['an exhausted total', () => checkAllowance(spent('total')), ['warning']],
    ['an exhausted day', () => checkAllowance(spent('day')), ['note']],
    ['a quota that only the upstream calls used up', () => checkAllowance(EXHAUSTED), ['ok', 'note']],
    ['a rate that the upstream accepts', () => checkRate({ ...UNLIMITED, acceptedSpacingMs: 6100 }, 10), []],
    ['a rate that is too high', () => checkRate({ ...UNLIMITED, acceptedSpacingMs: 6100 }, 40), ['warning']],
    ['no allowance', () => checkAllowance(UNLIMITED), ['ok']],
    ['a key', () => [checkKey(sent(KEY), null)], ['ok']],
    ['a rejected key', () => [checkKey(sent(KEY), REFUSED)], ['problem']],
    ['no key', () => [checkKey(sent(Secret.unknown(new Error('not set'))), null)], ['problem']],
    ['a complete ledger', () => checkCount(0), []],
    ['one warehouse', () => checkUsers(['/a.db'], '/a.db'), []],
    ['two warehouses', () => checkUsers(['/a.db', '/b.db'], '/a.db'), ['warning']],
  ])('the check of %s returns the right findings', (_, check, statuses) => {
    expect(check().map(({ status }) => status)).toEqual(statuses);
  });

  it('the key check never prints the key, and the ledger check names the lost calls and the remedy', () => {
    expect(JSON.stringify(checkKey(sent(KEY), REFUSED))).not.toContain('a-key');
    expect(checkCount(7)).toMatchObject([
      {
        status: 'problem',
        message: expect.stringContaining('can lack 7 calls'),
        remedy: expect.stringContaining('doctor --rebuild-ledger'),
      },
    ]);
  });

  it('the check of volatile fields names a field that differs in every response', () => {
    const { record, warehouse } = bench();
    for (let n = 0; n < 8; n++) record('C1', { id: 'C1', asked: n, name: 'A' });
    const check = (dialect = {}) => checkStoredResponses(warehouse, dialectWith(dialect));
    expect(check()).toMatchObject([
      {
        status: 'note',
        message: '/asked differed in 100 % of 7 refreshes, so each of them counts as a change',
        remedy: expect.stringContaining('dialect.volatile'),
      },
    ]);
    expect(check({ volatile: ['/asked'] })).toEqual([]);
  });

  it('the check of names reports that more than a tenth of the companies have none', () => {
    const { search, warehouse } = bench();
    const check = () => checkStoredResponses(warehouse, dialectWith({}));
    const list = (from: number, name: string | null) => {
      const results = Array.from({ length: 9 }, (_, at) => ({
        id: `C${from + at}`,
        name: name && `${name} ${at}`,
      }));
      search(`q${from}`, { total: 9, results });
    };
    list(0, 'Acme');
    expect(check()).toEqual([]);
    list(10, null);
    expect(check()).toMatchObject([
      {
        status: 'warning',
        message: '9 of 18 companies have no name',
        remedy: expect.stringContaining('dialect.search.name_fallbacks'),
      },
    ]);
  });

  it('the check of the mapping names empty columns, paths that no response contains, and a reprocess that is due', () => {
    const { search, warehouse } = bench();
    search('a', { total: 1, results: [{ id: 'C1', name: 'Acme', phase: 'open', country: 'NO' }] });
    const [found] = checkMapping(warehouse.db, DEFAULT_MAPPING);
    expect(found).toMatchObject({
      status: 'note',
      message: expect.stringMatching(/: status, registered_on, dissolved_on$/),
    });
    const mapping = { ...DEFAULT_MAPPING, company: { ...DEFAULT_MAPPING.company, status: '/phasee' } };
    expect(checkMapping(warehouse.db, mapping)).toMatchObject([
      { status: 'warning', remedy: 'Run `registry-mirror reprocess`.' },
    ]);
    metaTable(warehouse.db).set('mapping', mapping);
    expect(checkMapping(warehouse.db, mapping)).toMatchObject([
      { status: 'warning', message: 'no response contains /phasee, which is `mapping.company.status`' },
      { status: 'note' },
    ]);
  });

  it('the check of the dialect names a key that stored responses contradict', () => {
    const { search, warehouse } = bench();
    const row = (id: number) => ({
      id: `C${id}`,
      name: 'Registered',
      title: `Firm ${'abcdefghij'[id % 10]}${id}`,
    });
    for (const [page, text] of ['fa', 'fb', 'fc'].entries())
      search(text, { total: 20, results: Array.from({ length: 20 }, (_, at) => row(page * 20 + at)) });
    const check = (dialect = {}) => checkStoredResponses(warehouse, dialectWith(dialect));
    expect(check()).toMatchObject([
      { status: 'warning', message: expect.stringMatching(/^dialect.search.name .* 1 different value/) },
    ]);
    expect(check({ search: { name: '/title' } })).toEqual([]);
  });

  it.each([
    ['api_key: a-key', 0o644, ['registry-mirror.yaml']],
    ['api_key: a-key', 0o600, []],
    [`api_key: \${env:KEY}`, 0o644, []],
    [`api_key: \${file:key.txt}`, 0o600, ['key.txt']],
    [`api_key: \${env:KEY}\n  proxy: http://me:word@proxy.example:3128`, 0o644, ['registry-mirror.yaml']],
    [`api_key: \${env:KEY}\n  proxy: http://proxy.example:3128`, 0o644, []],
    [`api_key: \${env:KEY} # api_key: a-key`, 0o644, []],
    [`api_key: null\n  headers: { X-Auth-Email: me@registry.example }`, 0o644, ['registry-mirror.yaml']],
    [`api_key: null\n  headers: { Accept: application/vnd.api+json }`, 0o644, []],
    [`"api_key": >-\n    a-key`, 0o644, ['registry-mirror.yaml']],
  ])(
    'the file check lists files with secrets that other users can read: %j with mode %o',
    (line, mode, names) => {
      const folder = temporaryFolder();
      const path = join(folder, 'registry-mirror.yaml');
      const text = `version: 1\nupstream:\n  base_url: https://registry.example/api\n  ${line}\nallowance: { unlimited: true }\n`;
      writeFileSync(path, text);
      writeFileSync(join(folder, 'key.txt'), 'a-key');
      // The umask restricts the modes of new files only.
      chmodSync(path, mode);
      chmodSync(join(folder, 'key.txt'), 0o644);
      const config = loadConfig({ path, env: { KEY: 'a-key' } });
      const warned = checkFiles(config, path, NOW).filter(({ message }) => message.includes('other users'));
      expect(warned.map(({ message }) => message.split(' contains ')[0])).toEqual(
        names.map((name) => join(folder, name)),
      );
    },
  );

  it.each([
    ['ENOTFOUND', false, 'Correct the host'],
    ['ENOTFOUND', true, 'HTTPS_PROXY'],
    ['ECONNREFUSED', false, 'No server listens at that address'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', false, 'upstream.ca_file'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', false, 'upstream.ca_file'],
    ['CERT_HAS_EXPIRED', false, 'has expired'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', false, 'another host'],
    ['', true, 'firewall'],
  ])('the connection check recommends a remedy for the error %s (proxy: %s)', (code, hasProxy, remedy) => {
    expect(remedyFor(code, '', hasProxy)).toContain(remedy);
  });
});

describe('doctor', () => {
  const opened: (() => Promise<unknown> | unknown)[] = [];
  afterEach(async () => {
    for (const close of opened.splice(0).reverse()) await close();
  });

  it('doctor checks everything without sending a call or changing a file', async () => {
    const upstream = await place();
    const { code, json } = await upstream.cli('doctor');
    expect(code).toBe(0);
    expect(statesOf(json)).toMatchObject({
      runtime: 'ok',
      SQLite: 'ok',
      configuration: 'ok',
      connection: 'ok',
      key: expect.stringMatching(/ok|warning/),
    });
    expect(upstream.sandbox.arrivals()).toEqual([]);
    expect(() => upstream.warehouse()).toThrow();
    expect(JSON.stringify(json)).not.toContain(upstream.sandbox.keyOf('main'));
  });

  it('doctor --online spends one call and stores its response', async () => {
    const upstream = await place();
    const { code, json } = await upstream.run('doctor', '--online');
    expect(code).toBe(0);
    expect(statesOf(json)).toMatchObject({ call: 'ok', clock: 'ok' });
    expect(upstream.sandbox.arrivals()).toHaveLength(1);
    const db = upstream.warehouse();
    expect(db.prepare('SELECT count(*) FROM registry_stats').pluck().get()).toBe(1);
    expect(db.prepare('SELECT ended FROM _run').pluck().all()).toEqual(['done']);
    db.close();
  });

  it('doctor reports missing statistics as a problem while the mirror has no companies', async () => {
    const upstream = await place({ upstream: { paths: { stats: '/api/none' } } });
    const { code, json } = await upstream.run('doctor', '--online');
    expect(code).toBe(1);
    expect(findingOf(json, 'call').message).toContain('the statistics call failed');
  });

  it('doctor --online reports no problem if the upstream accepts a key that it refused before', async () => {
    let isRefused = true;
    const upstream = await place(
      {},
      { faults: faulty(() => (isRefused ? { kind: 'status', status: 401 } : null)) },
    );
    expect((await upstream.run('doctor', '--online')).code).toBe(1);
    isRefused = false;
    const { code, json } = await upstream.run('doctor', '--online');
    expect({ code, states: statesOf(json) }).toMatchObject({ code: 0, states: { key: 'ok', call: 'ok' } });
  });

  it('doctor reports a rejected key until the upstream accepts it again', async () => {
    const upstream = await place({ upstream: { api_key: 'wrong' } });
    const tested = await upstream.run('doctor', '--online');
    expect(tested.code).toBe(1);
    expect(tested.json.data.findings.filter(({ status }: CheckResult) => status === 'problem')).toMatchObject(
      [
        {
          check: 'key',
          message: expect.stringContaining('HTTP 401'),
          remedy: expect.not.stringContaining('--online'),
        },
      ],
    );
    const remembered = await upstream.run('doctor');
    expect(remembered.code).toBe(1);
    expect(findingOf(remembered.json, 'key').message).toContain('refused this key');
    expect((await upstream.run('sync')).json.data.ended).toBe('unauthorised');
    expect(upstream.sandbox.arrivals()).toHaveLength(1);
    upstream.configure({});
    expect((await upstream.run('doctor', '--online')).code).toBe(0);
    expect(findingOf((await upstream.run('doctor')).json, 'key').status).toMatch(/ok|warning/);
  });

  it.each([
    ['is not a SQLite file', 0],
    ['has damaged pages', 4096],
  ])('doctor reports a ledger that %s, along with the other findings', async (_, from) => {
    const upstream = await place();
    await upstream.run('sync', '--max-calls', '3');
    const path = join(upstream.folder, 'ledger.db');
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0xa5, from));
    const { code, json } = await upstream.run('doctor');
    expect(code).toBe(1);
    expect(json.data.findings).toContainEqual(
      expect.objectContaining({
        check: 'ledger',
        status: 'problem',
        message: expect.stringContaining('ledger.db'),
        remedy: expect.stringContaining('--rebuild-ledger'),
      }),
    );
    expect(statesOf(json)).toMatchObject({ configuration: 'ok', connection: 'ok' });
  });

  it('doctor reports a missing ledger even if the warehouse has no calls yet', async () => {
    const upstream = await place({ allowance: { per_minute: 'unlimited', per_day: 100 } });
    await upstream.run('sync', '--max-calls', '0');
    expect((await upstream.run('doctor')).code).toBe(0);
    rmSync(join(upstream.folder, 'ledger.db'));
    const { code, json } = await upstream.run('doctor');
    expect(code).toBe(1);
    expect(json.data.findings).toContainEqual(
      expect.objectContaining({
        check: 'ledger',
        status: 'problem',
        message: expect.stringContaining('can lack'),
      }),
    );
  });

  it('doctor reports a total that is used up once', async () => {
    const upstream = await place({ allowance: { per_minute: 'unlimited', total: 2 } });
    await upstream.run('sync');
    const { json } = await upstream.run('doctor');
    const attention = json.data.findings.filter(({ status }: { status: string }) => status === 'warning');
    expect(attention).toMatchObject([{ check: 'allowance' }]);
  });

  it("doctor and a run report a clock that differs from the upstream's by more than two minutes", async () => {
    const upstream = await place({}, { now: () => Date.now() + 3_600_000 });
    const { json } = await upstream.run('doctor', '--online');
    expect(findingOf(json, 'clock')).toMatchObject({ status: 'problem' });
    expect(findingOf(json, 'clock').message).toMatch(/60 minutes behind the upstream's/);
    const before = upstream.sandbox.arrivals().length;
    const sync = await upstream.run('sync');
    expect(sync.said).toContain('behind the last call');
    expect(upstream.sandbox.arrivals().length - before).toBe(0);
  });

  it('a clock that is behind the last call stops runs, until `doctor --online` confirms the clock', async () => {
    const upstream = await place({ allowance: { per_minute: 'unlimited', per_day: 100 } });
    callThreeHoursAhead(upstream);
    const warned = findingOf((await upstream.run('doctor')).json, 'clock');
    expect(warned).toMatchObject({ status: 'warning', message: expect.stringContaining('3 hours behind') });
    const { json } = await upstream.run('sync');
    expect(json.data).toMatchObject({ ended: 'failed', calls_spent: 0 });
    await upstream.run('doctor', '--online');
    expect(statesOf((await upstream.run('doctor')).json)).not.toHaveProperty('clock');
    expect((await upstream.run('sync', '--max-calls', '3')).json.data.calls_spent).toBe(3);
  });

  it('doctor connects through a proxy, and names the proxy', async () => {
    const upstream = await place();
    const { proxy, targets } = await tunnel();
    opened.push(() => proxy.close());
    const { port } = proxy.address() as AddressInfo;
    upstream.configure({ upstream: { proxy: `http://me:secret@127.0.0.1:${port}` } });
    const { json, stdout } = await upstream.run('doctor', '--online');
    expect(findingOf(json, 'connection').message).toContain(`through the proxy http://127.0.0.1:${port}`);
    expect(statesOf(json)).toMatchObject({ connection: 'ok', call: 'ok' });
    expect(new Set(targets)).toEqual(new Set([new URL(upstream.sandbox.url).host]));
    expect(stdout).not.toContain('secret');
  });

  it('doctor reports an invalid configuration along with every check that does not depend on it', async () => {
    const upstream = await place();
    writeFileSync(upstream.configPath, 'version: 1\nupstreem: {}\n');
    const { code, json } = await upstream.run('doctor');
    expect(code).toBe(1);
    expect(statesOf(json)).toMatchObject({ runtime: 'ok', configuration: 'problem' });
    expect(findingOf(json, 'configuration').remedy).toContain('upstream');
  });

  it('doctor warns if other users can read the key, or if the account has a second warehouse', async () => {
    const upstream = await place();
    await upstream.run('sync', '--max-calls', '1');
    chmodSync(upstream.configPath, 0o644);
    writeFileSync(
      upstream.configPath,
      readFileSync(upstream.configPath, 'utf8').replace('warehouse.db', 'other.db'),
    );
    await upstream.run('sync', '--max-calls', '1');
    const { code, json } = await upstream.run('doctor');
    const warnings = json.data.findings.filter(({ status }: { status: string }) => status === 'warning');
    expect(warnings.map(({ check }: { check: string }) => check)).toEqual(
      expect.arrayContaining(['key', 'account']),
    );
    expect(code).toBe(0);
    expect((await upstream.run('doctor', '--strict')).code).toBe(1);
    const quiet = await upstream.run('doctor', '--quiet');
    expect(quiet.stdout).toContain(join(upstream.folder, 'warehouse.db'));
    expect(quiet.stdout).not.toContain('runtime');
  });

  async function place(
    overrides: Overrides = {},
    options: Parameters<typeof openUpstream>[0] = {},
  ): Promise<Upstream> {
    const upstream = await openUpstream({ companies: COMPANIES, ...options }, overrides);
    opened.push(() => upstream.close());
    chmodSync(upstream.configPath, 0o600);
    return upstream;
  }
});

/** Spends a unit while the clock is three hours ahead. */
function callThreeHoursAhead({ folder }: Upstream): void {
  const allowance = allowanceOf({ perDay: 100 });
  const ledger = new Ledger({ path: join(folder, 'ledger.db'), accountId: 'main', allowance });
  const nowMs = Date.now() + 3 * 3_600_000;
  ledger.spend({ nowMs, most: 1, purpose: 'scheduled', keyFingerprint: 'k' });
  ledger.close();
}

interface Found {
  readonly check: string;
  readonly status: string;
  readonly message: string;
  readonly remedy: string | null;
}

function findingOf(json: { data: { findings: Found[] } }, check: string): Found {
  const found = json.data.findings.find((one) => one.check === check);
  if (found === undefined) throw new Error(`no finding of ${check}`);
  return found;
}

function statesOf(json: { data: { findings: Found[] } }): Record<string, string> {
  return Object.fromEntries(json.data.findings.map(({ check, status }) => [check, status]));
}

/** An HTTP proxy that supports only CONNECT, and the hosts to which it has connected. */
async function tunnel(): Promise<{ readonly proxy: Server; readonly targets: readonly string[] }> {
  const server = createServer();
  const targets: string[] = [];
  server.on('connect', (request, client) => {
    const { hostname, port } = new URL(`http://${request.url}`);
    targets.push(String(request.url));
    const upstream = connect(Number(port), hostname, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(client).pipe(upstream);
    });
    for (const socket of [upstream, client]) socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return { proxy: server, targets };
}
