import { Ledger, type LedgerState } from '../allowance/ledger.ts';
import { paceOf } from '../allowance/pacing.ts';
import { limitsByProperty } from '../allowance/window_table.ts';
import type { Allowance } from '../allowance/windows.ts';
import type { Clock } from '../clock.ts';
import type { Config } from '../config/config.ts';
import { keyFingerprint } from '../config/credentials.ts';
import { DAY_MS } from '../durations.ts';
import type { Pace } from '../planner.ts';

/**
 * Opens the configured account's ledger. The caller must close it. Without `clock`, the ledger detects no new jump
 * ahead, but still reports an earlier one.
 */
export function openLedgerOf(config: Config, clock?: Clock): Ledger {
  const { ledger: path, account, upstream } = config;
  const isKeyKnown = (upstream.api_key?.problem ?? null) === null;
  return new Ledger({
    path,
    accountId: account.id,
    allowance: allowanceOf(config),
    boot: clock?.boot,
    keyFingerprint: isKeyKnown ? keyFingerprint(upstream) : null,
  });
}

export function allowanceOf({ allowance, account }: Config): Allowance {
  return {
    perMinute: allowance.per_minute,
    ...limitsByProperty(allowance),
    day: allowance.day_starts,
    reserve: allowance.reserve,
    alreadySpent: account.already_spent,
    paceUntilMs: paceUntilMs(allowance.pace_until ?? account.license_ends),
  };
}

/** Returns the budget that must last until the configured end, or null if there is none. */
export function configuredPace(
  config: Config,
  state: Pick<LedgerState, 'windows'>,
  nowMs: number,
): Pace | null {
  return paceOf(state, allowanceOf(config).paceUntilMs ?? null, nowMs);
}

/** The budget lasts until the end of this day (UTC). */
function paceUntilMs(day: string | null): number | null {
  return day === null ? null : Date.parse(`${day}T00:00:00Z`) + DAY_MS;
}
