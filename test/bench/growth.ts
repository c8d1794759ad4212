// npm run bench growth [-- --sizes 10000,100000,1000000 --calls 4000 --rounds 3 --keep FOLDER]
// Measures the time per call, memory, start-up time and file size for registries of different sizes. Each warehouse
// lists all companies and has a tenth of the records.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { argumentsOf, say, scriptFolder } from '../support/script.ts';
import { judged, median, ratioOf } from './figures.ts';
import type { Batch, BatchOrder } from './growth/batch.ts';
import { DIALECT } from './growth/registry.ts';
import { fillWarehouse, resultOf, startPart } from './parts.ts';

const values = argumentsOf({
  sizes: [10000, 100000, 1000000],
  calls: 3000,
  rounds: 3,
  /** The folder with the warehouses, which are kept and reused. */
  keep: null,
});
const { sizes } = values;
const smallest = sizes[0] ?? 0;
const folder = scriptFolder(values.keep);
const batches = new Map<number, Batch[]>(sizes.map((size) => [size, []]));
say(
  `Growth: ${values.rounds} alternating batches of ${values.calls} calls of sync at each size, 16 connections`,
);
for (const size of sizes) await fillWarehouse(join(folder, `${size}.db`), size);
for (let round = 0; round < values.rounds; round++)
  for (const size of round % 2 === 0 ? sizes : sizes.toReversed())
    batches.get(size)?.push(await runBatch(size));
report();

/** Runs one batch of calls. Each batch fetches other records, because a fetched record is no longer due. */
async function runBatch(companies: number): Promise<Batch> {
  const upstream = startPart('growth/upstream.ts', String(companies));
  const [{ port }] = (await once(upstream, 'message')) as [{ port: number }];
  const config = join(folder, `${companies}.yaml`);
  writeFileSync(config, stringify(configuration(companies, port)));
  const order: BatchOrder = { config, calls: values.calls };
  try {
    return await resultOf<Batch>(startPart('growth/batch.ts', JSON.stringify(order)));
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

function report(): void {
  say('  companies   ms per call   CPU ms per call      peak memory   start-up      file');
  for (const size of sizes) {
    const of = (figure: (batch: Batch) => number) => median((batches.get(size) ?? []).map(figure));
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
  const of = (size: number, figure: (batch: Batch) => number) => (batches.get(size) ?? []).map(figure);
  for (const size of sizes.slice(1)) {
    const beside = (figure: (batch: Batch) => number) => ratioOf(of(size, figure), of(smallest, figure));
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
