import { statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reprocess } from '../../src/load/reprocess.ts';
import { pruneAnswers, vacuum } from '../../src/warehouse/retention.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { dumpDerived } from '../support/dump.ts';
import { bench, dialectWith, START_MS } from '../support/loader.ts';

const DAY_MS = 86_400_000;

function old() {
  const lived = bench();
  const { record, search, stats } = lived;
  for (const n of [1, 2, 3, 4]) record('C1', { id: 'C1', n });
  record('C1', { id: 'C1', n: 4 });
  record('C2', { id: 'C2', n: 1 });
  record('C2', { id: 'C2', class: 'Deleted' });
  search('a', { total: 1, results: [{ id: 'C1', name: 'A' }] });
  search('a', { total: 1, results: [{ id: 'C1', name: 'B' }] });
  stats({ companies: 1 });
  stats({ companies: 2 });
  record('C3', 'unreadable');
  record('C1', { error: 'busy' }, 500);
  return lived;
}

test('replaced responses are deleted when they are old, and the latest responses remain', () => {
  const { warehouse, all } = old();
  const before = dumpDerived(warehouse);
  const rules = { maxAgeMs: DAY_MS, versions: 1 };
  expect(pruneAnswers(warehouse.db, rules, START_MS + 1000).answers).toBe(0);
  expect(pruneAnswers(warehouse.db, rules, START_MS + 10 * DAY_MS)).toEqual({
    answers: 7,
    bytes: expect.any(Number),
  });
  expect(
    all('SELECT kind, target, CAST(body AS TEXT) AS body FROM _answer JOIN _call USING (call_id)'),
  ).toEqual([
    { kind: 'entity', target: 'C1', body: '{"id":"C1","n":4}' },
    { kind: 'entity', target: 'C2', body: '{"id":"C2","n":1}' },
    { kind: 'entity', target: 'C2', body: '{"id":"C2","class":"Deleted"}' },
    { kind: 'search', target: 'name:a', body: '{"total":1,"results":[{"id":"C1","name":"B"}]}' },
    { kind: 'stats', target: '', body: '{"companies":2}' },
    { kind: 'entity', target: 'C3', body: 'unreadable' },
  ]);
  expect(dumpDerived(warehouse)).toEqual(before);
});

test('the configured number of record versions is kept, whatever their age', () => {
  const { warehouse, all } = old();
  pruneAnswers(warehouse.db, { maxAgeMs: DAY_MS, versions: 3 }, START_MS + 10 * DAY_MS);
  expect(all("SELECT document FROM entity_history WHERE entity_id = 'C1'")).toEqual([
    { document: '{"id":"C1","n":2}' },
    { document: '{"id":"C1","n":3}' },
    { document: '{"id":"C1","n":4}' },
  ]);
});

test('once responses have been deleted, loading still works but a rebuild is rejected', async () => {
  const { warehouse, record } = old();
  pruneAnswers(warehouse.db, { maxAgeMs: DAY_MS, versions: 1 }, START_MS + 10 * DAY_MS);
  expect(record('C1', { id: 'C1', n: 4 }).record).toEqual({ isNew: false, changed: false });
  expect(record('C1', { id: 'C1', n: 5 }).record).toEqual({ isNew: false, changed: true });
  expect(record('C2', { id: 'C2', n: 2 }).record).toMatchObject({ changed: true });
  await expect(reprocess({ warehouse, dialect: dialectWith() })).rejects.toThrow(/pruned/);
});

test('compacting makes the file smaller while readers continue', () => {
  const { warehouse, record, all } = bench();
  for (let n = 0; n < 50; n++) record('C1', { id: 'C1', n, long: 'x'.repeat(10_000) });
  const reader = openWarehouse({ path: warehouse.path, readonly: true, nowMs: START_MS });
  const count = () => reader.db.prepare('SELECT count(*) FROM _call').pluck().get();
  expect(count()).toBe(50);
  warehouse.db.pragma('wal_checkpoint(TRUNCATE)');
  const before = statSync(warehouse.path).size;
  pruneAnswers(warehouse.db, { maxAgeMs: 0, versions: 1 }, START_MS + DAY_MS);
  vacuum(warehouse.db);
  expect(statSync(warehouse.path).size).toBeLessThan(before * 0.6);
  expect(count()).toBe(50);
  expect(all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  reader.close();
});

test('search pages are compressed and read back unchanged', () => {
  const { search, all, warehouse } = bench();
  const body = JSON.stringify({
    total: 200,
    results: Array.from({ length: 200 }, (_, n) => ({ id: `C${n}`, name: `Company ${n}` })),
  });
  search('c', body);
  const [{ encoding, size } = {}] = all('SELECT encoding, length(body) AS size FROM _answer');
  expect(encoding).toBe('zstd');
  expect(Number(size)).toBeLessThan(body.length / 3);
  search('c', body);
  expect(all('SELECT same_as FROM _answer')).toEqual([{ same_as: null }, { same_as: 1 }]);
  expect(warehouse.db.prepare('SELECT count(*) FROM _known').pluck().get()).toBe(200);
});
