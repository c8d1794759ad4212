import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isBusy, Ledger, type Spent } from '../../src/allowance/ledger.ts';
import type { Allowance } from '../../src/allowance/windows.ts';

/**
 * A process that spends the whole allowance and prints each slot. It starts when it reads a line, and stops when its
 * standard input closes or the allowance is exhausted.
 */
export interface SpenderOrder {
  readonly path: string;
  readonly allowance: Allowance;
  readonly most: number;
}

const { path, allowance, most } = JSON.parse(process.argv[2] ?? '') as SpenderOrder;
const ledger = new Ledger({ path, accountId: 'main', allowance });
let isStopped = false;
process.stdin.once('end', () => {
  isStopped = true;
});
writeSync(1, 'ready\n');
await new Promise((started) => process.stdin.once('data', started));
while (!isStopped) {
  const spent = spend();
  if (spent?.is === 'spent') break;
  if (spent?.is === 'go') writeSync(1, spent.slots.map(({ atMs }) => `${atMs}\n`).join(''));
  await sleep(spent?.is === 'wait' ? Math.max(1, spent.untilMs - Date.now()) : 1);
}
ledger.close();
process.stdin.destroy();

function spend(): Spent | null {
  try {
    return ledger.spend({ nowMs: Date.now(), most, purpose: 'scheduled', keyFingerprint: 'key' });
  } catch (error) {
    if (isBusy(error)) return null;
    throw error;
  }
}
