import type { Database } from 'better-sqlite3';
import { Command, InvalidArgumentError } from 'commander';
import { factSettings } from '../../jobs/schedules.ts';
import type { WorkerStatus } from '../../jobs/worker_status.ts';
import { systemClock } from '../clock.ts';
import type { Config } from '../config/config.ts';
import { UsageError } from '../errors.ts';
import { withFacts } from '../operations/read_facts.ts';
import { printable } from '../printable.ts';
import { isListening } from '../redis/address.ts';
import { readLock, readTrends } from '../report/facts.ts';
import { localTime } from '../report/figures.ts';
import type { Health } from '../report/health.ts';
import { recentRuns } from '../warehouse/run.ts';
import { runCalls } from '../warehouse/run_calls.ts';
import { openWarehouse } from '../warehouse/warehouse.ts';
import { interruptible, openContext, type SharedFlags, wholeNumber, withSharedOptions } from './context.ts';
import { type Output, standardStreams } from './output.ts';
import { describeRun, runData } from './status/run_text.ts';
import { type StatusReading, statusData, statusText } from './status/status_text.ts';

interface StatusFlags extends SharedFlags {
  readonly runs: number;
  readonly run?: number;
  readonly watch?: true | number;
}

/** `status`: shows the mirror's contents, the remaining quota, open work and the last runs. */
export function statusCommand(): Command {
  const command = new Command('status')
    .option('--runs <n>', 'show the last n runs', wholeNumber, 5)
    .option('--run <n>', 'show run n in full: how it ended, calls by outcome, and failed calls', wholeNumber)
    .option('--watch [seconds]', 'refresh every n seconds (default: 2) until Ctrl-C', seconds)
    .addHelpText('after', EXAMPLES)
    .action((flags: StatusFlags) => status(flags));
  return withSharedOptions(command);
}

async function status(flags: StatusFlags): Promise<void> {
  const { config, output } = await openContext(flags);
  if (flags.run !== undefined) return showRun(config, output, flags.run);
  if (flags.watch === undefined) return await show(config, output, flags);
  const everyMs = 1000 * (flags.watch === true ? 2 : flags.watch);
  const interruption = interruptible(() => {});
  try {
    while (!interruption.signal.aborted) {
      const { stdout } = standardStreams();
      if (output.mode === 'text' && stdout.isTTY) stdout.write(CLEAR);
      await show(config, output, flags);
      await systemClock.sleep(everyMs, interruption.signal);
    }
  } finally {
    interruption.done();
  }
}

function showRun(config: Config, output: Output, runId: number): void {
  const nowMs = systemClock.now();
  const { db, close } = openWarehouse({ path: config.warehouse, readonly: true, nowMs });
  try {
    const runs = runCalls(db);
    const run = runs.find(runId);
    if (run === null)
      throw new UsageError(`the warehouse has no run ${runId}`, {
        hint: 'List the latest runs: registry-mirror status --runs 20',
      });
    const [latest] = recentRuns(db, 1);
    const details = {
      run,
      isRunning: readLock(db, nowMs).isHeld && latest?.runId === runId,
      counts: runs.counts(run),
      failedCalls: runs.list(run, { most: MAX_FAILED_CALLS, onlyFailed: true }),
    };
    const text = describeRun(details, output);
    output.result({ command: 'status', data: runData(details), text, attention: null });
  } finally {
    close();
  }
}

const MAX_FAILED_CALLS = 20;

async function show(config: Config, output: Output, { runs: most }: StatusFlags): Promise<void> {
  const nowMs = systemClock.now();
  await withFacts(
    config,
    { nowMs, settings: factSettings(config), formatTime: localTime },
    async (facts, db) => {
      const reading: StatusReading = {
        ...facts,
        trends: db === null ? null : readTrends(db, nowMs),
        worker: db === null ? null : await readWorker(config, db),
        runs: db === null ? [] : recentRuns(db, most),
        firstCommand: config.dialect === undefined ? 'probe' : 'sync',
      };
      const text = output.mode === 'text' ? statusText(reading, output) : '';
      output.result({
        command: 'status',
        data: statusData(reading),
        text,
        attention: attentionOf(facts.health),
      });
    },
  );
}

function attentionOf({ problems }: Health): string | null {
  return problems.length === 0
    ? null
    : problems.map(({ cause, remedy }) => `${printable(cause)} ${remedy}`).join('\n');
}

async function readWorker(config: Config, db: Database): Promise<WorkerStatus | null> {
  // Check for a listening Redis before loading the worker's libraries. Those libraries triple the start time, and most
  // users run no worker.
  if (!(await isListening(config.worker.redis_url))) return null;
  const { readWorkerStatus } = await import('../../jobs/worker_status.ts');
  return await readWorkerStatus(config, db);
}

// Moves the cursor to the upper left corner and clears the screen below it.
const CLEAR = '\x1b[H\x1b[J';

function seconds(text: string): number {
  const value = Number(text);
  if (!(value >= 0.5)) throw new InvalidArgumentError('It must be at least 0.5 seconds.');
  return value;
}

const EXAMPLES = `
Examples:
  $ registry-mirror status
  $ registry-mirror status --watch
  $ registry-mirror status --runs 50                          the history of runs
  $ registry-mirror status --run 12                           run 12 in full
  $ registry-mirror status --json | jq .data.coverage`;
