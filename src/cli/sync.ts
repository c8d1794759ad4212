import { Command } from '@commander-js/extra-typings';
import { type Config, requireDialect } from '../config/config.ts';
import { openWorkspace, type Workspace } from '../operations/assemble.ts';
import { checkStored } from '../operations/dialect_check.ts';
import { updateStoredEstimate } from '../operations/estimate.ts';
import { type RunReport, reportData, runEngine } from '../operations/run.ts';
import type { Focus } from '../planner.ts';
import type { DialectChange } from '../probe/dialect_changes.ts';
import { latestAnswers } from '../warehouse/answered_calls.ts';
import { recentRuns } from '../warehouse/run.ts';
import { longWal, walBytes } from '../warehouse/wal.ts';
import { define, FINISHING, focusOption, maxCallsOption, maxMinutesOption } from './command.ts';
import { lines, type Output, type Result } from './output.ts';
import { planResult } from './plan.ts';
import { describeChanges } from './probe_check.ts';
import { requireProbedDialect } from './probed_dialect.ts';
import { showProgress } from './progress.ts';
import { attentionOf, describeReport, errorOf, exitCodeOf } from './run_report_text.ts';

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
    async ({ config, clock, output, untilInterrupted }, flags) => {
      await requireProbedDialect(config, clock.now());
      if (flags.dryRun) return planResult(config, flags, output, clock.now());
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
  const report = await runEngine(workspace, {
    command: 'sync',
    focus: focus ?? config.focus,
    isPaced: all !== true,
    maxCalls,
    maxMinutes,
    signal,
    onProgress: showProgress(output, clock, Math.min(left, maxCalls)),
  });
  const drifted = report.ending.ended === 'drift' ? proposeDialectChanges(workspace, config) : [];
  const wal = longWal(walBytes(workspace.warehouse.db));
  const warning = wal && `${wal.cause} ${wal.remedy}`;
  const exitCode = exitCodeOf(report, strict);
  const changes = drifted.length === 0 ? null : describeChanges(drifted).join('\n');
  // With --quiet, a rejected key is reported only once a day, and a permanently exhausted quota only once.
  const news = isRepeated(report, workspace) ? null : attentionOf(report, exitCode);
  const attention = lines(news, changes, warning);
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
 * Returns whether the run sent no call and ended like the run before it: with a refused key, or a quota that never
 * resets. After a refusal, one run a day sends a call, which cron then mails.
 */
function isRepeated({ ending, totals }: RunReport, { warehouse }: Workspace): boolean {
  const isPermanent =
    ending.ended === 'unauthorised' || (ending.ended === 'allowance' && ending.resumesAtMs === null);
  return isPermanent && totals.calls === 0 && recentRuns(warehouse.db, 2)[1]?.ended === ending.ended;
}
