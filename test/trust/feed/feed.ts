// npm run trust feed -- [--histories 10000] [--seed 1]
// Simulates random histories: records, searches, deletions, returns, new columns, forget, reprocess with other mappings.
// Consumers follow the change feed in pages of random sizes. In the end each must have the tables of a full export.
import { parseArgs } from 'node:util';
import { liveHistory } from './history.ts';

const { values } = parseArgs({
  options: { histories: { type: 'string', default: '10000' }, seed: { type: 'string', default: '1' } },
});
const first = Number(values.seed);
const counts = new Map<string, number>();
const broken: string[] = [];
for (let seed = first; seed < first + Number(values.histories); seed++) {
  try {
    for (const [step, count] of await liveHistory(seed)) counts.set(step, (counts.get(step) ?? 0) + count);
  } catch (error) {
    broken.push(error instanceof Error ? error.message : String(error));
    process.stderr.write(`${broken.at(-1)}\n`);
  }
}
process.stdout.write(
  `${JSON.stringify({ histories: Number(values.histories), steps: Object.fromEntries(counts), broken: broken.length })}\n`,
);
process.exitCode = broken.length === 0 ? 0 : 1;
