import { Command } from '@commander-js/extra-typings';
import { UsageError } from '../errors.ts';
import type { Workspace } from '../operations/assemble.ts';
import {
  type BackfillOrder,
  type BackfillReport,
  backfillOf,
  keepBackfill,
  runBackfill,
} from '../operations/backfill.ts';
import { estimateOrder, estimateRest } from '../operations/estimate.ts';
import { type BackfillItemRow, type BackfillRow, Backfills } from '../warehouse/backfill.ts';
import {
  type BackfillDetails,
  backfillData,
  describeBackfill,
  describeLists,
} from './backfill/backfill_text.ts';
import {
  cancel,
  confirmCost,
  enqueue,
  estimateResult,
  listUnfinished,
  reportAgain,
  writeReport,
} from './backfill/manage.ts';
import { isSelecting, readAge, readSelection, type SelectionFlags, timeOf } from './backfill/selection.ts';
import { define, FINISHING, maxCallsOption, maxMinutesOption, repeated, wholeNumber } from './command.ts';
import { lines, type Output, type Result } from './output.ts';
import { requireProbedDialect } from './probed_dialect.ts';
import { showProgress } from './progress.ts';
import { attentionOf, errorOf, exitCodeOf } from './run_report_text.ts';
import { labelled } from './text_layout.ts';

/** `backfill`: fetches selected companies, separately from scheduled runs. */
export default () =>
  define(
    'workspace',
    new Command('backfill')
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
      .option('--query <text>', 'every company that a search for this text returns', repeated)
      .option(
        '--prefix <text>',
        'every company whose name, or a word in it, starts with this text, even beyond the cap on one query; if the ' +
          'registry matches substrings, also every name that contains the text',
        repeated,
      )
      .option('--stale <age>', 'records older than this: 90d, 6w, 3mo, 1y', readAge)
      .option('--missing', 'known companies whose record was never fetched')
      .option('--failed', 'calls that failed, or whose response is in quarantine')
      .option('--again', 'also fetch records that are still fresh (younger than max_age.records)')
      .option('--no-records', 'only list companies; do not fetch their records')
      .optionsGroup('Limits:')
      .addOption(maxCallsOption())
      .addOption(maxMinutesOption())
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
      .optionsGroup('Options:'),
    async ({ workspace, output, untilInterrupted }, flags) => {
      if (flags.list) return listUnfinished(workspace, output);
      if (flags.cancel !== undefined) return cancel(workspace, flags.cancel);
      const { maxCalls = Infinity } = flags;
      // Read the time first, so that an invalid time is rejected before the backfill is stored.
      const maxMinutes = minutesOf(flags, workspace.clock.now());
      const selection = isSelecting(flags) ? await selected(workspace, flags, output) : null;
      if (selection !== null) {
        const estimate = () => estimateOrder(workspace, selection);
        if (flags.dryRun) return estimateResult(workspace, selection.title, estimate(), maxCalls, output);
        if (!flags.yes) await confirmCost(workspace, estimate, maxCalls, output);
      }
      const choose = () => chosenBackfill(workspace, selection, flags, output);
      if (flags.enqueue && !flags.dryRun) return enqueue(workspace, choose, flags.maxCalls);
      const chosen = choose();
      if (flags.dryRun)
        return estimateResult(workspace, chosen.title, estimateRest(workspace, chosen), maxCalls, output);
      if (chosen.finishedAt !== null) return reportAgain(workspace, chosen, flags.report);
      const report = await work(
        workspace,
        chosen,
        { maxCalls, maxMinutes },
        output,
        untilInterrupted(FINISHING),
      );
      if (flags.report !== undefined)
        writeReport(flags.report, new Backfills(workspace.warehouse.db).items(chosen.backfillId));
      return resultOf(report, detailsOf(workspace, report), flags, output);
    },
  );

const EXAMPLES = `
Examples:
  $ registry-mirror backfill --ids customers.csv --column company_number --report done.csv
  $ cut -f1 list.tsv | registry-mirror backfill --ids - --max-calls 500
  $ registry-mirror backfill --names suppliers.txt --report matches.csv
  $ registry-mirror backfill --prefix "bank of" --no-records
  $ registry-mirror backfill --stale 90d --until 06:00
  $ registry-mirror backfill --missing --enqueue

Exit codes: 0 done, or paused because the quota is used up; 1 failed; 2 usage or configuration;
3 done, with responses in quarantine; 75 paused, under --strict; 130 interrupted.`;

type BackfillFlags = SelectionFlags & {
  readonly resume?: boolean | number;
  readonly report?: string;
  readonly maxMinutes?: number;
  readonly until?: string;
  readonly strict?: boolean;
};

/** Reads the backfill order from the selection flags. */
async function selected(workspace: Workspace, flags: BackfillFlags, output: Output): Promise<BackfillOrder> {
  if (flags.resume !== undefined)
    throw new UsageError('--resume continues a stored backfill and cannot be combined with a selection');
  const { config, clock, warehouse } = workspace;
  await requireProbedDialect(config, clock.now());
  const recordsMaxAgeMs = config.max_age.records.ms;
  const context = { warehouse, recordsMaxAgeMs, nowMs: clock.now(), stdin: process.stdin };
  const { order, lists } = await readSelection(flags, context);
  output.note(describeLists(lists));
  return order;
}

/** Returns the backfill to work on: either the backfill that `--resume` names, or one with the selected companies. */
function chosenBackfill(
  workspace: Workspace,
  selection: BackfillOrder | null,
  { resume }: BackfillFlags,
  output: Output,
): BackfillRow {
  if (typeof resume === 'number') return backfillOf(workspace, resume);
  if (resume) {
    const latest = new Backfills(workspace.warehouse.db).unfinished().at(-1);
    if (latest === undefined) throw new UsageError('no unfinished backfill exists');
    return latest;
  }
  if (selection === null)
    throw new UsageError('no companies were selected', {
      hint: 'Use --ids, --names, --query, --prefix, --stale, --missing, --failed or --resume.',
    });
  const { backfill, isContinued } = keepBackfill(workspace, selection);
  if (isContinued) output.note(`Resuming backfill ${backfill.backfillId}.`);
  return backfill;
}

function work(
  workspace: Workspace,
  { backfillId }: BackfillRow,
  { maxCalls, maxMinutes }: { readonly maxCalls: number; readonly maxMinutes: number },
  output: Output,
  signal: AbortSignal,
): Promise<BackfillReport> {
  const onProgress = showProgress(output, workspace.clock, maxCalls);
  return runBackfill(workspace, { backfillId, maxCalls, maxMinutes, signal, onProgress });
}

function minutesOf({ maxMinutes = Infinity, until }: BackfillFlags, nowMs: number): number {
  return until === undefined ? maxMinutes : Math.min(maxMinutes, (timeOf(until, nowMs) - nowMs) / 60_000);
}

function detailsOf(
  { warehouse, ledger, clock }: Workspace,
  { backfill, run }: BackfillReport,
): BackfillDetails {
  const items = new Backfills(warehouse.db).items(backfill.backfillId);
  const listings: BackfillItemRow[] = [];
  const unmatched: BackfillItemRow[] = [];
  for (const item of items) {
    const isListing = item.state === 'found' && LISTINGS.has(item.kind);
    if (isListing && listings.length < MOST_SHOWN) listings.push(item);
    if (UNMATCHED.has(item.state) && unmatched.length < MOST_SHOWN) unmatched.push(item);
  }
  const { left } = ledger.state(clock.now(), 'backfill');
  return { listings, unmatched, reserved: run.callsLeft === Infinity ? 0 : run.callsLeft - left };
}

const UNMATCHED = new Set(['not_found', 'ambiguous', 'failed']);
const LISTINGS = new Set<BackfillItemRow['kind']>(['query', 'prefix']);
const MOST_SHOWN = 20;

function resultOf(
  report: BackfillReport,
  details: BackfillDetails,
  { strict = false, report: path }: BackfillFlags,
  output: Output,
): Result {
  const exitCode = exitCodeOf(report.run, strict);
  const undecided = report.counts.ambiguous + report.counts.failed;
  const number = report.backfill.backfillId;
  return {
    error: errorOf(report.run, exitCode),
    data: backfillData(report, details, path ?? null),
    text: lines(
      describeBackfill(report, details, output),
      path !== undefined && labelled('report', path),
      path === undefined &&
        undecided > 0 &&
        labelled('report', `registry-mirror backfill --resume ${number} --report FILE`),
    ),
    attention: attentionOf(report.run, exitCode),
    exitCode,
  };
}
