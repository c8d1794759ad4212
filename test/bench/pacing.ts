// npm run bench pacing [-- --quick --seeds 3]
// Simulates a contract year with a total number of calls. Compares the mean share of right records over the year if the
// total is spent at a price, as soon as records are due, or in equal shares per day.
import { argumentsOf } from '../support/script.ts';
import { simulateYear, type YearCase, type YearResult } from '../support/simulation/refresh/contract_year.ts';

const values = argumentsOf({ quick: false, seeds: 2, maxAge: 5 });
// The free tier's rate permits this many calls a day.
const CALLS_PER_DAY = 14_400;
const seeds = Array.from({ length: values.seeds }, (_, at) => at + 1);
const print = (line: string) => process.stdout.write(`${line}\n`);

print(
  '| companies | k | M | calls a company | paced | as due | equal shares | ratio to the better | calls left | last week, calls |',
);
print('|---|---|---|---|---|---|---|---|---|---|');
for (const companies of values.quick ? [2_000] : [2_000, 20_000, 100_000])
  for (const { shape, meanDays } of [
    { shape: 0.5, meanDays: 180 },
    { shape: 2, meanDays: 60 },
  ])
    for (const callsPerCompany of [0.5, 1, 2, 3, 5, 10]) {
      const one: YearCase = {
        ...{ companies, shape, meanDays, total: callsPerCompany * companies, growth: 0.05 },
        ...{ maxAgeDays: values.maxAge, callsPerDay: CALLS_PER_DAY },
      };
      const [paced, fast, equal] = (['paced', 'fast', 'equal'] as const).map((spending) =>
        meanOf(seeds.map((seed) => simulateYear(one, spending, seed))),
      ) as [YearResult, YearResult, YearResult];
      const ratio = paced.right / Math.max(fast.right, equal.right);
      const cells = [
        ...[companies.toLocaleString('en'), shape, meanDays, callsPerCompany],
        ...[paced, fast, equal].map(({ right }) => right.toFixed(3)),
        ...[ratio.toFixed(2), Math.round(one.total - paced.calls), Math.round(paced.lastWeek)],
      ];
      print(`| ${cells.join(' | ')} |`);
    }

function meanOf(results: readonly YearResult[]): YearResult {
  const mean = (of: (one: YearResult) => number) =>
    results.reduce((sum, one) => sum + of(one), 0) / results.length;
  return {
    right: mean(({ right }) => right),
    calls: mean(({ calls }) => calls),
    lastWeek: mean(({ lastWeek }) => lastWeek),
  };
}
