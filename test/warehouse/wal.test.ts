import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { longWal, walBytes } from '../../src/warehouse/wal.ts';
import { openWarehouse, type Warehouse } from '../../src/warehouse/warehouse.ts';
import { START_MS, temporaryFolder } from '../support/loader.ts';

const LIMIT_BYTES = 1_000_000;

function openLimited(): Warehouse {
  const path = join(temporaryFolder(), 'warehouse.db');
  const warehouse = openWarehouse({ path, nowMs: START_MS, walLimitBytes: LIMIT_BYTES });
  onTestFinished(() => warehouse.close());
  return warehouse;
}

/** Makes `times` writes, each in its own transaction. Returns the WAL's largest size. */
function write({ db, write: inTransaction }: Warehouse, times: number, bytes = 20_000): number {
  const set = db.prepare("INSERT OR REPLACE INTO _meta (key, value) VALUES ('attribution', ?)");
  let largest = 0;
  for (let n = 0; n < times; n++) {
    inTransaction(() => set.run(String(n % 10).repeat(bytes)));
    largest = Math.max(largest, walBytes(db));
  }
  return largest;
}

test('a long read makes the WAL larger but blocks no writer, and the writer truncates the WAL afterwards', () => {
  const warehouse = openLimited();
  write(warehouse, 1);
  const reader = new Sqlite(warehouse.path, { readonly: true });
  reader.exec('BEGIN');
  const attribution = () => reader.prepare("SELECT value FROM _meta WHERE key = 'attribution'").pluck().get();
  const before = attribution();
  expect(write(warehouse, 300)).toBeGreaterThan(5 * LIMIT_BYTES);
  expect(attribution()).toBe(before);
  reader.close();
  write(warehouse, 100, 10);
  expect(walBytes(warehouse.db)).toBeLessThanOrEqual(LIMIT_BYTES);
});

test("the WAL's size stays limited even if reads overlap", async () => {
  const warehouse = openLimited();
  const readers = await startReaders(warehouse.path);
  let cuts = 0;
  // Without the monitor, the WAL reaches 200 MB and is never truncated.
  for (let n = 0, before = 0; n < 3000 && cuts < 3; n++) {
    write(warehouse, 2);
    const now = walBytes(warehouse.db);
    if (now < before) cuts += 1;
    before = now;
  }
  expect(cuts).toBe(3);
  expect(readers.exitCode).toBeNull();
});

test('a WAL that stays large causes a warning', () => {
  expect(longWal(LIMIT_BYTES)).toBeNull();
  expect(longWal(1e9)?.cause).toMatch(/1000 MB, because a reader keeps a transaction open/);
});

async function startReaders(path: string): Promise<ChildProcess> {
  const readers = spawn(process.execPath, [join(import.meta.dirname, 'overlapping_readers.ts'), path]);
  onTestFinished(async () => {
    readers.kill('SIGKILL');
    if (readers.exitCode === null && readers.signalCode === null) await once(readers, 'exit');
  });
  await once(readers.stdout, 'data');
  return readers;
}
