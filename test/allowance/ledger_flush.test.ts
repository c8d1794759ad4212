import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openLedgerFile } from '../../src/allowance/ledger_file.ts';
import { openFlush } from '../../src/allowance/ledger_flush.ts';
import { temporaryFolder } from '../support/ledger.ts';

/** Values of SQLite's `synchronous` setting. FULL flushes each commit to the disk, and NORMAL flushes none. */
const [NORMAL, FULL] = [1, 2];

function ledgerFile() {
  const db = openLedgerFile(join(temporaryFolder(), 'ledger.db'));
  onTestFinished(() => void db.close());
  return { flush: openFlush(db), synchronous: () => db.pragma('synchronous', { simple: true }) };
}

function ledgerFlushedAt(nowMs: number) {
  const file = ledgerFile();
  file.flush.ifDue(nowMs);
  file.flush.committed(nowMs);
  return file;
}

test('a new ledger file flushes its commits to the disk', () => {
  expect(ledgerFile().synchronous()).toBe(FULL);
});

test('the ledger flushes a commit if the last flush was at least half a second ago', () => {
  const { flush, synchronous } = ledgerFile();
  const commitAt = (nowMs: number) => {
    flush.ifDue(nowMs);
    const used = synchronous();
    flush.committed(nowMs);
    return used;
  };
  expect([1000, 1001, 1499, 1500, 1999, 2000].map(commitAt)).toEqual([
    FULL,
    NORMAL,
    NORMAL,
    FULL,
    NORMAL,
    FULL,
  ]);
});

test('a transaction that spends nothing does not count as a flush', () => {
  const { flush, synchronous } = ledgerFile();
  flush.ifDue(1000);
  flush.ifDue(1001);
  expect(synchronous()).toBe(FULL);
});

test('the ledger flushes the next commit after the clock is set back', () => {
  const { flush, synchronous } = ledgerFlushedAt(1000);
  flush.ifDue(999);
  expect(synchronous()).toBe(FULL);
});

test('the ledger immediately flushes limits that the upstream reports', () => {
  const { flush, synchronous } = ledgerFlushedAt(1000);
  flush.ifDue(1001);
  flush.always();
  expect(synchronous()).toBe(FULL);
});
