import { UsageError } from '../../errors.ts';
import type { BackfillEstimate } from '../../estimate/backfill_estimate.ts';
import { within } from '../../estimate/call_range.ts';
import type { Workspace } from '../../operations/assemble.ts';
import { counted } from '../../report/figures.ts';
import type { Output } from '../output.ts';
import { range } from '../plan/cost_text.ts';
import { confirmed } from '../questions.ts';

/**
 * Asks for confirmation before a backfill that could spend more than a tenth of the remaining quota. Without a
 * terminal, as in a script, nothing is asked.
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
