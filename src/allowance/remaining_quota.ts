import { MINUTE_MS } from '../durations.ts';
import type { QuotaLeft } from '../planner.ts';
import type { Ledger } from './ledger.ts';
import type { Purpose } from './windows.ts';

/** The account may send no call before `resumesAtMs`, or never again if that is null. */
interface NoQuota {
  readonly resumesAtMs: number | null;
}

/** Returns how many calls the account may send now for this purpose. Every debit checks the ledger again. */
export function remainingQuota(
  ledger: Pick<Ledger, 'state'>,
  purpose: Purpose,
  nowMs: number,
): QuotaLeft | NoQuota {
  const { left, resumesAtMs, pausedUntilMs, windows } = ledger.state(nowMs, purpose);
  if (left <= 0) return { resumesAtMs };
  if (pausedUntilMs !== null && pausedUntilMs - nowMs > MAX_PAUSE_MS) return { resumesAtMs: pausedUntilMs };
  return { calls: left, lifetimeLimit: windows.find(({ name }) => name === 'total')?.limit ?? null };
}

/** The longest pause that a run waits for. A longer pause ends the run. */
export const MAX_PAUSE_MS = 10 * MINUTE_MS;
