import { Command } from '@commander-js/extra-typings';
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
import { define, FINISHING, focusOption, maxCallsOption, maxMinutesOption } from './command.ts';
import { lines, type Output, type Result } from './output.ts';
import { planResult } from './plan.ts';
import { describeChanges } from './probe_check.ts';
import { showProgress } from './progress.ts';
import { attentionOf, describeReport, errorOf, exitCodeOf } from './run_report.ts';

/** `sync`: makes one run, which fetches everything that is due. */
export default () =>
  define(
    'config',
    new Command('sync')
      .description(
        'Sends the most valuable calls within the rate and the allowance, and loads the responses. The run ends ' +
          'when nothing is due, the quota is used up, or a limit is reached. The next run continues.',
      )
      .option('--dry-run', 'print the cost estimate, like `plan`, without sending calls')
      .option('--all', 'send every due call once, even if the total then ends before allowance.pace_until')
      .option('--strict', 'exit 75 if the quota is used up, and 1 if nothing could be loaded')
      .addOption(maxCallsOption())
      .addOption(maxMinutesOption())
      .addOption(focusOption())
      .addHelpText('after', EXAMPLES),
    async ({ config, output, untilInterrupted }, flags) => {
      requireDialect(config);
      if (flags.dryRun) return planResult(config, flags, output);
      using workspace = openWorkspace(config);
      return await syncOnce(workspace, flags, output, untilInterrupted(FINISHING));
    },
  );

const EXAMPLES = `
Examples:
  $ registry-mirror sync
  $ registry-mirror sync --dry-run
  $ registry-mirror sync --max-calls 20 --focus records
  17 * * * *  cd /srv/mirror && registry-mirror sync --quiet      (in a crontab; mails only problems)

Exit codes: 0 done, or paused because the quota is used up; 1 failed; 2 usage or configuration;
3 done, with responses in quarantine; 75 paused, under --strict; 130 interrupted.`;

interface SyncFlags {
  readonly maxCalls?: number | undefined;
  readonly maxMinutes?: number | undefined;
  readonly focus?: Focus | undefined;
  readonly all?: boolean | undefined;
  readonly strict?: boolean | undefined;
}

/** Runs once, and returns the report. */
export async function syncOnce(
  workspace: Workspace,
  { maxCalls = Infinity, maxMinutes = Infinity, focus, all, strict = false }: SyncFlags,
  output: Output,
  signal: AbortSignal,
): Promise<Result> {
  const { config, ledger, clock } = workspace;
  const { left } = ledger.state(clock.now());
  const report = await run(workspace, {
    command: 'sync',
    purpose: 'scheduled',
    kinds: ALL_KINDS,
    focus: focus ?? config.focus,
    isPaced: all !== true,
    maxCalls,
    maxMinutes,
    signal,
    onProgress: showProgress(output, clock, Math.min(left, maxCalls)),
  });
  const drifted = report.ending.ended === 'drift' ? proposeDialectChanges(workspace, config) : [];
  const warning = walWarning(walBytes(workspace.warehouse.db));
  const exitCode = exitCodeOf(report, strict);
  const changes = drifted.length === 0 ? null : describeChanges(drifted).join('\n');
  // With --quiet, a rejected key is reported only once a day, and a permanently exhausted quota only once.
  const isRepeated = isRepeatedRefusal(report, workspace) || isRepeatedExhaustion(report, workspace);
  const attention = lines(isRepeated ? null : attentionOf(report, exitCode), changes, warning);
  updateStoredEstimate(workspace, report);
  return {
    error: errorOf(report, exitCode),
    data: { ...reportData(report), ...(changes === null ? {} : { proposals: drifted }) },
    text: lines(describeReport(report, output), changes, warning),
    attention: attention === '' ? null : attention,
    exitCode,
  };
}

/** Proposes changes that make the dialect fit the last stored responses, without making a call. */
function proposeDialectChanges({ warehouse }: Workspace, config: Config): readonly DialectChange[] {
  return checkStored(requireDialect(config), latestAnswers(warehouse.db, LATEST_RESPONSES)).proposals;
}

const LATEST_RESPONSES = 50;

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
