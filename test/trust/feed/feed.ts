// npm run trust feed -- [--histories 10000] [--seed 1] [--workers 2]
// Simulates random histories with records, searches, deletions, returns, new columns, `forget`, and `reprocess` with
// other mappings. Consumers follow the change feed in pages of random sizes. In the end, each consumer must have the
// same tables as a full export.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { argumentsOf } from '../../support/script.ts';
import type { Simulated } from './worker.ts';

const values = argumentsOf({ histories: 10_000, seed: 1, workers: 2 });
const first = values.seed;
const step = values.workers;
const end = first + values.histories;
const counts = new Map<string, number>();
let histories = 0;
let broken = 0;

await Promise.all(
  Array.from({ length: step }, async (_, at) => {
    const worker = new Worker(new URL('worker.ts', import.meta.url), {
      workerData: { first: first + at, end, step },
    });
    worker.on('message', add);
    await once(worker, 'exit');
  }),
);
process.stdout.write(`${JSON.stringify({ histories, steps: Object.fromEntries(counts), broken })}\n`);
process.exitCode = broken === 0 && histories === end - first ? 0 : 1;

function add({ steps, error }: Simulated): void {
  histories += 1;
  for (const [name, count] of steps) counts.set(name, (counts.get(name) ?? 0) + count);
  if (error !== null) {
    broken += 1;
    process.stderr.write(`${error}\n`);
  }
  if (histories % 500 === 0) process.stderr.write(`${histories} histories, ${broken} broken\n`);
}
