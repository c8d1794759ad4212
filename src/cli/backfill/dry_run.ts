import { allowanceOf, type House } from '../../assemble.ts';
import type { BackfillPrice } from '../../plan/backfill_price.ts';
import type { Output } from '../output.ts';
import { priceData, priceOf } from '../price/price.ts';
import { describePrice } from '../price/words.ts';

/** What it would cost, for `--dry-run`. */
export function printPrice(
  house: House,
  title: string,
  calls: BackfillPrice,
  maxCalls: number | undefined,
  output: Output,
): void {
  const { config, ledger, clock } = house;
  const nowMs = clock.now();
  const price = priceOf({
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
    data: { dry_run: true, title, ...priceData(price) },
    text: [output.style('bold', `A backfill of ${title} would take`), ...describePrice(price)].join('\n'),
    attention: null,
  });
}
