import { rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { Command } from 'commander';
import { type Clock, systemClock } from '../clock.ts';
import { configFrom } from '../config/load_config.ts';
import { DAY_MS, HOUR_MS } from '../durations.ts';
import { openWorkspace, type Workspace } from '../operations/assemble.ts';
import { type BackfillReport, keepBackfill, runBackfill } from '../operations/backfill.ts';
import { ALL_KINDS, run } from '../operations/run.ts';
import { type RunReport, reportData } from '../operations/run_report.ts';
import { counted, duration } from '../report/figures.ts';
import { changingRegistry } from '../sandbox/changing_registry.ts';
import { type Sandbox, startSandbox } from '../sandbox/sandbox.ts';
import { makeFolder } from '../sqlite/database_file.ts';
import { interruptible, type SharedFlags } from './context.ts';
import { type Output, openOutput, standardStreams } from './output.ts';
import { showProgress } from './progress.ts';
import { describeReport, errorOf, exitCodeOf, yieldOfCalls } from './run_report.ts';

/** `demo`: mirrors the sample registry completely, from a sandbox on this machine. */
export function demoCommand(): Command {
  return new Command('demo')
    .description(
      'Starts a sandbox with the sample registry on loopback and mirrors it completely into data/demo.db, as if ' +
        'it were 40 days ago. Then the registry changes, a second run at the current time updates the mirror, and a ' +
        'backfill fetches the deleted companies again. The demo uses a paid account with a high rate and a daily ' +
        'allowance.',
    )
    .option('--json', 'print one JSON document, even on a terminal')
    .option('-v, --verbose', 'also print each call')
    .addHelpText('after', '\nExamples:\n  $ registry-mirror demo')
    .action((flags: SharedFlags) => demo(flags));
}

async function demo(flags: SharedFlags): Promise<void> {
  const output = openOutput(flags, standardStreams());
  const folder = resolve('data');
  const paths = { warehouse: join(folder, 'demo.db'), ledger: join(folder, 'demo-ledger.db') };
  makeFolder(folder);
  for (const path of Object.values(paths))
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });

  const clock = demoClock();
  const sandbox = await startSandbox({
    now: clock.now,
    accounts: [{ id: 'main', tier: 'paid', perMinute: PER_MINUTE, perDay: PER_DAY }],
  });
  try {
    await mirrorSandbox(sandbox, paths, clock, output);
  } finally {
    await sandbox.close();
  }
}

/** The demo's clock, which shows a time in the past until `toPresent` is called. */
interface DemoClock extends Clock {
  toPresent(): void;
}

function demoClock(): DemoClock {
  let shiftMs = DAYS_AGO * DAY_MS;
  return {
    ...systemClock,
    now: () => systemClock.now() - shiftMs,
    // Without a boot time, the ledger does not treat the step to the present as a clock error.
    boot: () => null,
    toPresent: () => {
      shiftMs = 0;
    },
  };
}

async function mirrorSandbox(
  sandbox: Sandbox,
  paths: { warehouse: string; ledger: string },
  clock: DemoClock,
  output: Output,
) {
  const config = configFrom({
    version: 1,
    source: { name: 'Sample registry', licence: 'CC0-1.0', attribution: 'Synthetic companies' },
    upstream: { base_url: sandbox.baseUrl, api_key: sandbox.keyOf('main'), concurrency: 16 },
    account: { tier: 'paid' },
    allowance: { per_minute: PER_MINUTE, per_day: PER_DAY, day_starts: '00:00 UTC' },
    dialect: sandbox.dialect,
    ...paths,
  });
  output.note(
    `The sandbox serves ${counted(sandbox.companies.count(), 'company', 'companies')} at ${sandbox.baseUrl}.`,
  );
  const workspace = openWorkspace(config, clock);
  const interruption = interruptible(() => output.note('Finishing the in-flight calls …'));
  const startedMs = systemClock.now();
  const mirror = () => {
    const state = workspace.ledger.state(clock.now());
    const yields = yieldOfCalls(state, config, Infinity);
    if (yields !== null) output.note(yields);
    return run(workspace, {
      command: 'demo',
      purpose: 'scheduled',
      kinds: ALL_KINDS,
      focus: 'coverage',
      maxCalls: Infinity,
      maxMinutes: Infinity,
      signal: interruption.signal,
      onProgress: showProgress(output, { startedMs: clock.now(), maxCalls: state.left, now: clock.now }),
    });
  };
  try {
    const first = await mirror();
    clock.toPresent();
    const registry = changingRegistry(sandbox.companies, { rates: CHANGES, seed: 7, shown: 1 });
    const changes = registry.advance(HOUR_MS, clock.now());
    output.note(`${DAYS_AGO} days later the registry has changed.`);
    const second = await mirror();
    const deleted = changes.filter(({ kind }) => kind === 'deleted').map(({ id }) => id);
    await refetch(workspace, deleted, interruption.signal);
    const elapsedMs = systemClock.now() - startedMs;
    printReports(first, second, output, relative(process.cwd(), paths.warehouse), elapsedMs);
  } finally {
    interruption.done();
    workspace.close();
  }
}

/** Fetches the records of these companies again, even though the stored records are still fresh. */
function refetch(workspace: Workspace, ids: readonly string[], signal: AbortSignal): Promise<BackfillReport> {
  const { backfill } = keepBackfill(workspace, {
    title: counted(ids.length, 'id'),
    items: ids.map((given) => ({ kind: 'entity', searchedBy: null, given })),
    identity: 'demo',
    withRecords: true,
    freshForMs: 0,
  });
  const { backfillId } = backfill;
  return runBackfill(workspace, { backfillId, maxCalls: Infinity, maxMinutes: Infinity, signal });
}

function printReports(
  first: RunReport,
  second: RunReport,
  output: Output,
  warehouse: string,
  elapsedMs: number,
): void {
  const failed = exitCodeOf(first, false) === 0 ? second : first;
  const exitCode = exitCodeOf(failed, false);
  const query = 'SELECT entity_id, name, state, fetched_at FROM entity_overview ORDER BY name LIMIT 5';
  const tryIt = `sqlite3 -box ${warehouse} "${query}"`;
  output.result({
    command: 'demo',
    error: errorOf(failed, exitCode),
    data: {
      ...reportData(first),
      refresh: reportData(second),
      elapsed_ms: Math.round(elapsedMs),
      warehouse,
      try: tryIt,
    },
    text: [
      describeReport(first, output),
      '',
      output.style('bold', `${DAYS_AGO} days later, after changes in the registry`),
      describeReport(second, output),
      `  time    ${duration(elapsedMs)}`,
      '',
      `The mirror is ${warehouse}. Query it with any SQLite tool:`,
      `  ${tryIt}`,
    ].join('\n'),
    attention: null,
  });
  process.exitCode = exitCode;
}

const PER_MINUTE = 60_000;
const PER_DAY = 20_000;
const DAYS_AGO = 40;
/** How the registry changes between the two runs. */
const CHANGES = { changed: 60, appearing: 12, deleted: 8 };
