import { Command } from 'commander';
import { type Config, requireDialect } from '../config/config.ts';
import { openWorkspace, type Workspace } from '../operations/assemble.ts';
import { checkStored } from '../operations/dialect_check.ts';
import { ALL_KINDS, type RunReport, reportData, run } from '../operations/run.ts';
import type { DialectChange } from '../probe/dialect_changes.ts';
import { latestAnswers } from '../warehouse/latest_answers.ts';
import { lastEndedAt } from '../warehouse/run.ts';
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
import { attentionOf, describeReport, exitCodeOf, whatCallsBuy } from './run_report.ts';

interface SyncFlags extends SharedFlags {
  readonly maxCalls?: number;
  readonly maxMinutes?: number;
  readonly focus?: 'coverage' | 'records' | 'freshness';
  readonly strict?: boolean;
  readonly dryRun?: boolean;
}

/** `sync`: one run over everything that is due, for cron or by hand. */
export function syncCommand(): Command {
  const command = new Command('sync')
    .summary('bring the mirror up to date, within the allowance')
    .description(
      'Plans which calls are worth most, makes them within rate and allowance, and loads what they brought. ' +
        'Ends when nothing is due, the allowance is spent, or a bound is reached; the next run goes on from there.',
    )
    .option('--dry-run', 'say what it would cost, as `plan` does; send nothing')
    .option('--strict', 'exit 75 when paused by the allowance, and 1 when nothing could be loaded')
    .addHelpText('after', EXAMPLES)
    .action((flags: SyncFlags) => sync(flags));
  return withSpendingOptions(withSharedOptions(command));
}

async function sync(flags: SyncFlags): Promise<void> {
  const { config, output } = openContext(flags);
  requireDialect(config);
  if (flags.dryRun) return printPlan('sync', config, flags, output);
  const workspace = openWorkspace(config);
  const interruption = interruptible(() =>
    output.note('Finishing what is in flight (Ctrl-C again to stop at once) …'),
  );
  try {
    process.exitCode = await syncOnce(workspace, flags, output, interruption.signal);
  } finally {
    interruption.done();
    workspace.close();
  }
}

/** One run, printed as the output speaks. Answers the exit code. */
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
  output.note(whatCallsBuy(state, config, maxCalls));
  const report = await run(workspace, {
    command: 'sync',
    purpose: 'scheduled',
    kinds: ALL_KINDS,
    focus: flags.focus ?? config.focus,
    maxCalls,
    maxMinutes: flags.maxMinutes ?? Infinity,
    signal,
    onProgress: showProgress(output, { startedMs, callsLeft: state.left, now: () => clock.now() }),
  });
  const drifted = report.ending.ended === 'drift' ? checkLately(workspace, config) : [];
  const warning = walWarning(walBytes(workspace.warehouse.db));
  return printReport({ report, drifted, warning, isOldNews: isOldNews(report, workspace) }, flags, output);
}

/** What the answers of late say about the dialect, for free. */
function checkLately({ warehouse }: Workspace, config: Config): readonly DialectChange[] {
  return checkStored(requireDialect(config), latestAnswers(warehouse.db, ANSWERS_OF_LATE)).proposals;
}

const ANSWERS_OF_LATE = 50;

interface Facts {
  readonly report: RunReport;
  readonly drifted: readonly DialectChange[];
  readonly warning: string | null;
  /** Said before, lately: `--quiet` does not say it again. */
  readonly isOldNews: boolean;
}

function printReport(
  { report, drifted, warning, isOldNews: isOld }: Facts,
  flags: SyncFlags,
  output: Output,
): number {
  const exitCode = exitCodeOf(report, flags.strict ?? false);
  const changes = drifted.length === 0 ? null : describeChanges(drifted).join('\n');
  output.result({
    command: 'sync',
    ok: exitCode === 0 || exitCode === 3,
    data: { ...reportData(report), ...(changes === null ? {} : { proposals: drifted }) },
    text: lines(describeReport(report, output), changes, warning) ?? '',
    attention: lines(isOld ? null : attentionOf(report, exitCode), changes, warning),
  });
  return exitCode;
}

function lines(...texts: readonly (string | null)[]): string | null {
  const said = texts.filter((text) => text !== null);
  return said.length === 0 ? null : said.join('\n');
}

const EXAMPLES = `
Examples:
  $ registry-mirror sync
  $ registry-mirror sync --dry-run
  $ registry-mirror sync --max-calls 20 --focus records
  17 * * * *  cd /srv/mirror && registry-mirror sync --quiet      (in a crontab: mails only what needs attention)

Exit codes: 0 done, or paused because the allowance is spent; 1 failed; 2 usage or configuration;
3 done, with answers in quarantine; 75 paused, under --strict; 130 interrupted.`;

/**
 * Was it said before, and less than a day ago, that the key is refused? Cron starts a run every hour, and whoever
 * reads its mail knows after the first one; each day that it lasts, one more reminds them.
 */
export function isOldNews({ ending, runId }: RunReport, { ledger, warehouse, clock }: Workspace): boolean {
  if (ending.ended !== 'unauthorised' || runId === null) return false;
  const nowMs = clock.now();
  const refused = ledger.state(nowMs).refusedKey;
  const saidAt = lastEndedAt(warehouse.db, 'unauthorised', runId);
  if (refused === null || saidAt === null) return false;
  const daysAt = (epochMs: number) => Math.floor((epochMs - refused.sinceMs + EARLY_MS) / DAY_MS);
  return daysAt(Date.parse(saidAt)) === daysAt(nowMs);
}

// The run of the same hour, a day later, may get there a little sooner than the first one did.
const EARLY_MS = 600_000;
const DAY_MS = 86_400_000;
