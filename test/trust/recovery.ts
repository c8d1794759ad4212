// npm run trust recovery -- [--companies 1000000] [--restarts 7] [--keep FOLDER]
// Measures how long `sync` takes after a killed run, from its start until its first call reaches the upstream. The
// warehouse lists all companies and has a tenth of the records.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { DIALECT, recordBody, searchBody, statsBody } from '../bench/growth/registry.ts';

const { values } = parseArgs({
  options: {
    companies: { type: 'string', default: '1000000' },
    restarts: { type: 'string', default: '7' },
    /** The warehouse's folder, which is kept, and whose warehouse is reused if it has one. */
    keep: { type: 'string' },
  },
});
const root = resolve(import.meta.dirname, '../..');
const companies = Number(values.companies);
const MOST_MS = 1000;
const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'registry-mirror-recovery-'));
mkdirSync(folder, { recursive: true });
const warehouse = join(folder, `${companies}.db`);
try {
  if (!existsSync(warehouse)) await fill();
  const upstream = await openUpstream();
  const config = configure(upstream.port);
  const restartsMs: number[] = [];
  const processorMs: number[] = [];
  // The first start is not measured, because the files have just been written or are not in the disk cache yet.
  for (let nth = 0; nth <= Number(values.restarts); nth++) {
    const { afterMs, cpuMs } = await restartAndKill(config, upstream);
    if (nth === 0) continue;
    restartsMs.push(afterMs);
    processorMs.push(cpuMs);
  }
  upstream.close();
  const medianMs = median(restartsMs);
  process.stdout.write(
    `${JSON.stringify({
      ok: medianMs <= MOST_MS,
      companies,
      restarts_ms: restartsMs,
      median_ms: medianMs,
      // On an idle machine, the CPU time is similar to the elapsed time.
      median_processor_ms: median(processorMs),
    })}\n`,
  );
  process.exitCode = medianMs <= MOST_MS ? 0 : 1;
} finally {
  if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
}

async function fill(): Promise<void> {
  const script = resolve(import.meta.dirname, '../bench/growth/fill.ts');
  const [code] = await once(fork(script, [warehouse, String(companies)]), 'exit');
  if (code !== 0) throw new Error('the process that fills the warehouse failed; see its output');
}

/** The time from a process's start until its first call arrives, and the CPU time used by then. */
async function restartAndKill(config: string, upstream: Counting) {
  const first = upstream.nextArrival();
  const startedMs = performance.now();
  const sync = spawn(process.execPath, ['src/cli/bin.js', 'sync', '--quiet', '--config', config], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(sync, 'exit');
  const arrivedMs = await Promise.race([first, ended.then(() => Number.NaN)]);
  if (Number.isNaN(arrivedMs)) throw new Error('sync ended without a call');
  const cpuMs = cpuMsOf(sync.pid ?? 0);
  await sleep(500);
  sync.kill('SIGKILL');
  await ended;
  return { afterMs: Math.round(arrivedMs - startedMs), cpuMs };
}

/** A process's user and system time (fields 14 and 15 in proc(5), in ticks of 10 ms). */
function cpuMsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

interface Counting {
  readonly port: number;
  nextArrival(): Promise<number>;
  close(): void;
}

async function openUpstream(): Promise<Counting> {
  let arrived: (atMs: number) => void = () => {};
  const server = createServer((request, response) => {
    arrived(performance.now());
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://upstream');
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer(pathname, searchParams));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    port: (server.address() as AddressInfo).port,
    nextArrival: () => new Promise((resolveFirst) => (arrived = resolveFirst)),
    close: () => server.close(),
  };
}

function answer(path: string, query: URLSearchParams): string {
  if (path === '/api/registry/stats') return statsBody(companies);
  if (path === '/api/search')
    return searchBody(companies, query.get('q') ?? '', Number(query.get('page') ?? 1) - 1);
  return recordBody(Number(path.slice('/api/entity/'.length)));
}

function configure(port: number): string {
  const path = join(folder, 'recovery.yaml');
  writeFileSync(
    path,
    stringify({
      version: 1,
      source: { name: 'Recovery' },
      upstream: { base_url: `http://127.0.0.1:${port}/api`, api_key: 'k'.repeat(20), concurrency: 4 },
      account: { tier: 'paid' },
      allowance: { per_minute: 'unlimited', unlimited: true },
      dialect: DIALECT,
      warehouse,
      ledger: join(folder, 'ledger.db'),
    }),
  );
  return path;
}
