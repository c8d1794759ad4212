import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { generateRegistry } from '../../data/generate.ts';
import { COMMAND_NAMES } from '../../src/cli/commands.ts';
import { openProgram } from '../../src/cli/main.ts';
import type { Json } from '../../src/json/json.ts';
import { valueAt } from '../../src/json/pointer.ts';
import { acquireLock } from '../../src/warehouse/lock.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { commandsOf } from '../docs/commands_page.ts';
import { type Command, type Finished, runCommand, startCommand } from '../support/command.ts';
import { temporaryFolder } from '../support/loader.ts';
import { type TestedElsewhere, testedElsewhere } from '../support/tested_elsewhere.ts';
import { type Overrides, openUpstream, type Upstream } from '../support/upstream.ts';

// Runs every command and every flag of the help once through the command line, and checks that the flag changes
// something that a user can observe. The last test compares the list with the help.

const SHARED = ['--config', '--json', '--quiet', '--verbose'];
const COMPANIES = [...generateRegistry({ companies: 60, seed: 5 })];
const [FIRST, _SECOND] = COMPANIES;

const covered = new Set<string>();
const opened: Upstream[] = [];
const started: Command[] = [];
let mirror: Upstream;

beforeAll(async () => {
  mirror = await open();
  await mirror.run('sync');
});
afterAll(async () => {
  for (const { process: child } of started) if (child.exitCode === null) child.kill('SIGKILL');
  for (const one of opened) await one.close();
});

/** The commands and flags that other tests run. A command without flags has an empty list. */
const ELSEWHERE: TestedElsewhere = {
  'cli/backfill.test.ts': {
    'backfill --ids fetches each id on an untidy list only once': 'backfill --ids --column --report',
    'backfill --ids skips fresh records unless --again is given': 'backfill --again',
    'backfill --ids continues with the same command or with --resume': 'backfill --resume --list --max-calls',
    'backfill --ids does not spend the reserve, which is for scheduled runs': 'backfill --strict',
    'backfill --names finds exact names, reports similar ones': 'backfill --names',
    'backfill by search requests all pages of a query': 'backfill --query',
    'backfill by search splits a prefix that has more matches than the cap': 'backfill --prefix --no-records',
    'a backfill of known companies fetches missing and old records': 'backfill --missing --stale',
    'the backfill command cancels a backfill': 'backfill --cancel',
  },
  'jobs/backfill.test.ts': {
    '--enqueue` stores the request in the warehouse and the job in Redis': 'backfill --enqueue',
  },
  'cli/doctor.test.ts': {
    'doctor --online spends one call and stores its response': 'doctor --online',
    'doctor warns if other users can read the key': 'doctor --strict',
  },
  'cli/load_commands.test.ts': {
    'export writes files and prints the next cursor':
      'export --format --out --tables --as-of --changes-since --safe-formulas --rows-per-file',
    'forget erases a company only after confirmation': 'forget --yes',
    'forget lists the erased ids, and after --undo a backfill can fetch their records again':
      'forget --list --undo',
    'reprocess applies a changed mapping': 'reprocess',
    'compact deletes responses older than the retention period': 'compact',
  },
  'cli/probe.test.ts': {
    'probe --openapi writes the paths, the key header and the dialect': 'probe --openapi',
  },
  'cli/quarantine.test.ts': {
    'quarantine discards single entries by number, or all entries':
      'quarantine list --all; quarantine discard --all',
    'quarantine stores and shows unreadable responses':
      'quarantine list --limit; quarantine show; quarantine replay',
  },
  'cli/companies.test.ts': {
    'search gives an identical name the score 1, marks gone companies, and limits them': 'search --limit',
    'search and show print CSV with --csv': 'search --csv; show --csv',
    'show --history prints the same, also as text, and --documents adds every version':
      'show --history --documents; history --documents',
  },
  'cli/serve.test.ts': {
    'serve on %s with %j shows its page and metrics only to whom it may': 'serve --host --page --no-page',
    'serve names an empty warehouse and the remedy': 'serve --port',
    'API keys are printed only when created, and can be listed, suspended and revoked':
      'keys list; keys revoke; keys suspend; keys resume',
  },
  'cli/pacing.test.ts': {
    'sync sends fewer refresh calls than are due, and sync --all sends them all': 'sync --all',
  },
  'trust/worker_secrets.test.ts': {
    "a canary key appears in none of a worker's logs": 'worker --health-port',
  },
  'cli/completion.test.ts': {
    'bash completes %j to %j': 'completion',
  },
  'cli/config.test.ts': {
    'config show prints the file and every value, without secrets': 'config show',
    'shared flags also work before the command': 'config validate',
  },
  'cli/restore.test.ts': {
    'restore replaces the warehouse, keeps the old file': 'backup; restore',
  },
  'jobs/mirrored_worker.test.ts': {
    '`worker run` adds a job, which the worker runs, and rejects an unknown job': 'worker run',
    '`worker pause` and `worker resume` take effect': 'worker pause; worker resume',
    '`worker remove` removes a queue of this program that no worker serves': 'worker remove',
  },
};

describe('commands and flags that other files test', () => {
  for (const named of testedElsewhere(ELSEWHERE).flatMap((names) => names.split('; '))) {
    const [command = '', ...flags] = named.split(' --');
    for (const flag of flags) covered.add(`${command} --${flag}`);
    if (flags.length === 0) covered.add(command);
  }
});

/** Tests flags of a command. `flags` are separated by spaces. */
function flags(command: string, named: string, check: () => Promise<void>): void {
  for (const flag of named.split(' ')) covered.add(`${command} ${flag}`.trim());
  test(`${command} ${named} changes what the command does`, check);
}

async function open(overrides: Overrides = {}): Promise<Upstream> {
  const upstream = await openUpstream({ companies: COMPANIES }, overrides);
  opened.push(upstream);
  return upstream;
}

/** Opens a mirror of the first companies, for a test that changes it. */
async function small(...args: string[]): Promise<Upstream> {
  const upstream = await open();
  await upstream.run('sync', ...(args.length === 0 ? ['--max-calls', '12'] : args));
  return upstream;
}

const dataOf = async (running: Promise<Finished>) => (await running).json.data;
const written = (folder: string, name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

/** Starts a command that runs until it is stopped, and returns the first JSON document that it prints. */
async function firstDocument(...args: string[]) {
  const command = startCommand([...args, '--json']);
  started.push(command);
  let text = '';
  for await (const chunk of command.process.stdout ?? []) {
    text += String(chunk);
    if (text.endsWith('}\n')) return { command, data: JSON.parse(text).data };
  }
  throw new Error(`${args.join(' ')} printed no document: ${(await command.finished).stderr}`);
}

async function stopped({ process: child, finished }: Command): Promise<Finished> {
  child.kill('SIGTERM');
  return await finished;
}

describe('init', () => {
  const init = async (...given: string[]) => {
    const folder = temporaryFolder();
    const base = ['--yes', '--base-url', 'https://registry.example/api'];
    const { code } = await runCommand(['init', ...base, ...given, '--config', 'c.yaml'], { cwd: folder });
    const text = code === 0 ? readFileSync(join(folder, 'c.yaml'), 'utf8') : '';
    return { code, text, config: parse(text) };
  };
  flags('init', '--yes --base-url --unlimited', async () => {
    const { config, text } = await init('--unlimited');
    // Editors read the schema's path in the first line.
    expect(text).toMatch(/^# yaml-language-server: \$schema=.*configuration\.schema\.json\n/);
    expect(config).toMatchObject({
      upstream: { base_url: 'https://registry.example/api' },
      allowance: { unlimited: true },
    });
    expect((await runCommand(['init', '--config', 'x.yaml'], { cwd: temporaryFolder() })).code).toBe(2);
  });
  flags('init', '--force', async () => {
    const folder = temporaryFolder();
    written(folder, 'c.yaml', 'mine: 1');
    const args = ['init', '--yes', '--base-url', 'https://a.example', '--unlimited', '--config', 'c.yaml'];
    expect((await runCommand(args, { cwd: folder })).code).toBe(2);
    expect((await runCommand([...args, '--force'], { cwd: folder })).code).toBe(0);
    expect(readFileSync(join(folder, 'c.yaml'), 'utf8')).not.toContain('mine');
  });
  flags('init', '--key-variable --name --data --per-minute --total --per-day --per-month', async () => {
    const given = '--key-variable MY_KEY --data files --per-minute 7 --total 8 --per-day 9 --per-month 11';
    const { config } = await init(...given.split(' '), '--name', 'Register: "B" #1');
    expect(config).toMatchObject({
      source: { name: 'Register: "B" #1' },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the notation of the file
      upstream: { api_key: '${env:MY_KEY}' },
      allowance: { per_minute: 7, total: 8, per_day: 9, per_month: 11 },
      warehouse: 'files/warehouse.db',
    });
  });
  flags('init', '--key-file --tier --commercial-use --already-spent --for', async () => {
    const given =
      '--key-file my.key --tier paid --commercial-use --already-spent 3 --for records --unlimited';
    const { config } = await init(...given.split(' '));
    expect(config).toMatchObject({
      // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the notation of the file
      upstream: { api_key: '${file:my.key}' },
      account: { tier: 'paid', commercial_use: true, already_spent: 3 },
      focus: 'records',
    });
  });
  flags('init', '--no-key', async () => {
    expect((await init('--unlimited', '--no-key')).config.upstream.api_key).toBeNull();
  });
  test.each([
    ['', 'no allowance is configured', '--unlimited'],
    ['--per-day 9 --unlimited', '--unlimited: contradicts the limits', 'the limits'],
    ['--per-day 9 --per-minute 0', '--per-minute: must', 'above 0'],
    ['--per-day 9 --commercial-use', '--commercial-use: the free tier', '--tier paid'],
  ])('init %s: the error names the flag', async (given, start, remedy) => {
    const command = ['init', '--yes', '--base-url', 'https://registry.example/api'];
    const { code, stderr } = await runCommand([...command, ...given.split(' ').filter(Boolean)], {
      cwd: temporaryFolder(),
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`^registry-mirror init: ${start}.*${remedy}.*\n$`));
  });
  flags('init', '--watchlist', async () => {
    expect((await init('--unlimited', '--watchlist', 'a b.txt')).config.scope).toEqual({
      names: 'a b.txt',
    });
  });
});

describe('plan and sync', () => {
  flags('plan', '--explain --max-calls --focus', async () => {
    const upstream = await small();
    const plan = await dataOf(
      upstream.run('plan', '--explain', '3', '--focus', 'records', '--max-calls', '2'),
    );
    expect(plan).toMatchObject({ focus: 'records', next_calls: expect.any(Array) });
    expect(plan.next_calls).toHaveLength(3);
    expect(plan.next_run.calls).toEqual({ low: 2, high: 2 });
    expect(plan).not.toEqual(await dataOf(upstream.run('plan', '--explain', '3', '--focus', 'records')));
  });
  flags('sync', '--dry-run --max-calls --max-minutes --focus --strict', async () => {
    const upstream = await open({ allowance: { per_minute: 'unlimited', total: 9 } });
    const calls = () => upstream.sandbox.arrivals().length;
    expect(await dataOf(upstream.run('sync', '--dry-run'))).toMatchObject({ dry_run: true });
    expect(calls()).toBe(0);
    expect((await dataOf(upstream.run('sync', '--max-minutes', '0.000001'))).ended).toBe('max_minutes');
    expect((await dataOf(upstream.run('sync', '--max-calls', '3', '--focus', 'coverage'))).records).toBe(0);
    expect(calls()).toBeLessThanOrEqual(4);
    expect((await upstream.run('sync')).code).toBe(0);
    expect((await upstream.run('sync', '--strict')).code).toBe(75);
  });
});

describe('backfill', () => {
  flags('backfill', '--yes --max-minutes --until --dry-run --failed', async () => {
    const upstream = await small('--max-calls', '4', '--focus', 'coverage');
    expect(await dataOf(upstream.run('backfill', '--missing', '--dry-run'))).toMatchObject({ dry_run: true });
    const timed = await dataOf(upstream.run('backfill', '--missing', '--yes', '--max-minutes', '0.000001'));
    expect(timed.run.ended).toBe('max_minutes');
    expect((await upstream.run('backfill', '--resume', '--until', '2001-01-01')).code).toBe(2);
    // At one call a second, the backfill would take a minute.
    upstream.configure({ allowance: { per_minute: 61, unlimited: true } });
    const until = new Date(Date.now() + 3_000).toISOString();
    const stoppedAt = await dataOf(
      upstream.run('backfill', '--resume', '--until', until, '--max-calls', '8'),
    );
    expect(stoppedAt.run.ended).toBe('max_minutes');
    expect((await dataOf(mirror.run('backfill', '--failed', '--dry-run'))).title).toBe('0 failed targets');
  });
});

describe('commands that read the mirror', () => {
  flags('status', '--runs --run --watch', async () => {
    expect((await dataOf(mirror.run('status', '--runs', '0'))).runs).toEqual([]);
    expect(await dataOf(mirror.run('status', '--run', '1'))).toMatchObject({ run_id: 1, command: 'sync' });
    const watching = startCommand(['status', '--watch', '1', '--json', '--config', mirror.configPath]);
    started.push(watching);
    let text = '';
    watching.process.stdout?.on('data', (chunk) => {
      text += String(chunk);
    });
    await expect.poll(() => text.match(/"command":"status"/g)?.length, { timeout: 30_000 }).toBe(2);
    expect((await stopped(watching)).code).toBe(0);
  });
  flags('watchlist', '', async () => {
    const names = written(mirror.folder, 'watched.txt', String(FIRST?.name));
    const config = mirror.configure({ scope: { names } }, 'watching.yaml');
    expect((await dataOf(mirror.run('watchlist', '--config', config))).names).toHaveLength(1);
  });
});

describe('history', () => {
  flags('history', '--csv --history', async () => {
    const id = String(FIRST?.id);
    const { stdout } = await mirror.run('history', id, '--csv');
    expect(stdout).toContain('field,value');
    expect(stdout).toBe((await mirror.run('show', id, '--history', '--csv')).stdout);
    expect((await mirror.run('history', id, '--history')).stdout).toBe(
      (await mirror.run('history', id)).stdout,
    );
  });
});

describe('commands that change the mirror', () => {
  flags('migrate', '', async () => {
    expect(await dataOf(mirror.run('migrate'))).toMatchObject({ migrated: false });
  });
  flags('doctor', '--rebuild-ledger --warehouse', async () => {
    const upstream = await small();
    const copy = join(temporaryFolder(), 'copy.db');
    await upstream.run('backup', copy);
    expect((await upstream.run('doctor', '--warehouse', copy)).code).toBe(2);
    const rebuilt = await upstream.run('doctor', '--rebuild-ledger', '--warehouse', copy);
    expect(JSON.stringify(rebuilt.json)).toContain('rebuilt from 2 warehouses');
  });
  flags('keys create', '--tier --per-minute --total --per-day --unlimited', async () => {
    const create = async (...args: string[]) => dataOf(mirror.run('keys', 'create', ...args));
    expect(await create('a', '--per-minute', '5', '--total', '6', '--per-day', '7')).toMatchObject({
      tier: 'paid',
      per_minute: 5,
      total: 6,
      per_day: 7,
    });
    expect(await create('b', '--tier', 'free', '--unlimited')).toMatchObject({ tier: 'free', total: null });
  });
  flags('keys limit', '--tier --per-minute --total --per-day --unlimited', async () => {
    await mirror.run('keys', 'create', 'c', '--tier', 'free', '--total', '4');
    const limit = async (...args: string[]) => dataOf(mirror.run('keys', 'limit', 'c', ...args));
    // The tier stays if only a limit is given.
    expect(await limit('--total', '5')).toMatchObject({ tier: 'free', per_minute: 10, total: 5 });
    expect(await limit('--per-minute', '3', '--per-day', '8')).toMatchObject({ per_minute: 3, per_day: 8 });
    expect(await limit('--tier', 'paid')).toMatchObject({ tier: 'paid', per_minute: null });
    expect(await limit('--tier', 'free', '--unlimited')).toMatchObject({ total: null, per_day: null });
  });
  for (const name of ['send', 'status']) covered.add(`notify ${name}`);
  flags('notify test', '', async () => {
    const out = join(mirror.folder, 'sent.json');
    const notify = [{ name: 'script', command: ['/bin/sh', '-c', `cat >> ${out}`] }];
    const config = mirror.configure({ notify }, 'notifying.yaml');
    const run = (...args: string[]) => dataOf(mirror.run('notify', ...args, '--config', config));
    await run('test', 'script');
    expect(readFileSync(out, 'utf8')).toContain('registry.test');
    expect((await run('status')).receivers).toMatchObject([{ name: 'script' }]);
    expect(await run('send')).toMatchObject({ delivered: 0 });
  });
});

describe('probe', () => {
  const probing = async () => {
    const upstream = await open();
    const { dialect: _, ...rest } = parse(readFileSync(upstream.configPath, 'utf8'));
    written(upstream.folder, 'registry-mirror.yaml', JSON.stringify(rest));
    return upstream;
  };
  flags('probe', '--dry-run --max-calls --max-minutes --yes --query-param --example', async () => {
    const upstream = await probing();
    const calls = () => upstream.sandbox.arrivals().length;
    expect(await dataOf(upstream.run('probe', '--dry-run', '--max-calls', '5'))).toMatchObject({
      max_calls: 5,
    });
    expect(calls()).toBe(0);
    expect((await dataOf(upstream.run('probe', '--max-minutes', '0.000001'))).ended).toBe('max_minutes');
    const param = upstream.sandbox.dialect.search.query_param;
    const hints = ['--query-param', param ?? 'q', '--example', String(FIRST?.name)];
    await upstream.run('probe', '--yes', '--max-calls', '2', ...hints);
    expect(calls()).toBe(2);
    const targets = upstream.sandbox.arrivals().map(({ target }) => target);
    expect(targets.join(' ')).toContain(`${param}=`);
  });
  flags('probe', '--fresh --check', async () => {
    const upstream = await open();
    const calls = () => upstream.sandbox.arrivals().length;
    await upstream.run('probe');
    const first = calls();
    // The responses are stored, so a second probe sends fewer calls, but not with --fresh.
    await upstream.run('probe');
    const second = calls() - first;
    await upstream.run('probe', '--fresh');
    const fresh = calls() - first - second;
    expect(second).toBeLessThan(first);
    expect(fresh).toBeGreaterThan(second);
    expect(await dataOf(upstream.run('probe', '--check'))).toMatchObject({
      contradictions: [],
      proposals: [],
    });
    expect(calls()).toBe(first + second + fresh);
  });
});

describe('servers', () => {
  flags(
    'sandbox',
    '--companies --seed --host --port --key --tier --per-minute --total --per-day --matches --identifiers --folding --page-size --max-page-size --window --latency --arrivals --dump --json',
    async () => {
      const folder = temporaryFolder();
      const [log, dump] = [join(folder, 'log'), join(folder, 'dump')];
      const given =
        '--companies 90 --seed 7 --host 127.0.0.1 --port 0 --key mine --tier paid --per-minute 90 --total 100 ' +
        '--per-day 50 --matches prefix --identifiers none --folding none --page-size 5 --max-page-size 7 --window 12 ' +
        '--latency 300';
      const { command, data } = await firstDocument(
        'sandbox',
        ...given.split(' '),
        '--arrivals',
        log,
        '--dump',
        dump,
      );
      expect(data).toMatchObject({
        key: 'mine',
        companies: 90,
        configuration: {
          account: { tier: 'paid' },
          allowance: { per_minute: 90, total: 100, per_day: 50 },
          dialect: { search: { matches: 'prefix', identifiers: 'none', paging: { size: 7, window: 12 } } },
        },
      });
      // The file is complete before the sandbox reports that it is ready.
      expect(data.base_url).toContain('//127.0.0.1:');
      const lines = readFileSync(dump, 'utf8').trim().split('\n');
      const names = [...generateRegistry({ companies: 90, seed: 7 })].map(({ name }) => name);
      expect(lines).toHaveLength(90);
      expect(lines.join('\n')).toContain(names[0]);
      const startedMs = performance.now();
      const headers = { authorization: 'Bearer mine' };
      await fetch(`${data.base_url}/registry/stats`, { headers });
      expect(performance.now() - startedMs).toBeGreaterThan(290);
      const { query_param, results } = data.configuration.dialect.search;
      const found = async (query: string) => {
        const response = await fetch(`${data.base_url}/search?${query_param}=${query}`, { headers });
        return valueAt((await response.json()) as Json, results);
      };
      expect(names.filter((name) => name.startsWith('T')).length).toBeGreaterThan(5);
      expect(await found('T')).toHaveLength(5);
      // Without folding, no name begins with a small letter.
      expect(await found('t')).toEqual([]);
      expect((await stopped(command)).code).toBe(0);
      expect(readFileSync(log, 'utf8')).toContain('registry/stats');
    },
  );
  for (const kind of ['changed', 'appearing', 'deleted'])
    flags('sandbox', `--${kind}`, async () => {
      const { command, data } = await firstDocument(
        'sandbox',
        '--unlimited',
        '--companies',
        '100',
        `--${kind}`,
        '7200',
      );
      const changes = async () => (await fetch(`${data.url}/_sandbox/changes`)).text();
      await expect.poll(changes).toContain(`"${kind}"`);
      const kinds = [...(await changes()).matchAll(/"(changed|appearing|deleted)"/g)].map(([, one]) => one);
      expect(new Set(kinds)).toEqual(new Set([kind]));
      await stopped(command);
    });
  flags('sandbox', '--data --id-column --name-column --where --unlimited --shape', async () => {
    const data = written(temporaryFolder(), 'c.csv', 'x,y,z\n1,A Ltd,on\n2,B Ltd,off\n');
    const given = '--id-column x --name-column y --where z=on --unlimited --shape brreg --tier free'.split(
      ' ',
    );
    const { command, data: ready } = await firstDocument('sandbox', '--data', data, ...given);
    expect(ready).toMatchObject({
      companies: 1,
      configuration: { allowance: { unlimited: true }, dialect: { search: { query_param: 'navn' } } },
    });
    await stopped(command);
  });
  flags('demo', '--json --verbose', async () => {
    const folder = temporaryFolder();
    const { json, stderr } = await runCommand(['demo', '--json', '-v'], { cwd: folder });
    const { refresh, backfill } = json.data;
    expect([json.data, refresh, backfill].map(({ ended }) => ended)).toEqual(['done', 'done', 'done']);
    expect([refresh.new, refresh.changed, refresh.gone + backfill.gone]).toEqual([6, 30, 4]);
    expect(refresh.calls_spent + backfill.calls_spent).toBeLessThanOrEqual(120);
    expect(stderr).toMatch(/search .*: ok \(HTTP 200/);
  });
});

describe('shared flags', () => {
  const READING = [
    ['status'],
    ['search', 'a'],
    ['keys', 'list'],
    ['config', 'show'],
    ['plan'],
    ['backfill', '--list'],
  ];
  test.each(READING.map((args) => [args.join(' '), args] as const))(
    '%s: --json prints one document, --quiet nothing, --verbose the files, and --config another file',
    async (_, args) => {
      const run = (...more: string[]) => runCommand([...args, ...more]);
      const config = ['--config', mirror.configPath];
      expect((await run('--json', ...config)).json).toMatchObject({ ok: true });
      expect((await run(...config)).json).toBeUndefined();
      expect(await run('--quiet', ...config)).toMatchObject({ stdout: '', stderr: '', code: 0 });
      if (args[0] !== 'config') expect((await run('-v', ...config)).stderr).toContain(mirror.configPath);
      expect(await run('--config', join(mirror.folder, 'none.yaml'))).toMatchObject({ code: 2, stdout: '' });
      const before = await runCommand(['--json', ...config, ...args]);
      expect(before.json).toMatchObject({ ok: true });
    },
  );
});

describe('exclusive commands', () => {
  const EXCLUSIVE = [
    ['reprocess'],
    ['compact'],
    ['forget', '00', '--yes'],
    ['quarantine', 'replay'],
    ['restore', 'BACKUP'],
  ];
  test.each(EXCLUSIVE.map((args) => [args.join(' '), args] as const))(
    '%s fails while a run holds the lock, and leaves no open run',
    async (_, args) => {
      const upstream = await small('--max-calls', '2');
      const backup = join(upstream.folder, 'b.db');
      await upstream.run('backup', backup);
      const warehouse = openWarehouse({ path: join(upstream.folder, 'warehouse.db'), nowMs: Date.now() });
      const owner = { owner: 'other', pid: process.pid, host: 'elsewhere', isAlive: () => true };
      acquireLock(warehouse.db, { ...owner, nowMs: Date.now() });
      const given = args.map((one) => (one === 'BACKUP' ? backup : one));
      expect(await upstream.run(...given)).toMatchObject({ code: 1, said: expect.stringContaining('lock') });
      const openRuns = warehouse.db.prepare('SELECT count(*) FROM _run WHERE ended_at IS NULL').pluck().get();
      warehouse.close();
      expect(openRuns).toBe(0);
    },
  );
});

test('the tests of this file run every command and every flag of the help', async () => {
  const program = await openProgram(COMMAND_NAMES);
  const all = [...commandsOf(program)].flatMap(({ name, command }) => {
    const isGroup = command.commands.length > 0 && name !== 'worker';
    const options = command.options.map(({ long }) => long ?? '').filter((long) => !SHARED.includes(long));
    return isGroup ? [] : options.length === 0 ? [name] : options.map((long) => `${name} ${long}`);
  });
  const commands = new Set([...covered].map((one) => one.replace(/ --.*/, '')));
  expect(all.filter((one) => !covered.has(one) && (one.includes('--') || !commands.has(one)))).toEqual([]);
  expect(existsSync(mirror.configPath)).toBe(true);
});
