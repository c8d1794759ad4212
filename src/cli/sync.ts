import { Command } from 'commander';
import { type House, openHouse } from '../assemble.ts';
import { type Config, requireDialect } from '../config.ts';
import type { Change } from '../plan/probing/proposal.ts';
import { checkStored } from '../probe_check.ts';
import { ALL_KINDS, type RunReport, reportData, run } from '../run.ts';
import { latestAnswers } from '../warehouse/latest_answers.ts';
import { logBytes, logWarning } from '../warehouse/write_ahead_log.ts';
import {
  interruptible,
  openContext,
  type SharedFlags,
  withSharedOptions,
  withSpendingOptions,
} from './context.ts';
import type { Output } from './output.ts';
import { printPlan } from './plan.ts';
import { showProgress } from './progress.ts';
import { describeChanges } from './proposal.ts';
import { attentionOf, describeReport, exitCodeOf, whatCallsBuy } from './report.ts';
import { isOldNews } from './sync/old_news.ts';

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
  const house = openHouse(config);
  const interruption = interruptible(() =>
    output.note('Finishing what is in flight (Ctrl-C again to stop at once) …'),
  );
  try {
    process.exitCode = await syncOnce(house, flags, output, interruption.signal);
  } finally {
    interruption.done();
    house.close();
  }
}

/** One run, printed as the output speaks. Answers the exit code. */
export async function syncOnce(
  house: House,
  flags: SyncFlags,
  output: Output,
  signal: AbortSignal,
): Promise<number> {
  const { config, ledger, clock } = house;
  const startedMs = clock.now();
  const state = ledger.state(startedMs);
  const maxCalls = flags.maxCalls ?? Infinity;
  output.note(whatCallsBuy(state, config, maxCalls));
  const report = await run(house, {
    command: 'sync',
    purpose: 'scheduled',
    kinds: ALL_KINDS,
    focus: flags.focus ?? config.focus,
    maxCalls,
    maxMinutes: flags.maxMinutes ?? Infinity,
    signal,
    onProgress: showProgress(output, { startedMs, callsLeft: state.left, now: () => clock.now() }),
  });
  const drifted = report.ending.ended === 'drift' ? checkLately(house, config) : [];
  const warning = logWarning(logBytes(house.warehouse.db));
  return printReport({ report, drifted, warning, isOldNews: isOldNews(report, house) }, flags, output);
}

/** What the answers of late say about the dialect, for free. */
function checkLately({ warehouse }: House, config: Config): readonly Change[] {
  return checkStored(requireDialect(config), latestAnswers(warehouse.db, ANSWERS_OF_LATE)).proposals;
}

const ANSWERS_OF_LATE = 50;

interface Facts {
  readonly report: RunReport;
  readonly drifted: readonly Change[];
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
