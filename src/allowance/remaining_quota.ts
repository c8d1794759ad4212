import { MINUTE_MS } from '../durations.ts';
import type { QuotaLeft } from '../planner.ts';
import type { Ledger, LedgerState } from './ledger.ts';
import { isLifetime, type Purpose } from './windows.ts';

/**
 * The account may send no call before `resumesAtMs`, or never again if that is null. `isReported` is true if the
 * upstream reported this.
 */
interface NoQuota {
  readonly resumesAtMs: number | null;
  readonly isReported: boolean;
}

/** Returns how many calls the account may send now for this purpose. Every debit checks the ledger again. */
export function remainingQuota(
  ledger: Pick<Ledger, 'state'>,
  purpose: Purpose,
  nowMs: number,
): QuotaLeft | NoQuota {
  const state = ledger.state(nowMs, purpose);
  const closedMs = closedUntilMs(state, nowMs);
  if (closedMs !== null) {
    const isReported = state.exhausted !== null || state.left > 0;
    return { resumesAtMs: closedMs === Infinity ? null : closedMs, isReported };
  }
  const lifetimeLimit = state.windows.find(isLifetime)?.limit ?? null;
  return { calls: state.left, lifetimeLimit };
}

/**
 * Returns the time until which no call can be sent, because the allowance is used up or the upstream requested a long
 * pause. Null means that calls can be sent now, and Infinity that no quota will ever be available again.
 */
export function closedUntilMs(
  { left, resumesAtMs, pausedUntilMs }: LedgerState,
  nowMs: number,
): number | null {
  if (left <= 0) return resumesAtMs ?? Infinity;
  return pausedUntilMs !== null && pausedUntilMs - nowMs > MAX_PAUSE_MS ? pausedUntilMs : null;
}

/** The longest pause that a run waits for. A longer pause ends the run. */
export const MAX_PAUSE_MS = 10 * MINUTE_MS;
