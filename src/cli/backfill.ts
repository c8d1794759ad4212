import { Command, InvalidArgumentError } from 'commander';
import { requireDialect } from '../config/config.ts';
import { UsageError } from '../errors.ts';
import { openWorkspace, type Workspace } from '../operations/assemble.ts';
import {
  type BackfillOrder,
  type BackfillReport,
  backfillOf,
  keepBackfill,
  runBackfill,
} from '../operations/backfill.ts';
import { estimateOrder, estimateRest } from '../operations/estimate.ts';
import { type BackfillItemRow, type BackfillRow, backfillTable } from '../warehouse/backfill.ts';
import { readAge } from './backfill/age.ts';
import {
  type BackfillDetails,
  backfillData,
  describeBackfill,
  describeLists,
} from './backfill/backfill_text.ts';
import { confirmCost } from './backfill/confirmation.ts';
import { cancel, enqueue, listUnfinished, printEstimate, reportAgain } from './backfill/manage.ts';
import { writeReport } from './backfill/report_file.ts';
import { isSelecting, readSelection, type SelectionFlags } from './backfill/selection.ts';
import { timeOf } from './backfill/until.ts';
import {
  interruptible,
  openContext,
  positiveNumber,
  type SharedFlags,
  wholeNumber,
  withSharedOptions,
} from './context.ts';
import type { Output } from './output.ts';
import { showProgress } from './progress.ts';
import { attentionOf, errorOf, exitCodeOf } from './run_report.ts';

interface BackfillFlags extends SharedFlags, SelectionFlags {
  readonly resume?: true | number;
  readonly list?: boolean;
  readonly cancel?: number;
  readonly report?: string;
  readonly maxCalls?: number;
  readonly maxMinutes?: number;
  readonly until?: string;
  readonly strict?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly enqueue?: boolean;
}

/** `backfill`: fetches selected companies, separately from scheduled runs. */
export function backfillCommand(): Command {
  const command = new Command('backfill')
    .description(
      'Fetches the companies that you select. It leaves a share of the allowance (allowance.reserve) for ' +
        'scheduled runs, and skips records that are still fresh (max_age.records). You can stop it at any time and ' +
        'continue it with the same command or with --resume.',
    )
    .optionsGroup('Selection (several options can be combined):')
    .option(
      '--ids <file>',
      'entity ids, one per line or in a CSV column (- reads standard input); lines that start with "# " are comments',
    )
    .option(
      '--names <file>',
      'company names, one per line or in a CSV column; only exact matches are fetched',
    )
    .option('--column <name>', 'CSV column, by name or number')
    .option('--query <text>', 'every company that a search for this text returns', repeated, [])
    .option(
      '--prefix <text>',
      'every company whose name, or a word in it, starts with this text, even beyond the cap on one query; if the ' +
        'registry matches substrings, also every name that contains the text',
      repeated,
      [],
    )
    .option('--id-prefix <text>', 'every company whose id starts with this text', repeated, [])
    .option('--stale <age>', 'records older than this: 90d, 6w, 3mo, 1y', readAge)
    .option('--missing', 'known companies whose record was never fetched')
    .option('--failed', 'calls that failed, or whose response is in quarantine')
    .option('--again', 'also fetch records that are still fresh (younger than max_age.records)')
    .option('--no-records', 'only list companies; do not fetch their records')
    .optionsGroup('Limits:')
    .option('--max-calls <n>', 'spend at most this many calls', wholeNumber)
    .option('--max-minutes <n>', 'stop after this many minutes', positiveNumber)
    .option('--until <time>', 'stop at this time: 06:30, 2026-11-22, 2026-11-22T06:30')
    .option('--dry-run', 'print the cost estimate without sending calls')
    .option('--yes', 'do not ask before spending more than a tenth of the remaining quota')
    .option('--enqueue', 'queue the backfill for the worker and return immediately')
    .optionsGroup('Results:')
    .option(
      '--report <file>',
      'write the result of each line as CSV, or as JSON Lines if the file name ends in .jsonl',
    )
    .option('--resume [number]', 'resume an unfinished backfill (default: the latest)', wholeNumber)
    .option('--list', 'list the unfinished backfills')
    .option('--cancel <number>', 'cancel an unfinished backfill, but keep the fetched records', wholeNumber)
    .option('--strict', 'exit 75 if the quota is used up')
    .addHelpText('after', EXAMPLES)
    .action((flags: BackfillFlags) => backfill(withoutEmpty(flags)));
  return withSharedOptions(command.optionsGroup('Options:'));
}

async function backfill(flags: BackfillFlags): Promise<void> {
  const { config, output } = await openContext(flags);
  const workspace = openWorkspace(config);
  try {
    if (flags.list) return listUnfinished(workspace, output);
    if (flags.cancel !== undefined) return cancel(workspace, output, flags.cancel);
    // Read the time first, so that an invalid time is rejected before the backfill is stored.
    const maxMinutes = minutesOf(flags, workspace.clock.now());
    const selection = isSelecting(flags) ? await selected(workspace, flags, output) : null;
    if (flags.dryRun && selection !== null)
      return printEstimate(
        workspace,
        selection.title,
        estimateOrder(workspace, selection),
        flags.maxCalls,
        output,
      );
    if (selection !== null)
      await confirmCost(workspace, () => estimateOrder(workspace, selection), flags, output);
    const chosen = chosenBackfill(workspace, selection, flags, output);
    if (flags.dryRun)
      return printEstimate(workspace, chosen.title, estimateRest(workspace, chosen), flags.maxCalls, output);
    if (flags.enqueue) return await enqueue(workspace, chosen, flags.maxCalls, output);
    if (chosen.finishedAt !== null) return reportAgain(workspace, chosen, flags.report, output);
    const report = await work(workspace, chosen, { ...flags, maxMinutes }, output);
    if (flags.report !== undefined)
      writeReport(flags.report, backfillTable(workspace.warehouse.db).items(chosen.backfillId));
    printReport(report, detailsOf(workspace, report), flags, output);
  } finally {
    workspace.close();
  }
}

/** Reads the backfill order from the selection flags. */
async function selected(workspace: Workspace, flags: BackfillFlags, output: Output): Promise<BackfillOrder> {
  if (flags.resume !== undefined)
    throw new UsageError('--resume continues a stored backfill and cannot be combined with a selection');
  const { config, clock, warehouse } = workspace;
  const { order, lists } = await readSelection(flags, {
    warehouse,
    dialect: requireDialect(config),
    recordsMaxAgeMs: config.max_age.records.ms,
    nowMs: clock.now(),
    stdin: process.stdin,
  });
  const left = describeLists(lists);
  if (left !== null) output.note(left);
  return order;
}

/** Returns the backfill to work on: either the backfill that `--resume` names, or one with the selected companies. */
function chosenBackfill(
  workspace: Workspace,
  selection: BackfillOrder | null,
  { resume }: BackfillFlags,
  output: Output,
): BackfillRow {
  if (resume !== undefined)
    return typeof resume === 'number' ? backfillOf(workspace, resume) : latestUnfinished(workspace);
  if (selection === null)
    throw new UsageError('no companies were selected', {
      hint: 'Use --ids, --names, --query, --prefix, --id-prefix, --stale, --missing, --failed or --resume.',
    });
  const { backfill, isContinued } = keepBackfill(workspace, selection);
  output.note(`${isContinued ? 'Resuming backfill' : 'Backfill'} ${backfill.backfillId}: ${backfill.title}.`);
  return backfill;
}

function latestUnfinished(workspace: Workspace): BackfillRow {
  const latest = backfillTable(workspace.warehouse.db).unfinished().at(-1);
  if (latest === undefined) throw new UsageError('no unfinished backfill exists');
  return latest;
}

async function work(
  workspace: Workspace,
  { backfillId }: BackfillRow,
  { maxCalls = Number.POSITIVE_INFINITY, maxMinutes }: { maxCalls?: number; maxMinutes: number },
  output: Output,
): Promise<BackfillReport> {
  const { clock, ledger } = workspace;
  const interruption = interruptible(() =>
    output.note('Finishing the in-flight calls (press Ctrl-C again to stop immediately) …'),
  );
  const startedMs = clock.now();
  const callsLeft = Math.min(maxCalls, ledger.state(startedMs, 'backfill').left);
  try {
    return await runBackfill(workspace, {
      backfillId,
      maxCalls,
      maxMinutes,
      signal: interruption.signal,
      onProgress: showProgress(output, { startedMs, maxCalls: callsLeft, now: () => clock.now() }),
    });
  } finally {
    interruption.done();
  }
}

function minutesOf({ maxMinutes = Number.POSITIVE_INFINITY, until }: BackfillFlags, nowMs: number): number {
  return until === undefined ? maxMinutes : Math.min(maxMinutes, (timeOf(until, nowMs) - nowMs) / 60_000);
}

function detailsOf(
  { warehouse, ledger, clock }: Workspace,
  { backfill, run }: BackfillReport,
): BackfillDetails {
  const unmatched: BackfillItemRow[] = [];
  for (const item of backfillTable(warehouse.db).items(backfill.backfillId))
    if (UNMATCHED.has(item.state) && unmatched.length < MOST_UNMATCHED) unmatched.push(item);
  const { left } = ledger.state(clock.now(), 'backfill');
  return { unmatched, reserved: run.callsLeft === Number.POSITIVE_INFINITY ? 0 : run.callsLeft - left };
}

const UNMATCHED = new Set(['not_found', 'ambiguous', 'failed']);
const MOST_UNMATCHED = 20;

function printReport(
  report: BackfillReport,
  details: BackfillDetails,
  flags: BackfillFlags,
  output: Output,
): void {
  const exitCode = exitCodeOf(report.run, flags.strict ?? false);
  const path = flags.report ?? null;
  const undecided = report.counts.ambiguous + report.counts.failed;
  output.result({
    command: 'backfill',
    error: errorOf(report.run, exitCode),
    data: backfillData(report, details, path),
    text: [
      describeBackfill(report, details, output),
      ...(path === null ? [] : [`  report     ${path}`]),
      ...(path === null && undecided > 0
        ? [`  report     registry-mirror backfill --resume ${report.backfill.backfillId} --report FILE`]
        : []),
    ].join('\n'),
    attention: attentionOf(report.run, exitCode),
  });
  process.exitCode = exitCode;
}

function repeated(text: string, before: readonly string[]): string[] {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return [...before, text];
}

function withoutEmpty(flags: BackfillFlags): BackfillFlags {
  return Object.fromEntries(
    Object.entries(flags).filter(([, value]) => !(Array.isArray(value) && value.length === 0)),
  );
}

const EXAMPLES = `
Examples:
  $ registry-mirror backfill --ids customers.csv --column company_number --report done.csv
  $ cut -f1 list.tsv | registry-mirror backfill --ids - --max-calls 500
  $ registry-mirror backfill --names suppliers.txt --dry-run
  $ registry-mirror backfill --names suppliers.txt --report matches.csv
  $ registry-mirror backfill --prefix "bank of" --no-records
  $ registry-mirror backfill --stale 90d --until 06:00
  $ registry-mirror backfill --missing --enqueue
  $ registry-mirror backfill --failed
  $ registry-mirror backfill --resume

Exit codes: 0 done, or paused because the quota is used up; 1 failed; 2 usage or configuration;
3 done, with responses in quarantine; 75 paused, under --strict; 130 interrupted.`;
