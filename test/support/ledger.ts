import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  Ledger,
  type LedgerOptions,
  type LedgerState,
  type Spending,
  type Spent,
} from '../../src/allowance/ledger.ts';
import type { Allowance } from '../../src/allowance/windows.ts';
import { NO_LIMITS } from './no_limits.ts';
import { temporaryFolder } from './temporary_folder.ts';

/** An allowance whose only limits are those in `changes`. */
export function allowanceOf(changes: Partial<Allowance>): Allowance {
  return {
    perMinute: null,
    ...NO_LIMITS,
    day: { kind: 'fixed', minuteOfDay: 0, timeZone: 'UTC' },
    reserve: 0,
    alreadySpent: 0,
    ...changes,
  };
}

/** The state of an account without limits that has made no calls. */
export const UNLIMITED: LedgerState = {
  windows: [],
  left: Infinity,
  resumesAtMs: null,
  pausedUntilMs: null,
  exhausted: null,
  reported: null,
  acceptedSpacingMs: 0,
  refusedKey: null,
  spentEver: 0,
  clockFault: null,
};

export const KEY = 'fingerprint-of-a-key';

/** Opens a ledger in its own file, and closes it when the test ends. */
export function ledgerOf(
  changes: Partial<Allowance> = {},
  {
    path = join(temporaryFolder(), 'ledger.db'),
    accountId = 'main',
    ...others
  }: Partial<Omit<LedgerOptions, 'allowance'>> = {},
): Ledger & { readonly path: string } {
  const ledger = new Ledger({ path, accountId, allowance: allowanceOf(changes), ...others });
  onTestFinished(() => ledger.close());
  return Object.assign(ledger, { path });
}

/** Requests slots at `nowMs`. The default is one slot. */
export function spendAt(ledger: Ledger, nowMs: number, changes: Partial<Spending> = {}): Spent {
  return ledger.spend({ nowMs, most: 1, purpose: 'scheduled', keyFingerprint: KEY, ...changes });
}

/** Spends every slot that is free at `nowMs`, and returns how many calls it made. */
export function spendAll(ledger: Ledger, nowMs: number, changes: Partial<Spending> = {}): number {
  for (let calls = 0; ; ) {
    const spent = spendAt(ledger, nowMs, { most: 1000, ...changes });
    if (spent.is !== 'go') return calls;
    calls += spent.slots.length;
  }
}
