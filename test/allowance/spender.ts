import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isBusy, openLedger, type Spent } from '../../src/allowance/ledger.ts';
import type { Allowance } from '../../src/allowance/windows.ts';

/** The order of a process that spends all it can, prints each slot, and ends when the allowance is exhausted. */
export interface SpenderOrder {
  readonly path: string;
  readonly allowance: Allowance;
  readonly most: number;
  readonly untilMs: number;
}

const { path, allowance, most, untilMs } = JSON.parse(process.argv[2] ?? '') as SpenderOrder;
const ledger = openLedger({ path, accountId: 'main', allowance });
writeSync(1, 'ready\n');
while (Date.now() < untilMs) {
  const spent = spend();
  if (spent?.is === 'spent') break;
  if (spent?.is === 'go') writeSync(1, spent.slots.map(({ atMs }) => `${atMs}\n`).join(''));
  await sleep(spent?.is === 'wait' ? Math.max(1, spent.untilMs - Date.now()) : 1);
}
ledger.close();

function spend(): Spent | null {
  try {
    return ledger.spend({ nowMs: Date.now(), most, purpose: 'scheduled', keyFingerprint: 'key' });
  } catch (error) {
    if (isBusy(error)) return null;
    throw error;
  }
}
