/**
 * `npm run bench serve` compares `serve` with a bare fastify route on the same warehouse, in alternating rounds. This
 * process sends the requests, and each server is a separate process.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import { stringify } from 'yaml';
import { clientDialect, defaultProfile } from '../../src/api/api_profile.ts';
import { withoutDiacritics, wordsOf } from '../../src/names/folding.ts';
import { argumentsOf, say, scriptFolder } from '../support/script.ts';
import { median } from './figures.ts';
import { type Measured, measureLoad } from './serve/load.ts';
import { fillWarehouse } from './serve/warehouse.ts';

const values = argumentsOf({
  companies: 1_000_000,
  rounds: 7,
  requests: 20_000,
  flat: 1_000_000,
  connections: 8,
  /** The warehouse's path, where it is kept for the next run. */
  warehouse: null,
});
const root = resolve(import.meta.dirname, '../..');
const folder = scriptFolder();
const { companies, connections, requests } = values;
const processes: ChildProcess[] = [];

try {
  await main();
} finally {
  for (const child of processes) child.kill();
}

async function main(): Promise<void> {
  const warehouse = prepared(values.warehouse ?? join(folder, 'warehouse.db'));
  const configPath = configured(warehouse);
  const key = await newKey(configPath);
  const bare = await startBare(warehouse);
  const mirror = await startMirror(configPath);
  const { ids, rareWords, prefixes } = asked(warehouse);
  const entities = ids.map((id) => `/api/entity/${encodeURIComponent(id)}`);
  const searches = (texts: readonly string[]) =>
    texts.map((text) => `/api/search?per_page=20&q=${encodeURIComponent(text)}`);
  const load = (server: Server, paths: readonly string[], count = requests) =>
    measured(server, () => measureLoad({ port: server.port, connections, requests: count, paths, key }));

  say(
    `${companies.toLocaleString('en')} companies, ${connections} connections, ${requests.toLocaleString('en')} requests a round`,
  );
  await load(bare, entities);
  await load(mirror, entities);
  await load(mirror, searches([...rareWords, ...prefixes]));
  const rounds: Record<Measure, Cost>[] = [];
  for (let round = 0; round < values.rounds; round++) {
    rounds.push({
      bare: await load(bare, entities),
      mirror: await load(mirror, entities),
      rare: await load(mirror, searches(rareWords), requests / 4),
      prefix: await load(mirror, searches(prefixes), requests / 4),
    });
  }
  const of = (name: Measure) => rounds.map((round) => round[name]);
  for (const name of ['bare', 'mirror', 'rare', 'prefix'] as const) say(lineOf(name, of(name)));
  const ratio = median(rounds.map((round) => round.mirror.perSecond / round.bare.perSecond));
  const cpuRatio = median(rounds.map((round) => round.bare.cpuMicros / round.mirror.cpuMicros));
  verdict(
    `entity by id: ${ratio.toFixed(2)} of the bare route's throughput (${cpuRatio.toFixed(2)} by CPU time)`,
    ratio >= 0.7,
  );
  // Shows how much other work on the machine raises the p99. The p99 of the searches cannot be lower.
  const noise = median(rounds.map(({ bare }) => bare.p99Ms / bare.p50Ms));
  say(`the bare route's own p99 is ${noise.toFixed(1)} × its median`);
  for (const name of ['rare', 'prefix'] as const) {
    const times = median(rounds.map((round) => round[name].p99Ms / round.bare.p50Ms));
    verdict(
      `search by ${name === 'rare' ? 'a rare word' : 'a common prefix'}: p99 is ${times.toFixed(1)} × the bare median`,
      times < 10,
    );
  }
  await flatMemory(mirror, (count) =>
    load(mirror, [...entities, ...searches([...rareWords.slice(0, 50), ...prefixes.slice(0, 50)])], count),
  );
}

/** Checks that resident memory does not grow during the second half of the requests. */
async function flatMemory(mirror: Server, ask: (count: number) => Promise<unknown>): Promise<void> {
  const total = values.flat;
  const megabytes: number[] = [];
  for (let tenth = 0; tenth < 10; tenth++) {
    await ask(total / 10);
    megabytes.push(residentMegabytes(mirror.pid));
  }
  say(
    `memory over ${total.toLocaleString('en')} requests, MB: ${megabytes.map((size) => size.toFixed(0)).join(' ')}`,
  );
  const grown = Math.max(...megabytes.slice(5)) / Math.max(...megabytes.slice(0, 5));
  verdict(`memory: the second half is ${grown.toFixed(2)} × the first`, grown < 1.1);
}

type Measure = 'bare' | 'mirror' | 'rare' | 'prefix';

interface Server {
  readonly pid: number;
  readonly port: number;
}

function prepared(path: string): string {
  if (existsSync(path)) return path;
  say(`making a warehouse with ${companies.toLocaleString('en')} companies …`);
  fillWarehouse(`${path}.part`, companies, Date.now());
  renameSync(`${path}.part`, path);
  return path;
}

function configured(warehouse: string): string {
  const path = join(folder, 'registry-mirror.yaml');
  const configuration = {
    version: 1,
    source: { name: 'Benchmark', licence: 'CC0-1.0' },
    upstream: { base_url: 'http://127.0.0.1:9/api', api_key: 'none' },
    account: { tier: 'paid' },
    allowance: { unlimited: true },
    dialect: clientDialect(defaultProfile),
    warehouse,
    ledger: join(folder, 'ledger.db'),
  };
  writeFileSync(path, stringify(configuration));
  return path;
}

/** Creates a key with every kind of limit, each so high that no request reaches it. */
async function newKey(configPath: string): Promise<string> {
  const limits = ['--per-minute', '100000000', '--per-day', '1000000000', '--total', '1000000000'];
  const child = start([
    'src/cli/bin.js',
    'keys',
    'create',
    'bench',
    ...limits,
    '--json',
    '--config',
    configPath,
  ]);
  return JSON.parse(await firstLine(child)).data.key;
}

async function startBare(warehouse: string): Promise<Server> {
  const child = start(['test/bench/serve/bare.ts', warehouse]);
  return { pid: child.pid ?? 0, port: Number(new URL(await firstLine(child)).port) };
}

async function startMirror(configPath: string): Promise<Server> {
  const child = start(['src/cli/bin.js', 'serve', '--port', '0', '--json', '--config', configPath]);
  const { ok, data, error } = JSON.parse(await firstLine(child));
  if (!ok) throw new Error(`serve did not start: ${error.message}`);
  return { pid: child.pid ?? 0, port: Number(new URL(data.url).port) };
}

function start(args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  processes.push(child);
  return child;
}

async function firstLine(child: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of child.stdout ?? []) {
    text += chunk;
    if (text.includes('\n')) break;
  }
  if (text === '') throw new Error('the server did not start');
  return text.slice(0, text.indexOf('\n'));
}

/** Returns ids from the whole registry, words that few names contain, and prefixes that many names have. */
function asked(warehouse: string) {
  const db = new Sqlite(warehouse, { readonly: true });
  const step = Math.max(1, Math.floor(companies / 5_000));
  const rows = db.prepare('SELECT entity_id AS id, name FROM _company WHERE known_id % ? = 0').all(step) as {
    id: string;
    name: string;
  }[];
  const names = db.prepare('SELECT name FROM _company').pluck().iterate() as IterableIterator<string>;
  const counts = new Map<string, number>();
  for (const name of names)
    for (const word of new Set(wordsOf(withoutDiacritics(name))))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  db.close();
  const byCount = [...counts].sort((a, b) => b[1] - a[1]);
  const rareWords = byCount
    .filter(([, count]) => count <= 5)
    .slice(0, 500)
    .map(([word]) => word);
  const prefixes = [...new Set(byCount.slice(0, 300).map(([word]) => word.slice(0, 3)))].slice(0, 100);
  return { ids: rows.map(({ id }) => id), rareWords, prefixes };
}

interface Cost extends Measured {
  /**
   * The server's CPU time per request, in microseconds. Other work on the machine affects CPU time less than elapsed
   * time.
   */
  readonly cpuMicros: number;
}

async function measured(server: Server, run: () => Promise<Measured>): Promise<Cost> {
  const before = processorSeconds(server.pid);
  const result = await run();
  const others = Object.entries(result.statuses).filter(([status]) => status !== '200');
  if (others.length > 0) throw new Error(`unexpected answers: ${JSON.stringify(result.statuses)}`);
  return { ...result, cpuMicros: ((processorSeconds(server.pid) - before) * 1e6) / result.requests };
}

function processorSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function residentMegabytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) / 1024;
}

function lineOf(name: string, rounds: readonly Cost[]): string {
  const of = (pick: (cost: Cost) => number) => median(rounds.map(pick));
  const figures = [
    `${of(({ perSecond }) => perSecond)
      .toFixed(0)
      .padStart(6)} a second`,
    `p50 ${of(({ p50Ms }) => p50Ms).toFixed(3)} ms`,
    `p99 ${of(({ p99Ms }) => p99Ms).toFixed(3)} ms`,
    `${of(({ cpuMicros }) => cpuMicros).toFixed(0)} µs of CPU time`,
  ];
  return `${name.padEnd(7)} ${figures.join('  ')}`;
}

function verdict(text: string, holds: boolean): void {
  say(`${holds ? 'holds ' : 'FAILS '} ${text}`);
  if (!holds) process.exitCode = 1;
}
