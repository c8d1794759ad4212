import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { clientDialect, defaultProfile } from '../../src/api/api_profile.ts';
import type { ConfigInput } from '../../src/config/config.ts';
import { configSchema, leaves } from '../../src/config/key_paths.ts';
import { loadConfig } from '../../src/config/load_config.ts';
import { JOB_SCHEDULES, type JobSchedule } from '../../src/report/schedules.ts';
import { runCommand } from '../support/command.ts';
import { temporaryFolder } from '../support/loader.ts';
import { companies, openMirrored } from '../support/served_mirror.ts';
import { type TestedElsewhere, testedElsewhere } from '../support/tested_elsewhere.ts';
import { type Overrides, openUpstream, type Upstream } from '../support/upstream.ts';

// Sets every configuration key to an unusual value and observes the place where it acts. The last test compares the
// list with the schema.

const covered = new Set<string>();

/** Tests keys of the configuration, separated by spaces. */
function keys(named: string, check: () => Promise<void>): void {
  for (const key of named.split(' ')) covered.add(key);
  test(`${named} acts`, check);
}

interface Arrived {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

interface Recorder {
  readonly origin: string;
  readonly arrived: readonly Arrived[];
  /** The highest number of requests that waited for a response at the same time. */
  readonly mostAtOnce: () => number;
}

/** Starts an upstream with 30 companies that records requests. Without `holdMs`, it responds immediately. */
async function recorder({ holdMs = 0, padding = '', isChanging = false } = {}): Promise<Recorder> {
  const arrived: Arrived[] = [];
  let [atOnce, most] = [0, 0];
  const rows = Array.from({ length: 30 }, (_, at) => ({ id: `R${at}`, name: `Company ${at}` }));
  const respond = async ({ url = '', headers }: IncomingMessage, response: ServerResponse) => {
    arrived.push({ url, headers });
    most = Math.max(most, ++atOnce);
    await sleep(holdMs);
    atOnce--;
    const id = /\/R\d+/.exec(url)?.[0].slice(1);
    const body =
      id !== undefined
        ? { id, name: `Company ${id.slice(1)}`, padding, visits: isChanging ? arrived.length : 0 }
        : /stats|count/.test(url)
          ? { companies: { total: 30 } }
          : { results: rows, total: 30 };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const server = createServer((request, response) => void respond(request, response));
  server.on('connect', ({ url = '', headers }, socket: Socket) => {
    arrived.push({ url, headers });
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  return { origin: `http://127.0.0.1:${await listening(server)}`, arrived, mostAtOnce: () => most };
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Runs a command with a configuration for an upstream, in a folder of its own. */
async function runAt(origin: string, { upstream, ...overrides }: Overrides, ...args: string[]) {
  const folder = temporaryFolder();
  const path = join(folder, 'registry-mirror.yaml');
  const config: ConfigInput = {
    version: 1,
    upstream: { base_url: `${origin}/api`, api_key: 'key-of-a-test', ...upstream },
    account: { tier: 'paid' },
    allowance: { per_minute: 'unlimited', unlimited: true },
    dialect: clientDialect(defaultProfile),
    ...overrides,
  };
  writeFileSync(path, stringify(config));
  const finished = await runCommand([...args, '--config', path, '--json']);
  return { folder, path, data: finished.json?.data, ...finished };
}

/** A sandbox with 40 companies and the command line. */
async function place(overrides: Overrides = {}, options: Parameters<typeof openUpstream>[0] = {}) {
  const upstream: Upstream = await openUpstream({ companies: companies(40), ...options }, overrides);
  onTestFinished(() => upstream.close());
  return upstream;
}

function valueIn(path: string, sql: string): unknown {
  const db = new Sqlite(path, { readonly: true });
  try {
    return db.prepare(sql).pluck().get();
  } finally {
    db.close();
  }
}

keys('source.name source.url source.licence source.attribution', async () => {
  const source = { name: 'Unusual', url: 'https://unusual.example', licence: 'X-1', attribution: 'By X' };
  const upstream = await place({ source });
  await upstream.run('sync', '--max-calls', '3');
  await upstream.run('export', '--out', join(upstream.folder, 'out'));
  const description = readFileSync(join(upstream.folder, 'out/datapackage.json'), 'utf8');
  for (const value of Object.values(source)) expect(description).toContain(value);
});

keys(
  'upstream.base_url upstream.api_key upstream.key_header upstream.paths.search upstream.paths.entity upstream.paths.stats upstream.user_agent',
  async () => {
    const { origin, arrived } = await recorder();
    const paths = { search: '/v9/find', entity: '/v9/company/{id}', stats: '/v9/count' };
    const upstream = { paths, key_header: 'X-Unusual: Token {key}', user_agent: 'unusual/1' };
    await runAt(origin, { upstream, focus: 'records' }, 'sync', '--max-calls', '40');
    const urls = arrived.map(({ url }) => url.split('?')[0]);
    expect(urls).toEqual(expect.arrayContaining(['/v9/find', '/v9/count']));
    expect(urls.some((url) => url?.startsWith('/v9/company/R'))).toBe(true);
    for (const { headers } of arrived)
      expect(headers).toMatchObject({ 'x-unusual': 'Token key-of-a-test', 'user-agent': 'unusual/1' });
  },
);

keys('upstream.headers upstream.key_param', async () => {
  const { origin, arrived } = await recorder();
  const upstream = { key_param: 'token', headers: { 'X-Auth-Email': 'me@registry.example' } };
  const { data } = await runAt(origin, { upstream }, 'sync', '--max-calls', '5');
  expect(data.calls_spent).toBe(5);
  for (const { url, headers } of arrived) {
    expect(new URL(url, origin).searchParams.getAll('token')).toEqual(['key-of-a-test']);
    expect(headers['x-auth-email']).toBe('me@registry.example');
    expect(headers).not.toHaveProperty('authorization');
  }
  const { stdout } = await runAt(origin, { upstream }, 'config', 'show');
  expect(stdout).not.toContain('me@registry.example');
});

test('upstream.paths.stats: null spends no call on statistics, and nothing is wrong', async () => {
  const { origin, arrived } = await recorder();
  const upstream = { paths: { stats: null } };
  const { folder, path, data } = await runAt(
    origin,
    { upstream, focus: 'coverage' },
    'sync',
    '--max-calls',
    '3',
  );
  expect([data.calls_spent, arrived.some(({ url }) => url.includes('stats'))]).toEqual([3, false]);
  const online = await runCommand(['doctor', '--online', '--config', path, '--json'], { cwd: folder });
  const message = expect.stringContaining('the key is accepted; the search call took');
  expect(online.json.data.findings).toContainEqual(
    expect.objectContaining({ check: 'call', status: 'ok', message }),
  );
  expect(arrived.at(-1)?.url).toContain('/search');
  const { json } = await runCommand(['status', '--config', path, '--json']);
  expect(json.data.health).toMatchObject({ state: 'healthy' });
  const { stdout } = await runCommand(['config', 'validate', '--config', path]);
  expect(stdout).toContain('The API has no statistics.');
});

test('a sync without a key succeeds', async () => {
  const { origin, arrived } = await recorder();
  const { data } = await runAt(origin, { upstream: { api_key: null } }, 'sync', '--max-calls', '5');
  expect([data.calls_spent, arrived.some(({ headers }) => 'authorization' in headers)]).toEqual([5, false]);
});

keys('upstream.contact', async () => {
  const { origin, arrived } = await recorder();
  await runAt(origin, { upstream: { contact: 'me@unusual.example' } }, 'sync', '--max-calls', '1');
  expect(arrived[0]?.headers['user-agent']).toContain('(me@unusual.example)');
});

keys('upstream.concurrency', async () => {
  const { origin, mostAtOnce } = await recorder({ holdMs: 100 });
  await runAt(origin, { upstream: { concurrency: 7 } }, 'sync');
  expect(mostAtOnce()).toBe(7);
});

keys('upstream.timeouts.connect', async () => {
  const heldMs: number[] = [];
  const silent = createTcpServer((socket) => {
    const openedMs = performance.now();
    socket.on('error', () => {}).resume();
    socket.on('close', () => heldMs.push(performance.now() - openedMs));
  });
  const base_url = `https://127.0.0.1:${await listening(silent)}/api`;
  const timeouts = { connect: '300ms', response: '30s' };
  const { data } = await runAt('', { upstream: { base_url, timeouts } }, 'sync', '--max-calls', '1');
  expect(data.calls_spent).toBe(0);
  expect(heldMs).not.toEqual([]);
  // The default is 5 s.
  expect(Math.max(...heldMs)).toBeLessThan(4000);
});

keys('upstream.timeouts.response', async () => {
  const { origin } = await recorder({ holdMs: 5_000 });
  const timeouts = { connect: '100s', response: '300ms' };
  const { folder } = await runAt(origin, { upstream: { timeouts } }, 'sync', '--max-calls', '1');
  const warehouse = join(folder, 'data/warehouse.db');
  expect(valueIn(warehouse, 'SELECT outcome FROM _call')).toBe('broken');
  expect(valueIn(warehouse, 'SELECT ms FROM _call')).toBeLessThan(4_000);
});

keys('upstream.check_clock', async () => {
  const skewed = { now: () => Date.now() + 3_600_000 };
  expect((await (await place({}, skewed)).run('sync', '--max-calls', '3')).code).toBe(1);
  const unchecked = await place({ upstream: { check_clock: false } }, skewed);
  expect((await unchecked.run('sync', '--max-calls', '3')).json.data.calls_spent).toBe(3);
});

keys('upstream.max_body', async () => {
  const { origin } = await recorder({ padding: 'x'.repeat(5_000) });
  const recordsWith = async (max_body: string) => {
    const { folder } = await runAt(
      origin,
      { upstream: { max_body }, focus: 'records' },
      'sync',
      '--max-calls',
      '40',
    );
    return valueIn(join(folder, 'data/warehouse.db'), 'SELECT count(*) FROM entity');
  };
  expect(await recordsWith('6KiB')).toBeGreaterThan(0);
  expect(await recordsWith('4KiB')).toBe(0);
});

keys('upstream.ca_file', async () => {
  const { origin } = await recorder();
  const { said } = await runAt(origin, { upstream: { ca_file: '/nowhere/ca.pem' } }, 'sync');
  expect(said).toContain('/nowhere/ca.pem');
});

keys('account.id account.already_spent allowance.total', async () => {
  const account = { tier: 'paid', id: 'second', already_spent: 7 } as const;
  const upstream = await place({ account, allowance: { per_minute: 'unlimited', total: 10 } });
  expect((await upstream.run('sync')).json.data.calls_spent).toBe(3);
  expect(valueIn(join(upstream.folder, 'ledger.db'), 'SELECT account_id FROM account')).toBe('second');
});

keys('account.tier account.license_ends', async () => {
  const { origin } = await recorder();
  const termsOf = async (account: ConfigInput['account']) =>
    JSON.stringify((await runAt(origin, { account }, 'doctor')).data);
  expect(await termsOf({ tier: 'free' })).toContain('may not be used commercially');
  expect(await termsOf({ tier: 'paid', license_ends: '2199-03-31' })).toContain('ends on 2199-03-31');
});

keys('allowance.per_minute', async () => {
  const upstream = await place({ allowance: { per_minute: 120, unlimited: true } });
  await upstream.run('sync', '--max-calls', '4');
  const [first, , , last] = upstream.sandbox.arrivals().map(({ at }) => at);
  expect((last ?? 0) - (first ?? 0)).toBeGreaterThan(3 * 450);
});

keys('allowance.per_day', async () => {
  const upstream = await place({ allowance: { per_minute: 'unlimited', per_day: 5 } });
  expect((await upstream.run('sync')).json.data.calls_spent).toBe(5);
});

keys('allowance.per_month', async () => {
  const upstream = await place({ allowance: { per_minute: 'unlimited', per_month: 6 } });
  expect((await upstream.run('sync')).json.data.calls_spent).toBe(6);
});

keys('allowance.pace_until', async () => {
  const until = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  const allowance = { per_minute: 'unlimited', total: 10_000, pace_until: until } as const;
  const account = { tier: 'paid', license_ends: '2199-03-31' } as const;
  const { json } = await (await place({ allowance, account })).run('plan');
  expect(json.data.pace).toMatchObject({ days_left: 31 });
});

keys('allowance.day_starts', async () => {
  const allowance = { per_minute: 'unlimited', per_day: 2, day_starts: '06:30 Asia/Kolkata' } as const;
  const upstream = await place({ allowance });
  await upstream.run('sync');
  // 06:30 in Kolkata is 01:00 UTC.
  expect((await upstream.run('status')).stdout).toMatch(/T01:00:00/);
});

keys('max_age.stats max_age.summaries max_age.records', async () => {
  const HOUR_MS = 3_600_000;
  const configuration = { max_age: { stats: '2h', summaries: '5h', records: '9h' } };
  const mirror = await openMirrored({ companies: companies(20), configuration });
  onTestFinished(() => mirror.close());
  await mirror.sync();
  const kindsAfter = async (laterMs: number) => (await mirror.sync(laterMs)).totals.callsByKind;
  expect(await kindsAfter(HOUR_MS)).toMatchObject({ stats: 0, search: 0, entity: 0 });
  expect(await kindsAfter(2 * HOUR_MS)).toMatchObject({ stats: 1, search: 0, entity: 0 });
  const third = await kindsAfter(3 * HOUR_MS);
  expect(third.search).toBeGreaterThan(0);
  expect(third.entity).toBe(0);
  expect((await kindsAfter(4 * HOUR_MS)).entity).toBe(20);
});

test.each([
  ['1ms', 'searches again'],
  ['30d', 'uses the stored listing'],
])('max_age.summaries %s: a second backfill for the same query %s', async (summaries, what) => {
  const upstream = await place({ max_age: { summaries, records: '30d' } });
  const searches = () => upstream.sandbox.arrivals().filter(({ kind }) => kind === 'search').length;
  await upstream.run('backfill', '--query', 'company', '--yes');
  const before = searches();
  expect(before).toBeGreaterThan(0);
  await upstream.run('backfill', '--query', 'company', '--yes');
  expect(searches() > before).toBe(what === 'searches again');
});

keys('schedule.timezone schedule.stats schedule.sweep schedule.entities', async () => {
  const schedule = {
    timezone: 'Asia/Tokyo',
    stats: '1 1 1 1 *',
    sweep: '2 2 2 2 *',
    entities: '3 3 3 3 *',
  };
  const max_age = { stats: '1d', summaries: '2d', records: '3d' };
  const { path } = await runAt('http://127.0.0.1:9', { schedule, max_age }, 'config', 'validate');
  const config = loadConfig({ path, env: {} });
  const days = (job: JobSchedule) => (job.maxAgeMs?.(config) ?? 0) / 86_400_000;
  expect(JOB_SCHEDULES.map((job) => [job.name, job.pattern(config), days(job)])).toEqual([
    ['poll-stats', schedule.stats, 1],
    ['sweep-search', schedule.sweep, 2],
    ['fetch-entities', schedule.entities, 3],
  ]);
  expect(config.schedule.timezone).toBe('Asia/Tokyo');
});

keys('focus', async () => {
  const searchesWith = async (focus: 'coverage' | 'records') => {
    const upstream = await place({ focus });
    await upstream.run('sync', '--max-calls', '12');
    return upstream.sandbox.arrivals().filter(({ kind }) => kind === 'search').length;
  };
  expect(await searchesWith('records')).toBeLessThan(await searchesWith('coverage'));
});

keys('scope.names scope.ids scope.queries', async () => {
  for (const [key, lines] of Object.entries({
    names: 'Nobody Ltd',
    ids: 'NONE-1',
    queries: 'unusualquery',
  })) {
    const { origin, arrived } = await recorder();
    const list = join(temporaryFolder(), 'list.txt');
    writeFileSync(list, `${lines}\n`);
    await runAt(origin, { scope: { [key]: list } as ConfigInput['scope'] }, 'sync', '--max-calls', '2');
    const urls = decodeURIComponent(arrived.map(({ url }) => url).join(' ')).toLowerCase();
    expect(urls).toContain(key === 'names' ? 'nobody' : lines.toLowerCase());
  }
});

keys(
  'mapping.entity mapping.search_result mapping.registry_stats mapping.former_names mapping.identifiers mapping.company.status mapping.company.registered_on mapping.company.dissolved_on mapping.company.country mapping.max_columns',
  async () => {
    const mapping = {
      entity: { '/legal_form': { column: 'unusual_form' } },
      search_result: { '/status': { column: 'unusual_status' } },
      registry_stats: { '/updated_at': { drop: true as const } },
      former_names: ['/legal_form'],
      identifiers: ['/address/postcode'],
      company: {
        status: '/legal_form',
        registered_on: '/status',
        dissolved_on: '/legal_form',
        country: '/status',
      },
      max_columns: 9,
    };
    const upstream = await place({ mapping });
    await upstream.run('sync');
    const db = upstream.warehouse();
    const columnsOf = (table: string) =>
      (db.pragma(`table_info(${table})`) as { name: string }[]).map(({ name }) => name);
    expect(columnsOf('entity')).toEqual(expect.arrayContaining(['unusual_form', '_rest']));
    expect(columnsOf('entity').length).toBeLessThan(20);
    expect(columnsOf('search_result')).toContain('unusual_status');
    expect(columnsOf('registry_stats')).not.toContain('updated_at');
    const entity = db.prepare('SELECT * FROM entity LIMIT 1').get() as Record<string, string>;
    const { entity_id: id, unusual_form: form } = entity;
    const texts = db.prepare('SELECT * FROM entity_fts WHERE entity_id = ?').get(id) as typeof entity;
    expect(texts.former_names).toContain(form);
    expect(texts.identifiers).toContain(entity.address__postcode);
    const company = db.prepare('SELECT * FROM company WHERE entity_id = ?').get(id);
    expect(company).toMatchObject({ status: form });
    db.close();
  },
);

keys('responses.compress', async () => {
  const { origin } = await recorder({ padding: 'x'.repeat(50_000) });
  const blocksWith = async (compress: boolean) => {
    const { folder } = await runAt(origin, { responses: { compress } }, 'sync', '--max-calls', '20');
    return valueIn(join(folder, 'data/warehouse.db'), 'SELECT count(*) FROM _block');
  };
  expect(await blocksWith(false)).toBe(0);
  expect(await blocksWith(true)).toBeGreaterThan(0);
});

keys('retention.answers retention.versions', async () => {
  const { origin } = await recorder({ isChanging: true });
  const { path, folder } = await runAt(origin, {}, 'sync', '--max-calls', '1');
  const ids = join(folder, 'ids.txt');
  writeFileSync(ids, Array.from({ length: 30 }, (_, at) => `R${at}`).join('\n'));
  for (let times = 0; times < 6; times++)
    await runCommand(['backfill', '--ids', ids, '--again', '--yes', '--config', path]);
  const keptWith = async (retention: object) => {
    writeFileSync(path, `${readFileSync(path, 'utf8').split('retention:')[0]}${stringify({ retention })}`);
    await runCommand(['compact', '--config', path]);
    return valueIn(join(folder, 'data/warehouse.db'), 'SELECT count(*) FROM _answer') as number;
  };
  const all = await keptWith({ answers: '1h' });
  const four = await keptWith({ answers: '1ms', versions: 4 });
  const one = await keptWith({ answers: '1ms', versions: 1 });
  expect(all - four).toBeGreaterThanOrEqual(2 * 30);
  expect(four - one).toBe(3 * 30);
});

keys('warehouse ledger', async () => {
  const { origin } = await recorder();
  const files = { warehouse: 'unusual/w.db', ledger: 'unusual/l.db' };
  const { folder } = await runAt(origin, files, 'sync', '--max-calls', '1');
  for (const file of Object.values(files)) expect(existsSync(join(folder, file))).toBe(true);
});

test('notify: a run ends after its digest was delivered', async () => {
  const sent = join(temporaryFolder(), 'sent.json');
  const upstream = await place({
    notify: [{ name: 'slow', command: ['/bin/sh', '-c', `sleep 0.3; cat > ${sent}`] }],
  });
  await upstream.run('sync', '--max-calls', '3');
  expect(readFileSync(sent, 'utf8')).toContain('registry.digest');
});

/** Keys that other tests cover: the dialect's by test/dialect, the worker's by test/jobs. */
const ELSEWHERE: TestedElsewhere = {
  'config/config.test.ts': {
    'a configuration error contains: %s': 'version account.commercial_use',
    'a configuration without an allowance causes an error that lists all ways': 'allowance.unlimited',
  },
  'cli/doctor.test.ts': {
    'doctor connects through a proxy, and names the proxy': 'upstream.proxy',
  },
  'cli/backfill.test.ts': {
    'backfill --ids does not spend the reserve, which is for scheduled runs': 'allowance.reserve',
  },
  'jobs/worker_status.test.ts': {
    'status shows no worker %s': 'worker.redis_url',
  },
  'jobs/worker.test.ts': {
    "a worker does not change another registry's queue": 'worker.prefix',
    'a worker limits the number of calls in each batch': 'worker.job_calls',
  },
  'jobs/job_definition.test.ts': {
    "a batch gets the configuration's limits": 'worker.job_time',
  },
  'jobs/health_server.test.ts': {
    'on other addresses, the worker offers no dashboard': 'worker.health_host',
    "the worker's error names the remedy if another process": 'worker.health_port',
    'the dashboard requires the password if one is set': 'worker.board_password',
  },
  'trust/worker_secrets.test.ts': {
    "a canary key appears in none of a worker's logs": 'worker.log_level',
  },
  'jobs/tracing.test.ts': {
    'with worker.tracing %s': 'worker.tracing',
  },
  'cli/status.test.ts': {
    'status and doctor report a disabled notification receiver': 'notify[].name',
  },
  'notify/notify.test.ts': {
    'a webhook receives one signed digest for each run': 'notify[].webhook.url notify[].webhook.secret',
    'webhooks to private addresses are rejected unless': 'notify[].webhook.allow_private',
    'a command receives JSON on standard input': 'notify[].command',
    'a digest is sent through sendmail': 'notify[].mail.to notify[].mail.from notify[].mail.sendmail',
    'a receiver gets only the events, companies and fields':
      'notify[].events notify[].watchlist notify[].fields',
  },
  'dialect/request.test.ts': {
    'contains the query, the fixed parameters and the page':
      'dialect.search.query_param dialect.search.extra dialect.search.paging.style dialect.search.paging.param dialect.search.paging.size_param',
    'contains an identifier in the identifier parameter': 'dialect.search.identifier_param',
    'a template is filled in with the query or the identifier':
      'dialect.search.query_template dialect.search.identifier_template',
  },
  'dialect/paging.test.ts': {
    'an offset counts the rows received if it is known':
      'dialect.search.paging.first dialect.search.paging.size',
    'a listing ends when the next cursor equals the first cursor': 'dialect.search.paging.next',
  },
  'dialect/decode.test.ts': {
    'a search returns its rows in order, the total, and the rejected results':
      'dialect.search.results dialect.search.id dialect.search.name dialect.search.total',
    'all results for one company are grouped under one key': 'dialect.search.item dialect.search.group_as',
    'a result outside the list comes first, without the keys that belong to the page': 'dialect.search.main',
    'if a result has no id, the first fallback path with a value is used': 'dialect.search.id_fallbacks',
    'if a result has no name, the first fallback with text is used, and the texts at a list of paths are joined':
      'dialect.search.name_fallbacks',
    'a search is empty if the body has no list and the total is 0': 'dialect.search.absent_when_empty',
    'a record without an id at the first path is read by a fallback path':
      'dialect.entity.id dialect.entity.id_fallbacks',
    'a record without a name at the path is read by a fallback path':
      'dialect.entity.name dialect.entity.name_fallbacks',
    'statistics without the count are not understood': 'dialect.stats.total',
  },
  'dialect/evidence/judgements.test.ts': {
    'a next page does not contradict a total at its stated cap': 'dialect.search.total_clamped_at',
  },
  'plan/discovery/inferred_rule.test.ts': {
    'a new process infers the query rule from stored queries': 'dialect.search.matches',
  },
  'plan/discovery/identifier_rule.test.ts': {
    'discovery searches identifiers by prefix once a search has shown': 'dialect.search.identifiers',
  },
  'dialect/evidence/wrong_dialects.test.ts': {
    'the run and the check propose the value that fits': 'dialect.search.min_length',
  },
  'dialect/classify.test.ts': {
    'an empty list in place of a record means that the company does not exist': 'dialect.entity.root',
    'an entity is deleted if the body contains the mark': 'dialect.entity.gone.at dialect.entity.gone.is',
    "the response table's first matching row applies":
      'dialect.responses[].status dialect.responses[].kind dialect.responses[].at dialect.responses[].is dialect.responses[].matches dialect.responses[].header dialect.responses[].means',
    'the response table can recognise the response to a search that finds nothing':
      'dialect.responses[].total',
  },
  'load/query_listing.test.ts': {
    'as many rows as the cap, before the total': 'dialect.search.paging.window',
  },
  'probe/error_codes.test.ts': {
    'pages of different lengths are read until one is not found': 'dialect.search.paging.uneven',
  },
  'load/load.test.ts': {
    'a response that differs only in volatile fields is stored as a reference': 'dialect.volatile',
  },
  'dialect/reported_limits.test.ts': {
    'one configured header states the calls left':
      'dialect.limits[].window dialect.limits[].remaining dialect.limits[].reset dialect.limits[].limit',
  },
};

describe('keys that other files test', () => {
  for (const key of testedElsewhere(ELSEWHERE).flatMap((names) => names.split(' '))) covered.add(key);
});

test('every key of the schema is in this list', () => {
  const all = leaves(configSchema()).map(({ path }) => path.join('.'));
  const hasKeys = (key: string) =>
    all.some((other) => [`${key}.`, `${key}[].`].some((start) => other.startsWith(start)));
  const single = all.filter((key) => !hasKeys(key));
  expect(single.filter((key) => !covered.has(key))).toEqual([]);
});
