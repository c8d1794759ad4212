// npm run mutate ROOM [-- --share 0.1 --seed 1]
// Makes small changes (mutants) to the code of one room (a folder or file of `src`) and runs that room's tests against
// each mutant. Prints the mutants that no test notices, and the score, which is the share of noticed mutants.
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { parse } from 'yaml';

/** A room's tests in other folders than the one with the room's name. */
const FURTHER_TESTS: Readonly<Record<string, readonly string[]>> = {
  'plan/refresh': ['test/plan/sync_planner.test.ts'],
  report: ['test/page/history.test.ts'],
};

/** These tests start processes or run whole simulations, so they would take minutes per mutant. */
const SLOW_TESTS = [
  'test/allowance/clock_steps.test.ts',
  'test/allowance/processes.test.ts',
  'test/fetch/half_open.test.ts',
  'test/plan/discovery/character_inventories.test.ts',
  'test/plan/discovery/concurrent_calls.test.ts',
  'test/plan/discovery/daily_runs.test.ts',
  'test/plan/discovery/empty_query.test.ts',
  'test/plan/discovery/ignored_diacritics.test.ts',
  'test/plan/discovery/inferred_rule.test.ts',
  'test/plan/discovery/query_forms.test.ts',
  'test/plan/discovery/unreachable_companies.test.ts',
  'test/plan/discovery/untried_characters.test.ts',
  'test/plan/discovery/warehouse_index.test.ts',
  'test/plan/refresh/simulated_refresh.test.ts',
];

/**
 * A mutant that behaves like the original code: its file, first line and replacement, and the reason why it is
 * equivalent.
 */
interface Equivalent {
  readonly file: string;
  readonly line: string;
  readonly mutant: string;
  readonly why: string;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { share: { type: 'string', default: '1' }, seed: { type: 'string', default: '1' } },
});
const room = positionals[0] ?? '';
const sources = globSync([`src/${room}/**/*.ts`, `src/${room}.ts`]).sort();
if (room === '' || sources.length === 0)
  throw new Error(`no such room: src/${room}. Name a folder or file in src.`);

// The processes that run the tests inherit these environment variables.
process.env.MUTATE_TESTS = JSON.stringify(testsOf(room));
const results = await new Stryker({
  mutate: values.share === '1' ? sources : sources.flatMap(sampledLines),
  testRunner: 'vitest',
  vitest: { configFile: 'test/mutate/vitest.config.ts', related: false },
  coverageAnalysis: 'perTest',
  // On a busy machine, a slow test must not be mistaken for an endless loop.
  timeoutMS: 20_000,
  // Strings are not emptied, because message tests compare text and an empty string is an unlikely mistake.
  mutator: { plugins: null, excludedMutations: ['StringLiteral'] },
  concurrency: 2,
  // A report on a sample would include the results of earlier samples.
  incremental: values.share === '1',
  incrementalFile: `.mutate/${room.replaceAll('/', '-')}.json`,
  tempDirName: '.mutate/sandbox',
  ignorePatterns: ['docs'],
  reporters: ['progress-append-only'],
  tsconfigFile: 'none',
}).runMutationTest();
report(results);

function testsOf(name: string): string[] {
  const own = globSync([`test/${name}/**/*.test.ts`, `test/${name}.test.ts`]);
  return [...own, ...(FURTHER_TESTS[name] ?? [])].filter((path) => !SLOW_TESTS.includes(path)).sort();
}

/**
 * Returns ranges that cover about the requested share of lines. The ranges depend only on the seed and on each line's
 * content.
 */
function sampledLines(path: string): string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line, at) => (isSampled(`${path} ${line}`) ? [`${path}:${at + 1}-${at + 1}`] : []));
}

function isSampled(key: string): boolean {
  const hash = createHash('sha256').update(`${values.seed} ${key}`).digest();
  return hash.readUInt32BE(0) / 2 ** 32 < Number(values.share);
}

function report(mutants: Awaited<ReturnType<Stryker['runMutationTest']>>): void {
  const equivalents: Equivalent[] = parse(readFileSync('test/mutate/equivalents.yaml', 'utf8')) ?? [];
  const counts = { noticed: 0, unnoticed: 0, equivalent: 0 };
  for (const { status, fileName, location, replacement = '' } of mutants) {
    if (status === 'Killed' || status === 'Timeout') counts.noticed++;
    if (status !== 'Survived' && status !== 'NoCoverage') continue;
    const line = readFileSync(fileName, 'utf8').split('\n')[location.start.line - 1]?.trim() ?? '';
    const isEquivalent = equivalents.some(
      (known) => fileName.endsWith(known.file) && known.line === line && known.mutant === replacement,
    );
    counts[isEquivalent ? 'equivalent' : 'unnoticed']++;
    if (!isEquivalent)
      process.stdout.write(`${status} ${fileName}:${location.start.line}\n  ${line}\n  ${replacement}\n`);
  }
  const all = counts.noticed + counts.unnoticed;
  const score = ((100 * counts.noticed) / all).toFixed(1);
  process.stdout.write(
    `${room}: ${score} % (${counts.noticed} of ${all} mutants noticed, ${counts.equivalent} equivalent)\n`,
  );
}
