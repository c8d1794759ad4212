// npm run accept hostile [-- --case PART_OF_A_NAME]
// Tests small responses that need a lot of memory. For each response, `sync` runs three times with a 512 MB heap.
// Prints each run's exit code, its peak resident memory and its calls to the hostile target. Then prints the stored
// rows and bytes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import Sqlite from 'better-sqlite3';
import { stringify } from 'yaml';
import type { ConfigInput } from '../../src/config/config.ts';
import { argumentsOf } from '../support/script.ts';

const values = argumentsOf({ case: null });
const HEAP_MB = 512;
const MOST_RESIDENT_MB = 600;
const MOST_DISK_MB = 60;
const RUNS = 3;

interface Hostile {
  readonly name: string;
  readonly kind: 'search' | 'entity';
  readonly body: () => string;
  /** How many rows must be in quarantine. */
  readonly quarantined: number;
}

const listed = (length: number, item: (at: number) => string) =>
  Array.from({ length }, (_, at) => item(at)).join(',');
const keys = (length: number, prefix = 'key') => listed(length, (at) => `"${prefix}${at}":1`);
const record = (members: string) => `{"id":"C1","name":"Alpha",${members}}`;

const CASES: readonly Hostile[] = [
  {
    name: 'a search page of 2.6 million empty results',
    kind: 'search',
    body: () => `{"results":[${'{},'.repeat(2_600_000)}{}]}`,
    quarantined: 1,
  },
  {
    name: 'a search page of 10,000 results, nearly all without an id',
    kind: 'search',
    body: () => `{"results":[${'{},'.repeat(9_999)}{"id":"C1","name":"Alpha"}]}`,
    quarantined: 1,
  },
  {
    name: 'a search that unpacks to 512 MB',
    kind: 'search',
    body: () => ' '.repeat(2 ** 29 - 100),
    quarantined: 0,
  },
  {
    name: 'a record with a list of 4 million numbers',
    kind: 'entity',
    body: () => record(`"list":[${'0,'.repeat(4_000_000)}0]`),
    quarantined: 1,
  },
  {
    name: 'a record nested 1 million deep',
    kind: 'entity',
    body: () => record(`"deep":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`),
    quarantined: 1,
  },
  {
    name: 'a record with 300,000 keys',
    kind: 'entity',
    body: () => record(keys(300_000)),
    quarantined: 0,
  },
  {
    name: 'a record with a list of 490,000 numbers, one of which has 20 digits',
    kind: 'entity',
    body: () => record(`"list":[${'0,'.repeat(490_000)}12345678901234567890]`),
    quarantined: 0,
  },
  {
    name: 'a record with 99,000 rows in a list of 900 columns',
    kind: 'entity',
    body: () => record(`"list":[${'{},'.repeat(99_000)}{${keys(900)}}]`),
    quarantined: 0,
  },
  {
    name: 'a record with 100 lists of 900 columns each',
    kind: 'entity',
    body: () => record(listed(100, (at) => `"list${at}":[{${keys(900)}}]`)),
    quarantined: 0,
  },
  {
    name: 'a record with 300,000 keys below a path of 900 characters',
    kind: 'entity',
    body: () => record(`"${'p'.repeat(900)}":{${keys(300_000, '')}}`),
    quarantined: 0,
  },
];

const chosen = CASES.filter(({ name }) => values.case === null || name.includes(values.case));
const results: boolean[] = [];
for (const hostile of chosen) results.push(await scenario(hostile));
process.exitCode = results.length > 0 && results.every(Boolean) ? 0 : 1;

async function scenario(hostile: Hostile): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-'));
  const upstream = await openHostile(hostile);
  try {
    const config = join(folder, 'registry-mirror.yaml');
    writeFileSync(config, stringify(configuration(upstream.baseUrl, folder)));
    const runs = [];
    for (let run = 0; run < RUNS; run++) {
      const before = upstream.calls();
      const ran = await sync(config);
      runs.push({ ...ran, calls: upstream.calls() - before });
    }
    const diskMb = folderMb(folder);
    const rows = quarantineRows(join(folder, 'warehouse.db'));
    const isRight =
      runs.every(({ code, residentMb }) => [0, 1, 3].includes(code ?? -1) && residentMb < MOST_RESIDENT_MB) &&
      runs.slice(1).every(({ calls }) => calls === 0) &&
      rows.length === hostile.quarantined &&
      diskMb < MOST_DISK_MB;
    const words = runs.map(
      ({ code, residentMb, seconds, calls }) =>
        `exit ${code}, ${residentMb.toFixed(0)} MB, ${seconds.toFixed(1)} s, ${calls} calls`,
    );
    process.stdout.write(
      `${isRight ? 'ok  ' : 'BAD '} ${hostile.name} (${(upstream.sentBytes / 1e3).toFixed(1)} kB): ${words.join(' | ')}; ${diskMb.toFixed(1)} MB on disk; ${rows.length} in quarantine${rows[0] === undefined ? '' : `: ${rows[0]}`}\n`,
    );
    if (!isRight) process.stdout.write(`${runs.map(({ stderr }) => stderr.slice(-600)).join('\n')}\n`);
    return isRight;
  } finally {
    await upstream.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Starts an upstream with one company. It sends the hostile response either to the first query or to every call for the
 * company's record.
 */
async function openHostile({ kind, body }: Hostile) {
  const hostile = gzipSync(body(), { level: 9 });
  const usual = JSON.stringify({ results: [{ id: 'C1', name: 'Alpha' }], total: 1 });
  let hostileQuery: string | null = null;
  let calls = 0;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    response.setHeader('content-type', 'application/json');
    if (url.pathname.endsWith('/stats')) return response.end('{"companies":1}');
    const isSearch = url.pathname.endsWith('/search');
    if (isSearch) hostileQuery ??= url.search;
    if (isSearch !== (kind === 'search') || (isSearch && url.search !== hostileQuery))
      return response.end(isSearch ? usual : record('"city":"Ulm"'));
    calls += 1;
    return response.setHeader('content-encoding', 'gzip').end(hostile);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
    sentBytes: hostile.length,
    calls: () => calls,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function configuration(baseUrl: string, folder: string): ConfigInput {
  return {
    version: 1,
    source: { name: 'Hostile' },
    upstream: { base_url: baseUrl, api_key: 'key-of-no-one' },
    account: { tier: 'paid' },
    allowance: { per_minute: 'unlimited', unlimited: true },
    dialect: {
      search: {
        query_param: 'q',
        paging: { style: 'none' },
        results: '/results',
        id: '/id',
        name: '/name',
        total: '/total',
      },
      entity: { id: '/id', name: '/name' },
      stats: { total: '/companies' },
    },
    warehouse: join(folder, 'warehouse.db'),
    ledger: join(folder, 'ledger.db'),
  };
}

async function sync(config: string) {
  const startedMs = performance.now();
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${HEAP_MB}`, 'src/cli/bin.js', 'sync', '--json', '--config', config],
    { cwd: resolve(import.meta.dirname, '../..'), stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let stderr = '';
  child.stdout.resume();
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const closed = once(child, 'close');
  let residentMb = 0;
  while (child.exitCode === null && child.signalCode === null) {
    residentMb = Math.max(residentMb, peakMb(child.pid));
    await sleep(10);
  }
  await closed;
  return { code: child.exitCode, residentMb, stderr, seconds: (performance.now() - startedMs) / 1000 };
}

/** Returns the peak resident memory that the kernel reports, or 0 if the process has ended. */
function peakMb(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1000;
  } catch {
    return 0;
  }
}

function folderMb(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0) / 1e6;
}

function quarantineRows(warehouse: string): string[] {
  const db = new Sqlite(warehouse, { readonly: true });
  try {
    return db.prepare<[], string>("SELECT reason FROM _quarantine WHERE state = 'open'").pluck().all();
  } finally {
    db.close();
  }
}
