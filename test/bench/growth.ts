// What grows with the registry: time per call, memory, start-up and the file, over warehouses in which everything is
// listed and a tenth of the records fetched:
// npm run bench:growth [-- --sizes 10000,100000,1000000 --calls 4000 --rounds 3 --keep FOLDER]
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import type { Filled } from './growth_fill.ts';
import { DIALECT } from './growth_registry.ts';
import type { Slice, SliceOrder } from './growth_slice.ts';
import { judged, median, ratioOf, say } from './throughput_figures.ts';

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10000,100000,1000000' },
    calls: { type: 'string', default: '3000' },
    rounds: { type: 'string', default: '3' },
    /** Warehouses stay here, and those that are here already are used. */
    keep: { type: 'string' },
  },
});
const sizes = values.sizes.split(',').map(Number);
const smallest = sizes[0] ?? 0;
const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'registry-mirror-growth-'));
mkdirSync(folder, { recursive: true });
const slices = new Map<number, Slice[]>(sizes.map((size) => [size, []]));
try {
  say(`Growth: ${values.rounds} slices of ${values.calls} calls of sync at each size, 16 at once, in turns`);
  for (const size of sizes) await fill(size);
  for (let round = 0; round < Number(values.rounds); round++)
    for (const size of round % 2 === 0 ? sizes : sizes.toReversed())
      slices.get(size)?.push(await slice(size));
  report();
} finally {
  if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
}

async function fill(companies: number): Promise<void> {
  const path = join(folder, `${companies}.db`);
  if (existsSync(path)) return say(`  ${companies} companies: filled before`);
  const startedMs = performance.now();
  const { listedBytes, fetchedBytes, records } = await told<Filled>(
    start('growth_fill.ts', path, String(companies)),
  );
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  const perListed = (listedBytes / companies).toFixed(0);
  const perRecord = ((fetchedBytes - listedBytes) / records).toFixed(0);
  say(
    `  ${companies} companies filled in ${seconds} s: ${perListed} bytes per listed company, ${perRecord} more per record`,
  );
}

/** Always another part of the same warehouse: what was fetched is not due again. */
async function slice(companies: number): Promise<Slice> {
  const upstream = start('growth_upstream.ts', String(companies));
  const [{ port }] = (await once(upstream, 'message')) as [{ port: number }];
  const config = join(folder, `${companies}.yaml`);
  writeFileSync(config, stringify(configuration(companies, port)));
  const order: SliceOrder = { config, calls: Number(values.calls) };
  try {
    return await told<Slice>(start('growth_slice.ts', JSON.stringify(order)));
  } finally {
    upstream.disconnect();
  }
}

function configuration(companies: number, port: number): object {
  return {
    version: 1,
    source: { name: 'Growth' },
    upstream: { base_url: `http://127.0.0.1:${port}/api`, api_key: 'k'.repeat(20), concurrency: 16 },
    account: { tier: 'paid' },
    allowance: { per_minute: 'unlimited', unlimited: true },
    dialect: DIALECT,
    warehouse: join(folder, `${companies}.db`),
    ledger: join(folder, 'ledger.db'),
  };
}

function start(script: string, ...args: string[]): ChildProcess {
  return fork(join(import.meta.dirname, script), args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
}

async function told<T>(child: ChildProcess): Promise<T> {
  const ended = once(child, 'exit');
  const first = await Promise.race([once(child, 'message'), ended.then(() => null)]);
  if (first === null) throw new Error('a part of the benchmark ended without a result');
  await ended;
  return first[0] as T;
}

function report(): void {
  say('  companies   ms per call   CPU ms per call   memory at most   start-up      file');
  for (const size of sizes) {
    const of = (figure: (slice: Slice) => number) => median((slices.get(size) ?? []).map(figure));
    const [ms, cpu, peak, startMs, bytes] = [
      of(({ msPerCall }) => msPerCall),
      of(({ cpuMsPerCall }) => cpuMsPerCall),
      of(({ peakMb }) => peakMb),
      of(({ startMs }) => startMs),
      of(({ fileBytes }) => fileBytes),
    ];
    say(
      `  ${String(size).padStart(9)} ${ms.toFixed(2).padStart(13)} ${cpu.toFixed(2).padStart(17)} ${`${peak.toFixed(0)} MB`.padStart(16)} ${`${startMs.toFixed(0)} ms`.padStart(10)} ${`${(bytes / 1e6).toFixed(0)} MB`.padStart(9)}`,
    );
  }
  const of = (size: number, figure: (slice: Slice) => number) => (slices.get(size) ?? []).map(figure);
  for (const size of sizes.slice(1)) {
    const beside = (figure: (slice: Slice) => number) => ratioOf(of(size, figure), of(smallest, figure));
    const sides = `${size} : ${smallest}`;
    say(
      judged(
        `time per call, ${sides}`,
        beside(({ msPerCall }) => msPerCall),
        { most: 1.5 },
      ),
    );
    say(
      judged(
        `CPU per call, ${sides}`,
        beside(({ cpuMsPerCall }) => cpuMsPerCall),
        { most: 1.5 },
      ),
    );
    say(
      judged(
        `memory, ${sides}`,
        beside(({ peakMb }) => peakMb),
        { most: 1.5 },
      ),
    );
  }
}
