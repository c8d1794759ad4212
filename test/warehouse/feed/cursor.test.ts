import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changesAfter, MOST_ROWS, wholeFeedAt } from '../../../src/warehouse/feed/changes.ts';
import { currentCursor, cursorOf, readCursor } from '../../../src/warehouse/feed/feed_page.ts';
import { openWarehouse } from '../../../src/warehouse/warehouse.ts';
import { bench, START_MS, temporaryFolder } from '../../support/loader.ts';

test('a cursor from another warehouse is rejected', () => {
  const [ours, other] = [bench(), bench()];
  for (const { record } of [ours, other]) record('C1', { id: 'C1', name: 'A' });
  expect(() => readCursor(ours.warehouse.db, currentCursor(other.warehouse.db))).toThrow(
    /does not belong to this warehouse/,
  );
  for (const text of ['', '1', 'x', '-1', '9007199254740993-000000000000'])
    expect(() => readCursor(ours.warehouse.db, text)).toThrow(/does not belong to this warehouse/);
});

test('a restored warehouse accepts cursors older than the backup and rejects later ones', () => {
  const path = join(temporaryFolder(), 'warehouse.db');
  const copy = `${path}.copy`;
  const original = openWarehouse({ path, nowMs: START_MS });
  const { record } = bench({ warehouse: original });
  record('C1', { id: 'C1', name: 'A' });
  const before = currentCursor(original.db);
  original.db.pragma('wal_checkpoint(TRUNCATE)');
  copyFileSync(path, copy);
  record('C2', { id: 'C2', name: 'B' });
  const after = currentCursor(original.db);
  original.close();

  const restored = openWarehouse({ path: copy, nowMs: START_MS });
  expect(readCursor(restored.db, before)).toMatchObject({ version: expect.any(Number) });
  expect(() => readCursor(restored.db, after)).toThrow(/start with the cursor 0|restored/);
  bench({ warehouse: restored }).record('C3', { id: 'C3', name: 'C', tags: [1, 2] });
  expect(() => readCursor(restored.db, after)).toThrow(/restored/);
  expect([...changesAfter(restored.db, readCursor(restored.db, before))].map(({ key }) => key[0])).toEqual([
    'C3',
    'C3',
    'C3',
    'C3',
  ]);
  restored.close();
});

test('a cursor from the middle of a feed records the version at which the consumer last had the whole feed', () => {
  const { record, warehouse } = bench();
  record('C1', { id: 'C1', name: 'A' });
  const applied = { version: MOST_ROWS + 1, wholeAt: 0 };
  expect(readCursor(warehouse.db, cursorOf(warehouse.db, applied))).toEqual(applied);
  expect(readCursor(warehouse.db, '0')).toEqual({ version: 0, wholeAt: 0 });
});

test('a cursor of an earlier version resumes where its consumer last had the whole feed', () => {
  const { record, warehouse } = bench();
  for (const id of ['C1', 'C2', 'C3']) record(id, { id });
  const [last = '', session] = currentCursor(warehouse.db).split('-');
  expect(readCursor(warehouse.db, `${last}-${session}-1`)).toEqual(wholeFeedAt(1));
});
