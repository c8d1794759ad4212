// npm run trust fuzz -- [--runs 100000] [--seed 1]
// Tests random headers, JSON documents, responses in 400 dialects, configurations and loads, generated from a seed. A
// failure prints its seed, its path and the smallest input that causes it.
import { argumentsOf } from '../../support/script.ts';
import { TARGETS } from './fuzzing.ts';

const values = argumentsOf({ runs: 100_000, seed: 1 });
const weights = TARGETS.reduce((sum, { weight }) => sum + weight, 0);
let failures = 0;
let tried = 0;
for (const { name, weight, check } of TARGETS) {
  const runs = Math.ceil((values.runs * weight) / weights);
  const startedMs = performance.now();
  const found = check({ seed: values.seed, runs });
  const seconds = Number(((performance.now() - startedMs) / 1000).toFixed(1));
  tried += runs;
  failures += found === null ? 0 : 1;
  process.stdout.write(`${JSON.stringify({ name, runs, seconds, found })}\n`);
}
process.stdout.write(`${JSON.stringify({ tried, failures })}\n`);
process.exitCode = failures === 0 ? 0 : 1;
