// npm run trust moving -- [--histories 2000] [--seed 1]
// Mirrors registries that change between any two calls: companies are deleted, added or moved, and a page is empty.
// Afterwards two further runs must know every company that existed from the start to the end, with at most 1.3 times the
// calls that the same registry needs if it does not change.
import { argumentsOf } from '../../support/script.ts';
import { type History, runHistory } from './history.ts';

const values = argumentsOf({ histories: 2000, seed: 1 });
const first = values.seed;
const count = values.histories;
const bad: History[] = [];
let calls = 0;
let stillCalls = 0;
for (let seed = first; seed < first + count; seed++) {
  const history = runHistory(seed);
  calls += history.calls;
  stillCalls += history.stillCalls;
  if (history.missing.length + history.wronglyGone.length > 0) {
    bad.push(history);
    process.stderr.write(`${JSON.stringify(history)}\n`);
  }
}
const ratio = Math.round((1000 * calls) / stillCalls) / 1000;
process.stdout.write(
  `${JSON.stringify({ histories: count, violations: bad.length, calls, stillCalls, ratio })}\n`,
);
process.exitCode = bad.length === 0 && ratio <= 1.3 ? 0 : 1;
