import { Command } from 'commander';
import { type Config, requireDialect } from '../config/config.ts';
import { DAY_MS } from '../durations.ts';
import { openWorkspace, type Workspace } from '../operations/assemble.ts';
import { checkStored } from '../operations/dialect_check.ts';
import { updateStoredEstimate } from '../operations/estimate.ts';
import { ALL_KINDS, run } from '../operations/run.ts';
import { type RunReport, reportData } from '../operations/run_report.ts';
import type { Focus } from '../planner.ts';
import type { DialectChange } from '../probe/dialect_changes.ts';
import { latestAnswers } from '../warehouse/latest_answers.ts';
import { lastEndedAt, recentRuns } from '../warehouse/run.ts';
import { walBytes, walWarning } from '../warehouse/wal.ts';
import {
  interruptible,
  openContext,
  type SharedFlags,
  withSharedOptions,
  withSpendingOptions,
} from './context.ts';
import type { Output } from './output.ts';
import { printPlan } from './plan.ts';
import { describeChanges } from './probe_check.ts';
import { showProgress } from './progress.ts';
import { attentionOf, describeReport, errorOf, exitCodeOf, yieldOfCalls } from './run_report.ts';

interface SyncFlags extends SharedFlags {
  readonly maxCalls?: number;
  readonly maxMinutes?: number;
  readonly focus?: Focus;
  readonly all?: boolean;
  readonly strict?: boolean;
  readonly dryRun?: boolean;
}

/** `sync`: makes one run, which fetches everything that is due. */
export function syncCommand(): Command {
  const command = new Command('sync')
    .description(
      'Sends the most valuable calls within the rate and the allowance, and loads the responses. The run ends ' +
        'when nothing is due, the quota is used up, or a limit is reached. The next run continues.',
    )
    .option('--dry-run', 'print the cost estimate, like `plan`, without sending calls')
    .option('--all', 'send every due call once, even if the total then ends before allowance.pace_until')
    .option('--strict', 'exit 75 if the quota is used up, and 1 if nothing could be loaded')
    .addHelpText('after', EXAMPLES)
    .action((flags: SyncFlags) => sync(flags));
  return withSpendingOptions(withSharedOptions(command));
}

async function sync(flags: SyncFlags): Promise<void> {
  const { config, output } = await openContext(flags);
  requireDialect(config);
  if (flags.dryRun) return printPlan('sync', config, flags, output);
  const workspace = openWorkspace(config);
  const interruption = interruptible(() =>
    output.note('Finishing the in-flight calls (press Ctrl-C again to stop immediately) …'),
  );
  try {
    process.exitCode = await syncOnce(workspace, flags, output, interruption.signal);
  } finally {
    interruption.done();
    workspace.close();
  }
}

/** Runs once and prints the report. Returns the exit code. */
export async function syncOnce(
  workspace: Workspace,
  flags: SyncFlags,
  output: Output,
  signal: AbortSignal,
): Promise<number> {
  const { config, ledger, clock } = workspace;
  const startedMs = clock.now();
  const state = ledger.state(startedMs);
  const maxCalls = flags.maxCalls ?? Infinity;
  const yields = yieldOfCalls(state, config, maxCalls);
  if (yields !== null) output.note(yields);
  const report = await run(workspace, {
    command: 'sync',
    purpose: 'scheduled',
    kinds: ALL_KINDS,
    focus: flags.focus ?? config.focus,
    isPaced: flags.all !== true,
    maxCalls,
    maxMinutes: flags.maxMinutes ?? Infinity,
    signal,
    onProgress: showProgress(output, {
      startedMs,
      now: () => clock.now(),
      maxCalls: Math.min(state.left, maxCalls),
    }),
  });
  const drifted = report.ending.ended === 'drift' ? proposeDialectChanges(workspace, config) : [];
  const warning = walWarning(walBytes(workspace.warehouse.db));
  const exitCode = printReport(
    {
      report,
      drifted,
      warning,
      isRepeated: isRepeatedRefusal(report, workspace) || isRepeatedExhaustion(report, workspace),
    },
    flags,
    output,
  );
  updateStoredEstimate(workspace, report);
  return exitCode;
}

/** Proposes changes that make the dialect fit the last stored responses, without making a call. */
function proposeDialectChanges({ warehouse }: Workspace, config: Config): readonly DialectChange[] {
  return checkStored(requireDialect(config), latestAnswers(warehouse.db, LATEST_RESPONSES)).proposals;
}

const LATEST_RESPONSES = 50;

interface Facts {
  readonly report: RunReport;
  readonly drifted: readonly DialectChange[];
  readonly warning: string | null;
  /**
   * True if an earlier run already reported the same ending. With `--quiet`, a rejected key is reported only once a
   * day, and a permanently exhausted quota only once.
   */
  readonly isRepeated: boolean;
}

function printReport(
  { report, drifted, warning, isRepeated }: Facts,
  flags: SyncFlags,
  output: Output,
): number {
  const exitCode = exitCodeOf(report, flags.strict ?? false);
  const changes = drifted.length === 0 ? null : describeChanges(drifted).join('\n');
  output.result({
    command: 'sync',
    error: errorOf(report, exitCode),
    data: { ...reportData(report), ...(changes === null ? {} : { proposals: drifted }) },
    text: lines(describeReport(report, output), changes, warning) ?? '',
    attention: lines(isRepeated ? null : attentionOf(report, exitCode), changes, warning),
  });
  return exitCode;
}

function lines(...texts: readonly (string | null)[]): string | null {
  const present = texts.filter((text) => text !== null);
  return present.length === 0 ? null : present.join('\n');
}

const EXAMPLES = `
Examples:
  $ registry-mirror sync
  $ registry-mirror sync --dry-run
  $ registry-mirror sync --max-calls 20 --focus records
  17 * * * *  cd /srv/mirror && registry-mirror sync --quiet      (in a crontab; mails only problems)

Exit codes: 0 done, or paused because the quota is used up; 1 failed; 2 usage or configuration;
3 done, with responses in quarantine; 75 paused, under --strict; 130 interrupted.`;

/**
 * Returns whether an earlier run on the same day already reported that the key was rejected. Days are periods of 24
 * hours, counted from the rejection. Cron may start a run every hour, and one mail a day is enough.
 */
export function isRepeatedRefusal(
  { ending, runId }: RunReport,
  { ledger, warehouse, clock }: Workspace,
): boolean {
  if (ending.ended !== 'unauthorised' || runId === null) return false;
  const nowMs = clock.now();
  const refused = ledger.state(nowMs).refusedKey;
  const reportedAt = lastEndedAt(warehouse.db, 'unauthorised', runId);
  if (refused === null || reportedAt === null) return false;
  const dayOf = (epochMs: number) => Math.floor((epochMs - refused.sinceMs + EARLY_MS) / DAY_MS);
  return dayOf(Date.parse(reportedAt)) === dayOf(nowMs);
}

/** Returns whether an earlier run already reported that the account can never make another call. */
function isRepeatedExhaustion({ ending, totals }: RunReport, { warehouse }: Workspace): boolean {
  if (ending.ended !== 'allowance' || ending.resumesAtMs !== null || totals.calls > 0) return false;
  const [, before] = recentRuns(warehouse.db, 2);
  return before?.ended === 'allowance';
}

// Tomorrow's run may fail a few minutes earlier than today's, but must still count as the next day.
const EARLY_MS = 600_000;
