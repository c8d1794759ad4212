import { Command, InvalidArgumentError } from '@commander-js/extra-typings';
import type { WorkerStatus } from '../../jobs/queue_control.ts';
import type { Config } from '../config/config.ts';
import { hasFailed, runEnding } from '../ending.ts';
import { UsageError } from '../errors.ts';
import { printable } from '../printable.ts';
import { isListening } from '../redis/address.ts';
import { type RunDetails, readRun, readTrends, withFacts } from '../report/facts.ts';
import { count, duration, localTime } from '../report/figures.ts';
import type { ScheduleFacts } from '../report/schedules.ts';
import { listCallsOfRun, type RunCall } from '../warehouse/call_counts.ts';
import { recentRuns } from '../warehouse/run.ts';
import { openWarehouse } from '../warehouse/warehouse.ts';
import { type Basics, define, wholeNumber } from './command.ts';
import { lines, type Output, type Result, snakeKeys, standardStreams } from './output.ts';
import { type StatusReading, statusData, statusText } from './status/status_text.ts';
import { labelled, tableText } from './text_layout.ts';

/** `status`: shows the mirror's contents, the remaining quota, open work and the last runs. */
export default () =>
  define(
    'config',
    new Command('status')
      .option('--runs <n>', 'show the last n runs', wholeNumber, 5)
      .option(
        '--run <n>',
        'show run n in full: how it ended, calls by outcome, and failed calls',
        wholeNumber,
      )
      .option('--watch [seconds]', 'refresh every n seconds (default: 2) until Ctrl-C', seconds)
      .addHelpText('after', EXAMPLES),
    (opened, { run, runs, watch }) => {
      const { config, output, clock } = opened;
      if (run !== undefined) return runResult(config, output, run, clock.now());
      const read = () => statusResult(config, output, runs, clock.now());
      return watch === undefined ? read() : refresh(opened, watch === true ? 2 : Number(watch), read);
    },
  );

const EXAMPLES = `
Examples:
  $ registry-mirror status
  $ registry-mirror status --watch
  $ registry-mirror status --runs 50                          the history of runs
  $ registry-mirror status --run 12                           run 12 in full
  $ registry-mirror status --json | jq .data.coverage`;

/** Prints the status every few seconds until Ctrl-C. */
async function refresh(
  { output, clock, print, untilInterrupted }: Basics,
  everySeconds: number,
  read: () => Promise<Result>,
): Promise<void> {
  const signal = untilInterrupted();
  const { stdout } = standardStreams();
  while (!signal.aborted) {
    if (output.mode === 'text' && stdout.isTTY) stdout.write(CLEAR);
    print(await read());
    await clock.sleep(everySeconds * 1000, signal);
  }
}

function runResult(config: Config, output: Output, runId: number, nowMs: number): Result {
  using warehouse = openWarehouse({ path: config.warehouse, readonly: true, nowMs });
  const { db } = warehouse;
  const details = readRun(db, runId, nowMs);
  if (details === null)
    throw new UsageError(`the warehouse has no run ${runId}`, {
      hint: 'List the latest runs: registry-mirror status --runs 20',
    });
  const failedCalls = listCallsOfRun(db, details.run, { most: MAX_FAILED_CALLS, onlyFailed: true });
  const shown = { ...details, failedCalls };
  return { data: runData(shown), text: describeRun(shown, output) };
}

const MAX_FAILED_CALLS = 20;

function statusResult(config: Config, output: Output, most: number, nowMs: number): Promise<Result> {
  const sources = { nowMs, formatTime: localTime };
  return withFacts(config, sources, async (facts, db) => {
    const reading: StatusReading = {
      ...facts,
      trends: db === null ? null : readTrends(db, nowMs),
      worker: facts.mirror === null ? null : await readWorker(config, facts.mirror.schedules),
      runs: db === null ? [] : recentRuns(db, most),
      firstCommand: config.dialect === undefined ? 'probe' : 'sync',
      missingKey: config.upstream.api_key?.problem?.message ?? null,
    };
    const problems = facts.health.problems.map(({ cause, remedy }) => `${printable(cause)} ${remedy}`);
    return {
      data: statusData(reading),
      text: output.mode === 'text' ? statusText(reading, output) : '',
      attention: problems.length === 0 ? null : lines(...problems),
    };
  });
}

async function readWorker(config: Config, schedules: readonly ScheduleFacts[]): Promise<WorkerStatus | null> {
  // Check for a listening Redis before loading the worker's libraries. Those libraries triple the start time, and most
  // users run no worker.
  if (!(await isListening(config.worker.redis_url))) return null;
  const { readWorkerStatus } = await import('../../jobs/queue_control.ts');
  return await readWorkerStatus(config, schedules);
}

// Moves the cursor to the upper left corner and clears the screen below it.
const CLEAR = '\x1b[H\x1b[J';

function seconds(text: string): number {
  const value = Number(text);
  if (!(value >= 0.5)) throw new InvalidArgumentError('It must be at least 0.5 seconds.');
  return value;
}

/** One run, as `status --run` shows it. */
interface ShownRun extends RunDetails {
  /** The last calls without a result, most recent first. */
  readonly failedCalls: readonly RunCall[];
}

function describeRun({ run, isRunning, counts, failedCalls }: ShownRun, output: Output): string {
  const ending = printable(runEnding(run, isRunning));
  const took =
    run.endedAt === null ? '' : `, after ${duration(Date.parse(run.endedAt) - Date.parse(run.startedAt))}`;
  const head = [
    output.style('bold', `Run ${run.runId}: ${run.command}`),
    labelled('started', localTime(run.startedAt)),
    labelled('ended', `${hasFailed(run) ? output.style('red', ending) : ending}${took}`),
    labelled(
      'results',
      `${count(run.new)} new, ${count(run.changed)} changed, ${count(run.gone)} gone, ${count(run.quarantined)} in quarantine`,
    ),
  ];
  const calls = tableText(
    output,
    [
      { header: 'calls', align: 'right', cell: ({ calls: sent }) => count(sent) },
      { header: 'kind', cell: ({ kind }) => kind },
      { header: 'outcome', cell: ({ outcome }) => outcome },
    ],
    counts,
  );
  const failures = tableText(
    output,
    [
      { header: 'sent', cell: ({ sentAt }) => localTime(sentAt) },
      { header: 'call', shrinks: true, least: 12, cell: ({ kind, target }) => `${kind} ${target}` },
      { header: 'outcome', cell: ({ outcome }) => outcome },
      { header: 'HTTP', align: 'right', optional: true, cell: ({ status }) => String(status ?? '–') },
      { header: 'note', shrinks: true, least: 16, cell: ({ note }) => note ?? '' },
    ],
    failedCalls,
  );
  return [head.join('\n'), calls, failures].filter((part) => part !== null).join('\n\n');
}

function runData({ run, counts, failedCalls }: ShownRun) {
  return { ...(snakeKeys(run) as object), calls_by_outcome: counts, failed_calls: snakeKeys(failedCalls) };
}
