import { Command, InvalidArgumentError } from 'commander';
import { requireDialect } from '../config/config.ts';
import { Duration } from '../config/values.ts';
import { UsageError } from '../errors.ts';
import { openWorkspace, type Workspace } from '../operations/assemble.ts';
import {
  type BackfillOrder,
  type BackfillReport,
  backfillOf,
  estimateOrder,
  estimateRest,
  keepBackfill,
  runBackfill,
} from '../operations/backfill.ts';
import { type BackfillRow, backfillTable } from '../warehouse/backfill.ts';
import { backfillData, describeBackfill, describeLists } from './backfill/backfill_text.ts';
import { cancel, enqueue, listUnfinished, printEstimate, reportAgain } from './backfill/manage.ts';
import { writeReport } from './backfill/report_file.ts';
import { isSelecting, readSelection, type SelectionFlags } from './backfill/selection.ts';
import { momentOf } from './backfill/until.ts';
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
import { attentionOf, exitCodeOf } from './run_report.ts';

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
  readonly enqueue?: boolean;
}

/** `backfill`: fetches what is on a list, apart from the scheduled work. */
export function backfillCommand(): Command {
  const command = new Command('backfill')
    .summary('fetch what is on a list: ids, names, queries, what is old, missing or failed')
    .description(
      'Fetches what you name, apart from the scheduled work, whose share of the allowance (allowance.reserve) it ' +
        'leaves alone. What was fetched lately is not fetched again. It can be stopped at any time: the same ' +
        'command, or --resume, goes on where it stopped.',
    )
    .optionsGroup('What to fetch (several may be given):')
    .option('--ids <file>', 'entity ids, one a line or a column of a CSV; - reads standard input')
    .option('--names <file>', 'company names, likewise; names that are not found exactly are never guessed')
    .option('--column <name>', 'which column of the CSV, by its name or number')
    .option('--query <text>', 'every company that a search for this text lists', repeated, [])
    .option('--prefix <text>', 'every company whose name begins so, however many they are', repeated, [])
    .option('--id-prefix <text>', 'every company whose id begins so', repeated, [])
    .option('--stale <age>', 'records fetched longer ago than this: 90d, 12h', milliseconds)
    .option('--missing', 'companies that were listed, and whose record was never fetched')
    .option('--failed', 'what failed, or was answered in a way that could not be understood')
    .option('--again', 'also fetch what was fetched lately (within max_age.records)')
    .option('--no-records', 'only list companies; do not fetch the records of those that searches find')
    .optionsGroup('How far to go:')
    .option('--max-calls <n>', 'spend at most this many calls', wholeNumber)
    .option('--max-minutes <n>', 'work at most this long', positiveNumber)
    .option('--until <time>', 'work until then: 06:30, 2026-11-22, 2026-11-22T06:30')
    .option('--dry-run', 'say what it would cost, and fetch nothing')
    .option('--enqueue', 'hand it to the worker, which works on it beside its schedules, and return at once')
    .optionsGroup('What came of it:')
    .option('--report <file>', 'write what became of each line: CSV, or JSON Lines for a name in .jsonl')
    .option(
      '--resume [number]',
      'go on with an unfinished backfill, the latest if no number is given',
      wholeNumber,
    )
    .option('--list', 'list the unfinished backfills')
    .option('--cancel <number>', 'give up an unfinished backfill; what it fetched stays', wholeNumber)
    .option('--strict', 'exit 75 when paused by the allowance')
    .addHelpText('after', EXAMPLES)
    .action((flags: BackfillFlags) => backfill(withoutEmpty(flags)));
  return withSharedOptions(command.optionsGroup('Options:'));
}

async function backfill(flags: BackfillFlags): Promise<void> {
  const { config, output } = openContext(flags);
  const workspace = openWorkspace(config);
  try {
    if (flags.list) return listUnfinished(workspace, output);
    if (flags.cancel !== undefined) return cancel(workspace, output, flags.cancel);
    // A bound that cannot be meant is refused before anything is kept.
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
    const chosen = chosenBackfill(workspace, selection, flags, output);
    if (flags.dryRun)
      return printEstimate(workspace, chosen.title, estimateRest(workspace, chosen), flags.maxCalls, output);
    if (flags.enqueue) return enqueue(workspace, chosen, flags.maxCalls, output);
    if (chosen.finishedAt !== null) return reportAgain(workspace, chosen, flags.report, output);
    const report = await work(workspace, chosen, { ...flags, maxMinutes }, output);
    if (flags.report !== undefined)
      writeReport(flags.report, backfillTable(workspace.warehouse.db).items(chosen.backfillId));
    printReport(report, flags, output);
  } finally {
    workspace.close();
  }
}

/** What the flags name to fetch. */
async function selected(workspace: Workspace, flags: BackfillFlags, output: Output): Promise<BackfillOrder> {
  if (flags.resume !== undefined)
    throw new UsageError('--resume goes on with what was asked for before; it takes nothing else to fetch');
  const { config, clock, warehouse } = workspace;
  const { order, lists } = await readSelection(flags, {
    db: warehouse.db,
    dialect: requireDialect(config),
    recordsMaxAgeMs: config.max_age.records.ms,
    nowMs: clock.now(),
    stdin: process.stdin,
  });
  const left = describeLists(lists);
  if (left !== null) output.note(left);
  return order;
}

/** The backfill that the flags ask for: a new one, or an unfinished one. */
function chosenBackfill(
  workspace: Workspace,
  selection: BackfillOrder | null,
  { resume }: BackfillFlags,
  output: Output,
): BackfillRow {
  if (resume !== undefined)
    return typeof resume === 'number' ? backfillOf(workspace, resume) : latestUnfinished(workspace);
  if (selection === null)
    throw new UsageError('nothing was named to fetch', {
      hint: 'Name ids, names, a query, a prefix, --stale, --missing or --failed; or go on with --resume.',
    });
  const { backfill, isContinued } = keepBackfill(workspace, selection);
  output.note(
    `${isContinued ? 'Going on with backfill' : 'Backfill'} ${backfill.backfillId}: ${backfill.title}.`,
  );
  return backfill;
}

function latestUnfinished(workspace: Workspace): BackfillRow {
  const latest = backfillTable(workspace.warehouse.db).unfinished().at(-1);
  if (latest === undefined) throw new UsageError('no backfill is unfinished');
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
    output.note('Finishing what is in flight (Ctrl-C again to stop at once) …'),
  );
  const startedMs = clock.now();
  const callsLeft = ledger.state(startedMs, 'backfill').left;
  try {
    return await runBackfill(workspace, {
      backfillId,
      maxCalls,
      maxMinutes,
      signal: interruption.signal,
      onProgress: showProgress(output, { startedMs, callsLeft, now: () => clock.now() }),
    });
  } finally {
    interruption.done();
  }
}

function minutesOf({ maxMinutes = Number.POSITIVE_INFINITY, until }: BackfillFlags, nowMs: number): number {
  return until === undefined ? maxMinutes : Math.min(maxMinutes, (momentOf(until, nowMs) - nowMs) / 60_000);
}

function printReport(report: BackfillReport, flags: BackfillFlags, output: Output): void {
  const exitCode = exitCodeOf(report.run, flags.strict ?? false);
  const path = flags.report ?? null;
  const undecided = report.counts.ambiguous + report.counts.failed;
  output.result({
    command: 'backfill',
    ok: exitCode === 0 || exitCode === 3,
    data: backfillData(report, path),
    text: [
      describeBackfill(report, output),
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

function milliseconds(text: string): number {
  const parsed = Duration.safeParse(text);
  if (!parsed.success) throw new InvalidArgumentError('Write a duration such as 90d, 12h or 2w.');
  return parsed.data.ms;
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

Exit codes: 0 done, or paused because the allowance is spent; 1 failed; 2 usage or configuration;
3 done, with answers in quarantine; 75 paused, under --strict; 130 interrupted.`;
