// npm run accept rate [-- --data FILE] [--rates 60:24,10:9] [--connections 1,4,16] [--responses 50,2000]
//   [--rules "name prefix,word prefix,identifier prefix"] [--parallel 36] [--json] [--quick]
//
// Runs `sync` in real time at a limited rate. With several connections, it must find as many companies as with one. It
// must fetch no record while a search is expected to find companies. It must never exceed the rate. `--rates` lists
// pairs of calls per minute and calls per run. `--rates 60:90` fills whole minutes. `--quick` makes two short runs.
// `--data` reads the companies from a CSV file. Without it, they are generated.
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { failedChecks } from './rate_checks.ts';
import { runTrial, type TrialResult } from './rate_trial.ts';
import { companiesFrom, RULES, type Rule, startRegistry, type Trial } from './rate_upstream.ts';

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    rates: { type: 'string' },
    connections: { type: 'string' },
    responses: { type: 'string' },
    rules: { type: 'string' },
    parallel: { type: 'string', default: '36' },
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
  },
});
// Each start takes half a second of CPU time, so simultaneous starts would delay each other's first calls.
const START_EVERY_MS = 600;
const startedMs = performance.now();
const lag = monitorEventLoopDelay({ resolution: 10 });
const trials = trialsOf(values.quick ? QUICK() : FULL());
const companies = await companiesFrom(values.data);
const registries = new Map<Rule, Sandbox>();
for (const rule of new Set(trials.map((trial) => trial.rule)))
  registries.set(rule, await startRegistry(companies, rule, trials));
const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-rate-'));
lag.enable();
try {
  const results = await runAll();
  const failures = failedChecks(results);
  const figures = {
    companies: companies.length,
    runs: results.length,
    seconds: Math.round((performance.now() - startedMs) / 1000),
    // A busy machine delays arrivals. If the delay exceeds 500 ms, the figures are unreliable.
    upstream_lag_p99_ms: Math.round(lag.percentile(99) / 1e6),
    load_average: Number(loadavg()[0]?.toFixed(1)),
  };
  process.stdout.write(
    values.json
      ? `${JSON.stringify({ ok: failures.length === 0, ...figures, failures, results }, null, 2)}\n`
      : `${table(results)}\n${JSON.stringify(figures)}\n${verdict(failures)}\n`,
  );
  process.exitCode = failures.length === 0 ? 0 : 1;
} finally {
  for (const sandbox of registries.values()) await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
}

function FULL() {
  return {
    rates: '60:24,10:9',
    connections: '1,4,16',
    responses: '50,2000',
    rules: Object.keys(RULES).join(),
  };
}

function QUICK() {
  return { rates: '60:8', connections: '1,4', responses: '50', rules: 'word prefix' };
}

/** Sorts the runs by length, longest first. */
function trialsOf(defaults: ReturnType<typeof FULL>): Trial[] {
  const listOf = (name: keyof typeof defaults) => (values[name] ?? defaults[name]).split(',');
  const rules = listOf('rules').map((rule) => {
    if (rule in RULES) return rule as Rule;
    throw new Error(`Unknown rule "${rule}" in --rules. Rules: ${Object.keys(RULES).join(', ')}.`);
  });
  const all = listOf('rates').flatMap((rate) => {
    const [perMinute = 0, maxCalls = 0] = rate.split(':').map(Number);
    return listOf('responses').flatMap((response) =>
      listOf('connections').flatMap((connections) =>
        rules.map((rule) => ({
          ...{ rule, perMinute, maxCalls },
          ...{ connections: Number(connections), responseMs: Number(response) },
        })),
      ),
    );
  });
  return all.toSorted((a, b) => leastMs(b) - leastMs(a));
}

function leastMs({ perMinute, maxCalls, connections, responseMs }: Trial): number {
  return maxCalls * Math.max(61_000 / perMinute, responseMs / connections);
}

async function runAll(): Promise<TrialResult[]> {
  const waiting = [...trials];
  const results: TrialResult[] = [];
  const work = async (_: unknown, nth: number) => {
    await sleep(nth * START_EVERY_MS);
    for (let trial = waiting.shift(); trial !== undefined; trial = waiting.shift())
      results.push(await runTrial(trial, registries.get(trial.rule) as Sandbox, folder));
  };
  await Promise.all(Array.from({ length: Math.min(Number(values.parallel), trials.length) }, work));
  return results.toSorted((a, b) => placeOf(a) - placeOf(b));
}

function placeOf({ trial: { rule, perMinute, responseMs, connections } }: TrialResult): number {
  return (
    Object.keys(RULES).indexOf(rule) * 1e12 - perMinute * 1e9 + responseMs * 1e4 + Math.min(connections, 9999)
  );
}

function table(results: readonly TrialResult[]): string {
  const head = ['rule', 'a minute', 'conn.', 'resp. ms', 'stats', 'search', 'entity', 'listed', 'fetched'];
  const more = ['peak 60 s', 'over', 'too soon', 'early', 'in search', 'promised'];
  const rows = results.map(({ trial, calls, ...result }) => [
    ...[trial.rule, trial.perMinute, trial.connections, trial.responseMs],
    ...[calls.stats, calls.search, calls.entity, result.listed, result.fetched],
    ...[result.peakMinute, result.overAllowance, result.tooSoon],
    ...[result.earlyRecords, result.duringSearch, Math.round(result.bestSearch)],
  ]);
  return [
    ...[[...head, ...more], ...rows].map((cells) =>
      cells.map((cell, at) => (at === 0 ? String(cell).padEnd(18) : String(cell).padStart(10))).join(''),
    ),
    'early: record calls sent while a search was expected to find companies; in search: those with a search in flight;',
    'promised: the highest expected yield of such a search; over: calls that exceeded the allowance or were rejected',
  ].join('\n');
}

function verdict(failures: readonly string[]): string {
  if (failures.length === 0) return 'All checks passed.';
  return [`${failures.length} checks failed:`, ...failures.map((failure) => `  ${failure}`)].join('\n');
}
