import { accountCostOf, costData } from '../../estimate/account_cost.ts';
import type { BackfillEstimate } from '../../estimate/backfill_estimate.ts';
import { allowanceOf, type Workspace } from '../../operations/assemble.ts';
import { backfillOf, refuseOver } from '../../operations/backfill.ts';
import { count } from '../../report/figures.ts';
import { type BackfillRow, backfillTable } from '../../warehouse/backfill.ts';
import type { Output } from '../output.ts';
import { describeCost } from '../plan/cost_text.ts';
import { describeUnfinished, orderData } from './backfill_text.ts';
import { writeReport } from './report_file.ts';

/** A finished backfill has its report written once more. */
export function reportAgain(
  workspace: Workspace,
  chosen: BackfillRow,
  report: string | undefined,
  output: Output,
): void {
  const table = backfillTable(workspace.warehouse.db);
  const counts = table.counts(chosen.backfillId);
  if (report !== undefined) writeReport(report, table.items(chosen.backfillId));
  const all = Object.values(counts).reduce((sum, one) => sum + one, 0);
  output.result({
    command: 'backfill',
    ok: true,
    data: { ...orderData(chosen, counts), report: report ?? null },
    text:
      report === undefined
        ? `Backfill ${chosen.backfillId} is finished. Add --report FILE for what became of each line.`
        : `Backfill ${chosen.backfillId} is finished; what became of its ${count(all)} lines is in ${report}.`,
    attention: null,
  });
}

/** The backfills that can be gone on with. */
export function listUnfinished(workspace: Workspace, output: Output): void {
  const table = backfillTable(workspace.warehouse.db);
  const rows = table.unfinished().map((one) => ({ backfill: one, counts: table.counts(one.backfillId) }));
  output.result({
    command: 'backfill',
    ok: true,
    data: { unfinished: rows.map((row) => orderData(row.backfill, row.counts)) },
    text: describeUnfinished(rows, output),
    attention: null,
  });
}

/** What it fetched stays. */
export function cancel(workspace: Workspace, output: Output, backfillId: number): void {
  const chosen = backfillOf(workspace, backfillId);
  const isCancelled = backfillTable(workspace.warehouse.db).cancel(backfillId, workspace.clock.now());
  output.result({
    command: 'backfill',
    ok: true,
    data: { backfill_id: backfillId, cancelled: isCancelled },
    text: isCancelled
      ? `Backfill ${backfillId} is cancelled: ${chosen.title}. What it fetched stays.`
      : `Backfill ${backfillId} was over before; nothing was changed.`,
    attention: null,
  });
}

/** Hands a backfill to the worker. It is kept in the warehouse, so that Redis may lose the job and nothing is lost. */
export async function enqueue(
  { config, clock }: Workspace,
  backfill: BackfillRow,
  maxCalls: number | undefined,
  output: Output,
): Promise<void> {
  refuseOver(backfill);
  // BullMQ is loaded only when a backfill is handed over.
  const { enqueueBackfill } = await import('../../../jobs/enqueue_backfill.ts');
  const { backfillId, title } = backfill;
  const asked = await enqueueBackfill(config, {
    backfillId,
    maxCalls: maxCalls ?? Number.POSITIVE_INFINITY,
    nowMs: clock.now(),
  });
  output.result({
    command: 'backfill',
    ok: true,
    data: { backfill_id: backfillId, title, queue: asked.queue, job: asked.job },
    text: `Backfill ${backfillId} (${title}) waits in the queue ${asked.queue} as job ${asked.job}. \`status\` shows how far it is; \`backfill --resume ${backfillId} --report FILE\` writes its report when it is done.`,
    attention: null,
  });
}

/** What it would cost, for `--dry-run`. */
export function printEstimate(
  workspace: Workspace,
  title: string,
  calls: BackfillEstimate,
  maxCalls: number | undefined,
  output: Output,
): void {
  const { config, ledger, clock } = workspace;
  const nowMs = clock.now();
  const estimate = accountCostOf({
    calls,
    sum: calls.total,
    allowance: allowanceOf(config),
    state: ledger.state(nowMs, 'backfill'),
    purpose: 'backfill',
    nowMs,
    maxCalls: maxCalls ?? Number.POSITIVE_INFINITY,
  });
  output.result({
    command: 'backfill',
    ok: true,
    data: { dry_run: true, title, ...costData(estimate) },
    text: [output.style('bold', `A backfill of ${title} would take`), ...describeCost(estimate)].join('\n'),
    attention: null,
  });
}
