import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  type Ledger,
  type LedgerState,
  openLedger,
  type Spending,
  type Spent,
} from '../../src/allowance/ledger.ts';
import type { Allowance } from '../../src/allowance/windows.ts';

/** No limit at all, but for the changes. */
export function allowanceOf(changes: Partial<Allowance>): Allowance {
  return {
    perMinute: null,
    total: null,
    perDay: null,
    perMonth: null,
    day: { kind: 'fixed', minuteOfDay: 0, timeZone: 'UTC' },
    reserve: 0,
    alreadySpent: 0,
    ...changes,
  };
}

/** What a ledger says of an account without limits that has spent nothing. */
export const UNLIMITED: LedgerState = {
  windows: [],
  left: Infinity,
  resumesAtMs: null,
  pausedUntilMs: null,
  exhausted: null,
  refusedKey: null,
  spentEver: 0,
  clockDoubt: null,
};

export const KEY = 'fingerprint-of-a-key';

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A ledger in a file of its own, closed with the test. */
export function ledgerOf(
  changes: Partial<Allowance> = {},
  { path = join(temporaryFolder(), 'ledger.db'), accountId = 'main' } = {},
): Ledger & { readonly path: string } {
  const ledger = openLedger({ path, accountId, allowance: allowanceOf(changes) });
  onTestFinished(() => ledger.close());
  return { ...ledger, path };
}

/** Asks for slots at a moment. */
export function spendAt(ledger: Ledger, nowMs: number, changes: Partial<Spending> = {}): Spent {
  return ledger.spend({ nowMs, most: 1, purpose: 'scheduled', keyFingerprint: KEY, ...changes });
}

/** Spends at a moment until nothing more can be had then; answers how many calls that were. */
export function spendAll(ledger: Ledger, nowMs: number, changes: Partial<Spending> = {}): number {
  for (let calls = 0; ; ) {
    const spent = spendAt(ledger, nowMs, { most: 1000, ...changes });
    if (spent.is !== 'go') return calls;
    calls += spent.slots.length;
  }
}
