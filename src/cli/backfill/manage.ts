import { isoTime } from '../../clock.ts';
import { UsageError } from '../../errors.ts';
import type { BackfillEstimate } from '../../estimate/backfill_estimate.ts';
import { within } from '../../estimate/call_range.ts';
import type { Workspace } from '../../operations/assemble.ts';
import { backfillOf, requireUnfinished } from '../../operations/backfill.ts';
import { allowanceOf } from '../../operations/configured_ledger.ts';
import { finishCondition, rejectedKinds } from '../../report/completion_forecast.ts';
import { count, counted } from '../../report/figures.ts';
import {
  type BackfillItemRow,
  type BackfillRow,
  Backfills,
  queueBackfill,
} from '../../warehouse/backfill.ts';
import { explainFileError, writeAtomicFile } from '../../warehouse/export/atomic_file.ts';
import { safeCsvLine } from '../../warehouse/export/row_writers.ts';
import type { Output, Result } from '../output.ts';
import { accountCostOf, costData, describeCost, range } from '../plan/cost.ts';
import { confirmed } from '../questions.ts';
import { backfillsText, itemCount, orderData } from './backfill_text.ts';

/** Writes a finished backfill's report again. */
export function reportAgain(workspace: Workspace, chosen: BackfillRow, report: string | undefined): Result {
  const table = new Backfills(workspace.warehouse.db);
  const counts = table.counts(chosen.backfillId);
  if (report !== undefined) writeReport(report, table.items(chosen.backfillId));
  const rest =
    report === undefined
      ? 'Add --report FILE to write the result of each line.'
      : `The results of its ${count(itemCount(counts))} lines are in ${report}.`;
  return {
    data: { ...orderData(chosen, counts), report: report ?? null },
    text: `Backfill ${chosen.backfillId} is finished. ${rest}`,
  };
}

export function listUnfinished(workspace: Workspace, output: Output): Result {
  const table = new Backfills(workspace.warehouse.db);
  const rows = table.unfinished().map((one) => ({ backfill: one, counts: table.counts(one.backfillId) }));
  return {
    data: { unfinished: rows.map((row) => orderData(row.backfill, row.counts)) },
    text: backfillsText(rows, output) ?? 'No unfinished backfill.',
  };
}

/** Cancels a backfill. Records that were already fetched stay in the mirror. */
export function cancel(workspace: Workspace, backfillId: number): Result {
  const chosen = backfillOf(workspace, backfillId);
  const isCancelled = new Backfills(workspace.warehouse.db).cancel(backfillId, workspace.clock.now());
  return {
    data: { backfill_id: backfillId, cancelled: isCancelled },
    text: isCancelled
      ? `Backfill ${backfillId} is cancelled: ${chosen.title}. The fetched records are kept.`
      : `Backfill ${backfillId} had already ended; nothing was changed.`,
  };
}

/** Queues a backfill for the worker. */
export async function enqueue(
  workspace: Workspace,
  choose: () => BackfillRow,
  maxCalls: number | undefined,
): Promise<Result> {
  const { config, clock, warehouse } = workspace;
  // Import BullMQ only here, because it loads slowly and this command's other options do not need it.
  const { enqueueBackfill } = await import('../../../jobs/queue_control.ts');
  const queuedAt = isoTime(clock.now());
  const { queue, job, backfill } = await enqueueBackfill(config, () => {
    const chosen = choose();
    requireUnfinished(chosen);
    requireUnqueued(chosen);
    queueBackfill(warehouse.db, { backfillId: chosen.backfillId, maxCalls: maxCalls ?? null, queuedAt });
    return chosen;
  });
  const { backfillId, title } = backfill;
  return {
    data: { backfill_id: backfillId, title, queue, job },
    text: `Backfill ${backfillId} (${title}) is queued as job ${job} in ${queue}. Show its progress: registry-mirror status. Write its report after it has ended: registry-mirror backfill --resume ${backfillId} --report FILE`,
  };
}

function requireUnqueued({ backfillId, queuedAt }: BackfillRow): void {
  if (queuedAt === null) return;
  throw new UsageError(`backfill ${backfillId} is already queued for the worker`, {
    hint: `Wait until it ends, or cancel it: registry-mirror backfill --cancel ${backfillId}`,
  });
}

/** Returns the cost estimate of `--dry-run`. */
export function estimateResult(
  { config, warehouse, ledger, clock }: Workspace,
  title: string,
  calls: BackfillEstimate,
  maxCalls: number,
  output: Output,
): Result {
  const nowMs = clock.now();
  const state = ledger.state(nowMs, 'backfill');
  const estimate = accountCostOf({
    calls,
    sum: calls.total,
    allowance: allowanceOf(config),
    state,
    purpose: 'backfill',
    nowMs,
    maxCalls,
    finishCondition: finishCondition(state, rejectedKinds(warehouse.db)),
  });
  return {
    data: { dry_run: true, title, ...costData(estimate) },
    text: [output.style('bold', `Estimate: backfill of ${title}`), ...describeCost(estimate)].join('\n'),
  };
}

/**
 * Asks for confirmation before a backfill that could spend more than a tenth of the remaining quota. It asks
 * nothing without a terminal, as in a script.
 *
 * @throws UsageError if the answer is no.
 */
export async function confirmCost(
  { ledger, clock }: Pick<Workspace, 'ledger' | 'clock'>,
  estimate: () => BackfillEstimate,
  maxCalls: number,
  output: Output,
): Promise<void> {
  if (output.mode !== 'text' || !process.stdin.isTTY) return;
  const { left } = ledger.state(clock.now(), 'backfill');
  const question = costQuestion(estimate, left, maxCalls);
  if (question === null || (await confirmed(question))) return;
  throw new UsageError('not confirmed; no call was sent', {
    hint: 'Limit the calls with --max-calls N, or see the estimate with --dry-run.',
  });
}

/** Returns the question to ask, or null if the backfill costs at most a tenth of the remaining quota. */
export function costQuestion(
  estimate: () => BackfillEstimate,
  left: number,
  maxCalls: number,
): string | null {
  if (left === 0 || left === Infinity || maxCalls <= left * ASKED_SHARE) return null;
  const { total } = estimate();
  const high = Math.min(total.high ?? Infinity, maxCalls);
  if (high <= left * ASKED_SHARE) return null;
  const cost = range(within(total, { low: 0, high: high === Infinity ? null : high }), 'call');
  return `This backfill needs ${cost}, and the account has ${counted(left, 'call')} left for backfills. Continue?`;
}

const ASKED_SHARE = 0.1;

/**
 * Writes every item's result as CSV, or as JSON Lines if the file name ends in `.jsonl`. The file appears only when it
 * is complete.
 *
 * @throws UsageError if the file cannot be written.
 */
export function writeReport(path: string, items: Iterable<BackfillItemRow>): void {
  const lines = /\.(jsonl|ndjson)$/i.test(path) ? jsonLines : csvLines;
  try {
    writeAtomicFile(path, lines(items));
  } catch (error) {
    const remedy =
      'The backfill is stored. Write its report to another file with --resume NUMBER --report FILE.';
    throw explainFileError(error, `the report ${path}`, remedy);
  }
}

function* jsonLines(items: Iterable<BackfillItemRow>): Generator<string> {
  for (const item of items) yield `${JSON.stringify(documentOf(item))}\n`;
}

/** Yields the rows. All candidates are in one cell: `0.97 00042 Acme Limited; 0.88 00043 Acne Ltd`. */
function* csvLines(items: Iterable<BackfillItemRow>): Generator<string> {
  yield safeCsvLine(COLUMNS);
  for (const item of items) {
    const document = documentOf(item);
    const candidates = document.candidates.map(
      ({ score, entity_id, name }) => `${score} ${entity_id} ${name}`,
    );
    const row = { ...document, candidates: candidates.join('; ') || null };
    yield safeCsvLine(COLUMNS.map((column) => row[column]));
  }
}

/** The columns in a CSV report, which are also the keys in a JSON Lines report. */
const COLUMNS = [
  'position',
  'kind',
  'given',
  'state',
  'entity_id',
  'name',
  'candidates',
  'note',
  'call_id',
] as const;

interface Candidate {
  readonly entity_id: string;
  readonly name: string;
  readonly score: number;
}

function documentOf(item: BackfillItemRow) {
  const { position, kind, given, state, entityId, name, candidates, note, callId } = item;
  const found = candidates === null ? [] : (JSON.parse(candidates) as Candidate[]);
  return {
    position,
    kind,
    given,
    state,
    entity_id: entityId,
    name,
    candidates: found,
    note,
    call_id: callId,
  };
}
