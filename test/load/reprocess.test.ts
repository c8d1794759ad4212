import { expect, test } from 'vitest';
import { classify } from '../../src/dialect/classify.ts';
import { Mapping } from '../../src/dialect/mapping.ts';
import { reprocess } from '../../src/load/reprocess.ts';
import { lastVersion } from '../../src/warehouse/feed/versions.ts';
import { metaTable } from '../../src/warehouse/meta.ts';
import { setQuarantineState } from '../../src/warehouse/quarantine.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { dumpDerived } from '../support/dump.ts';
import { type Bench, bench, dialectWith, entityCall, resultPage, START_MS } from '../support/loader.ts';

/** A history with listings, records, changes, drift, failures, quarantine, deletions and a company's return. */
function withHistory(options: Parameters<typeof bench>[0] = {}): Bench {
  const lived = bench(options);
  const { record, search, stats, fail } = lived;
  stats({ companies: 3, by: { active: 2 } });
  search('a', {
    total: 3,
    results: [
      { id: 'C1', name: 'A#2', tags: ['x'] },
      { id: 'C2', name: 'B' },
    ],
  });
  search('a', { total: 3, results: [{ id: 'C3', name: 'C' }, { no: 'id' }] }, { page: 1 });
  search('a#1', { total: 0, results: [] });
  search('long', { error: 'too long' }, { status: 400 });
  record('C1', {
    id: 'C1',
    name: 'A',
    n: 1,
    officers: [{ name: 'Ann', at: [{ street: 'x' }] }],
    old_names: ['Z'],
  });
  record('C1', { id: 'C1', name: 'A', n: '1', officers: [{ name: 'Bob', at: [] }] });
  record('C1', { id: 'C1', name: 'A', n: '1', officers: [{ name: 'Bob', at: [] }], queried_at: 'now' });
  record('C2', 'garbage');
  record('C2', { id: 'C2', name: 'B', _x: true });
  fail(entityCall('C3'), { is: 'broken', why: 'reset' });
  record('C2', { error: 'NOT_FOUND' }, 404);
  record('NEVER', { error: 'NOT_FOUND' }, 404);
  record('C2', { id: 'C2', name: 'B is back' });
  record('C3', { id: 'C3', class: 'Deleted', left: '2026-01-01' });
  search('a', resultPage({ id: 'C1', name: 'A plc' }, { id: 'C2', name: 'B is back' }));
  record('C4', { error: 'rate limit' }, 429);
  record('C5', { unreadable: true });
  return lived;
}

test('a second rebuild, after new responses, also produces the same tables', async () => {
  const { warehouse, all, reopen } = withHistory();
  await reprocess({ warehouse, dialect: dialectWith() });
  const { record, search } = reopen();
  record('C6', { id: 'C6', name: 'Late', fresh: 1, officers: [{ name: 'Eve', at: [{ street: 'y' }] }] });
  search('late', resultPage({ id: 'C6', name: 'Late' }));
  const before = dumpDerived(warehouse);
  await reprocess({ warehouse, dialect: dialectWith() });
  expect(dumpDerived(warehouse)).toEqual(before);
  expect(all("SELECT entity_id FROM entity_fts WHERE entity_fts MATCH 'late'")).toEqual([
    { entity_id: 'C6' },
  ]);
  const plans = all(
    'EXPLAIN QUERY PLAN SELECT * FROM _company WHERE flagged_at IS NOT NULL ORDER BY rate_class, flagged_at',
  );
  expect(plans).toMatchObject([{ detail: expect.stringContaining('USING INDEX _company_flagged') }]);
});

test('a rebuild with a corrected dialect loads a quarantined record without making a call', async () => {
  const lived = bench({ dialect: { entity: { id: '/wrong' } } });
  lived.record('C1', { id: 'C1', name: 'A' });
  expect(lived.all('SELECT state FROM _quarantine')).toEqual([{ state: 'open' }]);
  await reprocess({ warehouse: lived.warehouse, dialect: dialectWith() });
  expect(lived.all('SELECT * FROM _quarantine')).toEqual([]);
  expect(lived.all('SELECT entity_id, name FROM entity')).toEqual([{ entity_id: 'C1', name: 'A' }]);
  expect(lived.all('SELECT * FROM _failure')).toEqual([]);
});

test('readers see the old tables until an interrupted rebuild has been resumed and completed', async () => {
  const { warehouse } = withHistory();
  const before = dumpDerived(warehouse);
  const stop = new AbortController();
  stop.abort();
  const mapping = Mapping.parse({ entity: { '/name': { column: 'title' } } });
  expect(await reprocess({ warehouse, dialect: dialectWith(), mapping, signal: stop.signal })).toEqual({
    isWhole: false,
    calls: 0,
  });
  const reader = openWarehouse({ path: warehouse.path, readonly: true, nowMs: START_MS });
  expect(dumpDerived(reader)).toEqual(before);
  expect((await reprocess({ warehouse, dialect: dialectWith(), mapping })).isWhole).toBe(true);
  expect(reader.db.prepare('SELECT title FROM entity WHERE entity_id = ?').pluck().get('C1')).toBe('A');
  reader.close();
});

test('a rebuild without differences writes no row', async () => {
  const { warehouse } = withHistory();
  const before = lastVersion(warehouse.db);
  const changes = () => warehouse.db.prepare('SELECT total_changes()').pluck().get() as number;
  const writtenBefore = changes();
  await reprocess({ warehouse, dialect: dialectWith() });
  expect(changes() - writtenBefore).toBeLessThanOrEqual(2);
  expect(lastVersion(warehouse.db)).toBe(before);
});

test("a column that a mapping drops leaves the table, although a user's view reads it", async () => {
  const { warehouse, all } = withHistory();
  warehouse.db.exec('CREATE VIEW mine AS SELECT name FROM entity');
  const mapping = Mapping.parse({ entity: { '/name': { column: 'title' } } });
  await reprocess({ warehouse, dialect: dialectWith(), mapping });
  expect(all("SELECT name FROM pragma_table_info('entity') WHERE name IN ('name', 'title')")).toEqual([
    { name: 'title' },
  ]);
  expect(all('SELECT title FROM entity WHERE title IS NOT NULL ORDER BY title')).toEqual([
    { title: 'A' },
    { title: 'B is back' },
  ]);
});

test('a rebuild fails if responses have been pruned', async () => {
  const { warehouse } = withHistory();
  const before = dumpDerived(warehouse);
  metaTable(warehouse.db).set('pruned_until', '2026-02-01T00:00:00.000Z');
  await expect(reprocess({ warehouse, dialect: dialectWith() })).rejects.toThrow(/were pruned/);
  expect(dumpDerived(warehouse)).toEqual(before);
});

test("a rebuild reads each body in its own response's character set", async () => {
  const { outcome, load, warehouse, all } = bench();
  const body = Buffer.from('{"id":"C1","name":"Ångström"}', 'latin1');
  const headers = { 'content-type': 'application/json; charset=iso-8859-1' };
  const received = outcome(entityCall('C1'), body);
  const verdict = classify(
    dialectWith(),
    received.call,
    { status: 200, headers, body },
    { nowMs: START_MS, keyHasWorked: true },
  );
  load([{ ...received, headers, verdict }]);
  await reprocess({ warehouse, dialect: dialectWith() });
  expect(all('SELECT name FROM entity')).toEqual([{ name: 'Ångström' }]);
});

test("a rebuild that replaces a table keeps the user's indexes on columns that still exist", async () => {
  const { warehouse, all } = withHistory();
  warehouse.db.exec('CREATE INDEX mine ON entity (n); CREATE INDEX outdated ON entity (name)');
  const mapping = Mapping.parse({ entity: { '/name': { column: 'title' }, '/n': { index: true } } });
  await reprocess({ warehouse, dialect: dialectWith(), mapping });
  expect(
    all("SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'entity' AND sql IS NOT NULL"),
  ).toEqual([{ name: 'entity__n__index_0' }, { name: 'mine' }]);
  expect(all('PRAGMA foreign_key_check')).toEqual([]);
  expect(warehouse.db.pragma('foreign_keys', { simple: true })).toBe(1);
});

test('a response that the user discarded from quarantine stays discarded after a rebuild', async () => {
  const { record, warehouse, all } = bench();
  record('C1', 'not json');
  record('C2', 'not json');
  setQuarantineState(warehouse.db, 1, 'discarded');
  await reprocess({ warehouse, dialect: dialectWith() });
  expect(all('SELECT target, state FROM _quarantine ORDER BY target')).toEqual([
    { target: 'C1', state: 'discarded' },
    { target: 'C2', state: 'open' },
  ]);
});
