// node test/run.ts GROUP NAME [ARGUMENTS]: runs a benchmark, a trust test or an acceptance test by its name. `npm run
// bench`, `npm run trust` and `npm run accept` without a name list the names in that group.
import { join } from 'node:path';

/** A script in this folder, with a line that describes it. */
type Script = readonly [path: string, description: string];

const GROUPS: Readonly<Record<string, Readonly<Record<string, Script>>>> = {
  bench: {
    ablation: ['bench/ablation.ts', 'searches needed without each part of the planner'],
    all: ['bench/suite.ts', 'all benchmarks in order; writes docs/benchmarks'],
    backfill: ['bench/backfill.ts', 'searches needed for lists of names and for prefixes'],
    choosing: ['bench/choosing.ts', 'time and memory for choosing a call in a large registry'],
    discovery: ['bench/discovery/table.ts', 'searches needed until 50%, 90% and 99% of a registry are known'],
    focus: ['bench/focus.ts', 'what a small total of calls brings: searches, records and names'],
    price: ['bench/estimate.ts', 'cost estimates by `plan`, compared with the actual calls'],
    probe: ['bench/probe.ts', 'what `probe` learns about simulated APIs, and in how many calls'],
    rate: ['bench/rate.ts', 'how much of the permitted rate is used in real time'],
    refresh: ['bench/refresh.ts', 'share of up-to-date records in a changing registry'],
    serve: ['bench/serve.ts', 'requests per second that `serve` handles, compared with a bare fastify route'],
    throughput: ['bench/throughput.ts', 'calls per second without limits, compared with got alone'],
    yields: ['bench/yields.ts', 'what searches were expected to find, compared with what they found'],
  },
  trust: {
    faults: ['trust/faults/faults.ts', 'random faulty responses from the upstream'],
    fuzz: ['trust/fuzz/fuzz.ts', 'random headers, JSON, responses, configurations and loads'],
    feed: ['trust/feed/feed.ts', 'consumers that follow the change feed through random histories'],
    kills: ['trust/kills/kills.ts', 'six commands that are killed between any two SQL statements'],
    moving: ['trust/moving/moving.ts', 'registries that change while their listings are read'],
    soak: ['trust/soak/soak.ts', "years of an account's use in seconds, in many time zones"],
  },
  accept: {
    install: ['acceptance/install.ts', 'the packed package, installed globally with three Node versions'],
    search: ['acceptance/search.ts', '`search` with misspelt names from the demo'],
    questions: ['acceptance/questions.ts', 'the documented questions in SQLite, Python and DuckDB'],
    'real-apis': ['acceptance/real_apis.ts', 'mirrors of stand-ins for public APIs, compared name by name'],
  },
};

const [group = '', name, ...args] = process.argv.slice(2);
const scripts = GROUPS[group];
const path = name === undefined ? undefined : scripts?.[name]?.[0];
if (scripts === undefined) fail(`Unknown group: ${group}. Groups: ${Object.keys(GROUPS).join(', ')}.\n`);
else if (name === undefined) process.stdout.write(list(scripts));
else if (path === undefined) fail(`Unknown name: ${name}.\n\n${list(scripts)}`);
else {
  const script = join(import.meta.dirname, path);
  process.argv = [process.execPath, script, ...args];
  await import(script);
}

function list(some: Readonly<Record<string, Script>>): string {
  const width = Math.max(...Object.keys(some).map(({ length }) => length));
  const lines = Object.entries(some).map(
    ([key, [, description]]) => `  ${key.padEnd(width)}  ${description}`,
  );
  return [`npm run ${group} NAME -- ARGUMENTS`, '', ...lines, ''].join('\n');
}

function fail(message: string): void {
  process.stderr.write(message);
  process.exitCode = 2;
}
