import type { House } from '../../assemble.ts';
import { backfillOf } from '../../backfill.ts';
import { count } from '../../figures.ts';
import { type BackfillRow, backfillTable } from '../../warehouse/backfill.ts';
import type { Output } from '../output.ts';
import { writeReport } from './report_file.ts';
import { describeUnfinished, orderData } from './words.ts';

/** A finished backfill has its report written once more. */
export function reportAgain(
  house: House,
  chosen: BackfillRow,
  report: string | undefined,
  output: Output,
): void {
  const table = backfillTable(house.warehouse.db);
  const counts = table.counts(chosen.backfillId);
  if (report !== undefined) writeReport(report, table.wishes(chosen.backfillId));
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
export function listUnfinished(house: House, output: Output): void {
  const table = backfillTable(house.warehouse.db);
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
export function cancel(house: House, output: Output, backfillId: number): void {
  const chosen = backfillOf(house, backfillId);
  const isCancelled = backfillTable(house.warehouse.db).cancel(backfillId, house.clock.now());
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
