import { argumentsOf, say } from '../support/script.ts';
import { type Case, type Simulated, simulate } from '../support/simulation/refresh/simulate.ts';

/**
 * Measures what share of the records is up to date while a registry changes continuously. Compares the planner, which
 * chooses between fetches and repeated listings, with two alternatives. One is round robin. The other is the best
 * schedule of fetches if all change rates are known.
 *
 *   node test/bench/refresh.ts [--quick] [--seeds 5] [--only TEXT]
 */
const values = argumentsOf({ quick: false, seeds: 5, only: '' });

const FULL_SIZE = 100_000;
const companies = values.quick ? 10_000 : FULL_SIZE;
const seeds = Array.from({ length: values.seeds }, (_, at) => at + 1);

const REGISTRIES = [
  { shape: 0.5, meanDays: 180, callsPerDay: 1000 },
  { shape: 2, meanDays: 180, callsPerDay: 1000 },
  { shape: 0.5, meanDays: 180, callsPerDay: 300 },
  { shape: 0.5, meanDays: 60, callsPerDay: 1000 },
];
const LISTINGS = [
  { title: 'no summaries', pageSize: null, shown: 0, target: 0.97 },
  { title: 'v 1, P 100', pageSize: 100, shown: 1, target: 1.15 },
  { title: 'v 1, P 20', pageSize: 20, shown: 1, target: 1.15 },
  { title: 'v 0.7, P 100', pageSize: 100, shown: 0.7, target: null },
  { title: 'v 0.4, P 100', pageSize: 100, shown: 0.4, target: 1.02 },
  { title: 'v 0, P 100', pageSize: 100, shown: 0, target: 0.95 },
];

say(
  `${companies.toLocaleString('en')} companies, ${seeds.length} seeds; B applies to ${FULL_SIZE.toLocaleString('en')} companies and is scaled to the number of companies\n`,
);
say(
  '| case | summaries | in turn | optimum | right | ratio (min to max) | target | listings | v learned | seconds |',
);
say('|---|---|---|---|---|---|---|---|---|---|');
for (const registry of REGISTRIES) {
  for (const { title, pageSize, shown, target } of LISTINGS) {
    const name = `k ${registry.shape}, M ${registry.meanDays}, B ${registry.callsPerDay}`;
    if (!`${name} ${title}`.includes(values.only)) continue;
    const callsPerDay = (registry.callsPerDay * companies) / FULL_SIZE;
    const one: Case = { ...registry, companies, pageSize, shown, callsPerDay };
    const startedMs = performance.now();
    const results = seeds.map((seed) => simulate(one, seed));
    const seconds = (performance.now() - startedMs) / 1000;
    say(rowOf(`${name} | ${title}`, results, target, seconds));
  }
}

function rowOf(name: string, results: readonly Simulated[], target: number | null, seconds: number): string {
  const mean = (of: (one: Simulated) => number) =>
    results.reduce((sum, one) => sum + of(one), 0) / results.length;
  const ratios = results.map(({ right, optimum }) => right / optimum);
  const ratio = mean(({ right, optimum }) => right / optimum);
  const spread = `${ratio.toFixed(3)} (${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)})`;
  const verdict = target === null ? '–' : `${target.toFixed(2)} ${ratio >= target ? 'met' : 'missed'}`;
  const figures = [
    mean((one) => one.roundRobin).toFixed(3),
    mean((one) => one.optimum).toFixed(3),
    mean((one) => one.right).toFixed(3),
    spread,
    verdict,
    `${(100 * mean((one) => one.listings)).toFixed(1)} %`,
    mean((one) => one.shown).toFixed(2),
    seconds.toFixed(0),
  ];
  return `| ${name} | ${figures.join(' | ')} |`;
}
