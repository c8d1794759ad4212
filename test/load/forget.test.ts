import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { forget } from '../../src/load/forget.ts';
import { reprocess } from '../../src/load/reprocess.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { dumpDerived } from '../support/dump.ts';
import { bench, dialectWith, START_MS, temporaryFolder } from '../support/loader.ts';

const dialect = dialectWith();

function mirrorOfTwo(path = join(temporaryFolder(), 'warehouse.db')) {
  const warehouse = openWarehouse({ path, nowMs: START_MS });
  const lived = bench({ warehouse });
  const { record, search } = lived;
  search('x', {
    total: 2,
    results: [
      { id: 'C1', name: 'Xanthippe Unlimited' },
      { id: 'C2', name: 'Xavier' },
    ],
  });
  record('C1', {
    id: 'C1',
    name: 'Xanthippe Unlimited',
    officers: [{ name: 'Zebulon' }],
    old_names: ['Quixotry'],
  });
  record('C1', {
    id: 'C1',
    name: 'Xanthippe Limited',
    officers: [{ name: 'Zebulon' }],
    old_names: ['Quixotry'],
  });
  record('C1', {
    id: 'C1',
    name: 'Xanthippe Limited',
    officers: [{ name: 'Zebulon' }],
    old_names: ['Quixotry'],
  });
  record('C2', { id: 'C2', name: 'Xavier' });
  record('C1', '<html>Xanthippe</html>');
  return lived;
}

test("a forgotten entity leaves no trace in the tables, the indexes or the file's bytes", () => {
  const { warehouse, all } = mirrorOfTwo();
  expect(forget({ warehouse, dialect, entityId: 'C1', nowMs: START_MS })).toEqual({
    rows: expect.any(Number),
    answers: 1,
  });
  expect(all('SELECT entity_id, state FROM entity_overview')).toEqual([
    { entity_id: 'C2', state: 'fetched' },
  ]);
  expect(all('SELECT entity_id FROM entity_change')).toEqual([]);
  expect(all("SELECT entity_id FROM entity_fts WHERE entity_fts MATCH 'xan'")).toEqual([]);
  expect(all('SELECT known, listed, fetched FROM coverage')).toEqual([{ known: 1, listed: 1, fetched: 1 }]);
  expect(all('SELECT entity_id, forgotten_at FROM _forgotten')).toEqual([
    { entity_id: 'C1', forgotten_at: '2026-03-01T00:00:00.000Z' },
  ]);
  expect(all('SELECT CAST(body AS TEXT) AS body FROM _answer WHERE redacted_at IS NOT NULL')).toEqual([
    { body: '{"total":2,"results":[null,{"id":"C2","name":"Xavier"}]}' },
  ]);
  expect(all('PRAGMA foreign_key_check')).toEqual([]);
  warehouse.db.exec("INSERT INTO entity_fts (entity_fts, rank) VALUES ('integrity-check', 1)");
  warehouse.close();
  const bytes = readFileSync(warehouse.path);
  for (const trace of ['Xanthippe', 'Zebulon', 'Quixotry', 'Quix', 'xanth'])
    expect(bytes.includes(trace), trace).toBe(false);
});

test('a forgotten entity leaves no trace in the files even while the mirror keeps running', () => {
  const { warehouse } = mirrorOfTwo();
  forget({ warehouse, dialect, entityId: 'C1', nowMs: START_MS });
  for (const path of [warehouse.path, `${warehouse.path}-wal`]) {
    const bytes = readFileSync(path);
    for (const trace of ['Xanthippe', 'Zebulon', 'Quixotry', 'xanthippe', 'quixotry', 'xan', 'qui'])
      expect(bytes.includes(trace), `${trace} in ${path}`).toBe(false);
  }
});

test('a listing stays complete after a rebuild even if its response no longer contains a forgotten entity', async () => {
  const { warehouse, all } = mirrorOfTwo();
  const listing = () => all('SELECT text, rows, status FROM _query');
  const before = listing();
  forget({ warehouse, dialect, entityId: 'C1', nowMs: START_MS });
  await reprocess({ warehouse, dialect });
  expect(before).toEqual([{ text: 'x', rows: 2, status: 'complete' }]);
  expect(listing()).toEqual(before);
});

test('a forgotten entity is not loaded again by a search, a fetch or a rebuild', async () => {
  const { warehouse } = mirrorOfTwo();
  forget({ warehouse, dialect, entityId: 'C1', nowMs: START_MS });
  const later = bench({ warehouse });
  const result = later.search('x', {
    total: 2,
    results: [
      { id: 'C1', name: 'Xanthippe' },
      { id: 'C2', name: 'Xavier' },
    ],
  });
  expect(result.rows).toMatchObject([{ entityId: 'C2', name: 'Xavier', isNew: false, changed: false }]);
  expect(result.query).toMatchObject({ rows: 2, status: 'complete' });
  expect(later.record('C1', { id: 'C1', name: 'Xanthippe' }).record).toBeNull();
  const before = dumpDerived(warehouse);
  await reprocess({ warehouse, dialect });
  expect(later.all('SELECT entity_id FROM _known')).toEqual([{ entity_id: 'C2' }]);
  expect(dumpDerived(warehouse).filter((row) => row.includes('C1') && !row.includes('name:'))).toEqual([]);
  expect(before.some((row) => row.includes('Xanthippe'))).toBe(false);
  warehouse.close();
  expect(readFileSync(warehouse.path).includes('Xanthippe')).toBe(false);
});

test('an unknown id can be forgotten in advance', () => {
  const { warehouse, all } = bench();
  forget({ warehouse, dialect, entityId: 'C9', nowMs: START_MS });
  const later = bench({ warehouse });
  later.record('C9', { id: 'C9', name: 'Nobody' });
  later.record('C8', { id: 'C8' });
  expect(all('SELECT entity_id FROM entity')).toEqual([{ entity_id: 'C8' }]);
});
