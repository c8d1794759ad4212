import { MINUTE_MS } from '../durations.ts';
import type { QuotaLeft } from '../planner.ts';
import type { Ledger } from './ledger.ts';
import type { Purpose } from './windows.ts';

/** The account may send no call before `resumesAtMs`, or never again if that is null. */
export interface NoQuota {
  readonly resumesAtMs: number | null;
}

/** The remaining quota during one run. */
export interface RemainingQuota {
  left(nowMs: number): QuotaLeft | NoQuota;
  countUsed(): void;
}

/**
 * Reads the ledger at most once every QUOTA_VALID_MS. An outdated value is harmless, because every debit checks the
 * ledger again.
 */
export function openRemainingQuota(ledger: Pick<Ledger, 'state'>, purpose: Purpose): RemainingQuota {
  let read: { readonly left: QuotaLeft | NoQuota; readonly atMs: number } | null = null;
  let used = 0;
  return {
    left: (nowMs) => {
      if (read === null || Math.abs(nowMs - read.atMs) >= QUOTA_VALID_MS) {
        read = { left: readLeft(ledger, purpose, nowMs), atMs: nowMs };
        used = 0;
      }
      const { left } = read;
      if ('resumesAtMs' in left) return left;
      if (left.calls > used) return { ...left, calls: left.calls - used };
      read = null;
      return readLeft(ledger, purpose, nowMs);
    },
    countUsed: () => {
      used += 1;
    },
  };
}

function readLeft(ledger: Pick<Ledger, 'state'>, purpose: Purpose, nowMs: number): QuotaLeft | NoQuota {
  const { left, resumesAtMs, pausedUntilMs, windows } = ledger.state(nowMs, purpose);
  if (left <= 0) return { resumesAtMs };
  if (pausedUntilMs !== null && pausedUntilMs - nowMs > MAX_PAUSE_MS) return { resumesAtMs: pausedUntilMs };
  return { calls: left, lifetimeLimit: windows.find(({ name }) => name === 'total')?.limit ?? null };
}

const QUOTA_VALID_MS = 200;
/** The longest pause that a run waits for. A longer pause ends the run. */
export const MAX_PAUSE_MS = 10 * MINUTE_MS;
