import { expect, onTestFinished, test } from 'vitest';
import { type ChangeFilter, MAX_COUNTED, readChanges } from '../../src/warehouse/change_list.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';

const START_MS = Date.UTC(2027, 0, 1);
const HOUR_MS = 3_600_000;
const EVERY: ChangeFilter = { sinceMs: null, path: null, kind: 'all' };

/** A warehouse with one change per hour. Each path is either `path`, or `path = value` if the value is not null. */
function changesOf(paths: readonly string[]) {
  const { db, close } = openWarehouse({ path: ':memory:', nowMs: START_MS });
  onTestFinished(close);
  db.pragma('foreign_keys = OFF');
  const insert = db.prepare(
    `INSERT INTO entity_change (change_id, entity_id, observed_at, path, after, _call_id) VALUES (?, 'C', ?, ?, ?, ?)`,
  );
  db.transaction(() => {
    for (const [at, text] of paths.entries()) {
      const [path = '', value = null] = text.split(' = ');
      const atMs = START_MS + at * HOUR_MS;
      insert.run(at + 1, new Date(atMs).toISOString(), path, value, at + 1);
    }
  })();
  return (filter: Partial<ChangeFilter>, beforeId: number | null = null, most = 3) => {
    const { changes, total } = readChanges(db, { ...EVERY, ...filter }, { beforeId, most });
    return { ids: changes.map(({ changeId }) => changeId), total };
  };
}

test('changes can be filtered by time, field and kind, and are listed latest first', () => {
  const list = changesOf(['/a', '/ab', '/a/0', '/a.b', '_gone_at = 2027', '_gone_at', '/a']);
  expect(list({})).toEqual({ ids: [7, 6, 5], total: 7 });
  expect(list({}, 5)).toEqual({ ids: [4, 3, 2], total: 7 });
  expect(list({ sinceMs: START_MS + 5 * HOUR_MS })).toEqual({ ids: [7, 6], total: 2 });
  expect(list({ path: '/a' })).toEqual({ ids: [7, 4, 3], total: 4 });
  expect(list({ path: '/a' }, 3)).toEqual({ ids: [1], total: 4 });
  expect(list({ kind: 'gone' })).toEqual({ ids: [5], total: 1 });
  expect(list({ kind: 'returned' })).toEqual({ ids: [6], total: 1 });
  expect(list({ kind: 'fields', sinceMs: START_MS + 3 * HOUR_MS })).toEqual({ ids: [7, 4], total: 2 });
});

test('changes are counted only up to a limit', () => {
  const list = changesOf(Array.from({ length: MAX_COUNTED + 5 }, () => '/a'));
  expect(list({})).toEqual({ ids: [10_005, 10_004, 10_003], total: MAX_COUNTED + 1 });
  expect(list({ path: '/a', sinceMs: START_MS }, 3)).toEqual({ ids: [2, 1], total: MAX_COUNTED + 1 });
});
