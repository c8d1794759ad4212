import { type Ledger, openLedger } from '../allowance/ledger.ts';
import { limitsByProperty } from '../allowance/window_table.ts';
import type { Allowance, DayStart } from '../allowance/windows.ts';
import type { Clock } from '../clock.ts';
import type { Config, DayStart as ConfiguredDay } from '../config/config.ts';

/**
 * Opens the configured account's ledger. The caller must close it. Without `clock`, the ledger detects no new jump
 * ahead, but still reports an earlier one.
 */
export function openLedgerOf(config: Config, clock?: Clock): Ledger {
  const { ledger: path, account } = config;
  return openLedger({ path, accountId: account.id, allowance: allowanceOf(config), boot: clock?.boot });
}

export function allowanceOf({ allowance, account }: Config): Allowance {
  return {
    perMinute: allowance.per_minute,
    ...limitsByProperty(allowance),
    day: dayStartOf(allowance.day_starts),
    reserve: allowance.reserve,
    alreadySpent: account.already_spent,
  };
}

function dayStartOf(day: ConfiguredDay): DayStart {
  if (day.rolling) return { kind: 'rolling' };
  return { kind: 'fixed', minuteOfDay: day.hour * 60 + day.minute, timeZone: day.timezone };
}
