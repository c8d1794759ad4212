import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { FailedError, UsageError } from '../../src/errors.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { START_MS, temporaryFolder } from '../support/loader.ts';

test('a new warehouse is created with its folder and can be opened again', () => {
  const path = join(temporaryFolder(), 'deep', 'er', 'warehouse.db');
  openWarehouse({ path, nowMs: START_MS }).close();
  const warehouse = openWarehouse({ path, nowMs: START_MS });
  expect(warehouse.db.pragma('journal_mode', { simple: true })).toBe('wal');
  expect(warehouse.db.pragma('foreign_keys', { simple: true })).toBe(1);
  expect(warehouse.db.prepare('SELECT count(*) FROM entity_overview').pluck().get()).toBe(0);
  warehouse.close();
});

test('closing the warehouse empties the WAL', () => {
  const path = join(temporaryFolder(), 'warehouse.db');
  openWarehouse({ path, nowMs: START_MS }).close();
  expect(existsSync(`${path}-wal`)).toBe(false);
});

test('an older program rejects a newer warehouse without changing it', () => {
  const path = join(temporaryFolder(), 'warehouse.db');
  const warehouse = openWarehouse({ path, nowMs: START_MS });
  warehouse.db.exec("INSERT INTO _migration VALUES (999, 'from_the_future', '2030-01-01')");
  warehouse.close();
  const before = readFileSync(path);
  expect(() => openWarehouse({ path, nowMs: START_MS })).toThrow(FailedError);
  expect(() => openWarehouse({ path, readonly: true, nowMs: START_MS })).toThrow(/newer version/);
  expect(readFileSync(path).equals(before)).toBe(true);
});

test("another program's SQLite file is rejected without being changed", () => {
  const path = join(temporaryFolder(), 'other.db');
  const other = new Sqlite(path);
  other.exec('CREATE TABLE recipes (name TEXT)');
  other.close();
  const before = readFileSync(path);
  expect(() => openWarehouse({ path, nowMs: START_MS })).toThrow(UsageError);
  expect(readFileSync(path).equals(before)).toBe(true);
});

test('a file that is not a database is rejected without being changed', () => {
  const path = join(temporaryFolder(), 'notes.txt');
  writeFileSync(
    path,
    'these are my notes, and they are long enough to be read as a header of a database\n'.repeat(20),
  );
  expect(() => openWarehouse({ path, nowMs: START_MS })).toThrow(/not a SQLite file/);
  expect(readFileSync(path, 'utf8')).toMatch(/^these are my notes/);
});

test('a path that is not writable causes an error with a remedy, and nothing is written', () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), '');
  const path = join(folder, 'file', 'warehouse.db');
  const refusal = expectError(() => openWarehouse({ path, nowMs: START_MS }));
  expect(refusal).toBeInstanceOf(UsageError);
  expect(refusal.message).toContain(path);
  expect(refusal.hint).toMatch(/warehouse:/);
});

test('a reader needs an existing warehouse', () => {
  const path = join(temporaryFolder(), 'warehouse.db');
  expect(() => openWarehouse({ path, readonly: true, nowMs: START_MS })).toThrow(/no warehouse at/);
  expect(existsSync(path)).toBe(false);
});

test('a reader cannot write to the warehouse', () => {
  const path = join(temporaryFolder(), 'warehouse.db');
  openWarehouse({ path, nowMs: START_MS }).close();
  const reader = openWarehouse({ path, readonly: true, nowMs: START_MS });
  expect(() => reader.db.exec("INSERT INTO _meta VALUES ('a', 'b')")).toThrow(/readonly/);
  reader.close();
});

function expectError(action: () => unknown): UsageError {
  try {
    action();
  } catch (error) {
    return error as UsageError;
  }
  throw new Error('it did not fail');
}
