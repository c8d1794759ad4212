import { expect, test } from 'vitest';
import { Mapping } from '../../src/dialect/mapping.ts';
import { forget } from '../../src/load/forget.ts';
import { replayQuarantined } from '../../src/load/replay.ts';
import { listQuarantined } from '../../src/warehouse/quarantine.ts';
import type { Warehouse } from '../../src/warehouse/warehouse.ts';
import { bench, dialectWith, resultPage, START_MS } from '../support/loader.ts';

const OTHER_ID = { search: { id: '/number' }, entity: { id: '/number' } };

function openEntries(warehouse: Warehouse) {
  return listQuarantined(warehouse.db, 'open', 100);
}

test('a replayed page adds its companies and keeps newer summaries', () => {
  const { search, warehouse, all } = bench();
  search('a', resultPage({ id: 'C1', number: 'C1', name: 'Old' }, { id: {}, number: 'C2', name: 'Two' }));
  const later = bench({ warehouse, dialect: OTHER_ID });
  later.search('b', resultPage({ number: 'C1', name: 'New' }));
  const entries = openEntries(warehouse);
  const replayed = replayQuarantined({ warehouse, dialect: dialectWith(OTHER_ID), entries });
  expect(replayed).toMatchObject([{ state: 'replayed' }]);
  expect(all('SELECT entity_id, name FROM search_result ORDER BY entity_id')).toEqual([
    { entity_id: 'C1', name: 'New' },
    { entity_id: 'C2', name: 'Two' },
  ]);
});

test('a replayed record gets the same columns as a record that is loaded, with every rule of the mapping', () => {
  const record = { number: 'C1', name: 'A', n: 7, when: '2026-03-01', far: { a: 1, b: 2, c: 3, d: 4 } };
  const mapping = Mapping.parse({
    max_columns: 5,
    entity: { '/n': { column: 'renamed' }, '/when': { drop: true } },
    company: { status: '/far/a' },
  });
  const quarantined = bench();
  quarantined.record('C1', record);
  const { warehouse } = quarantined;
  const entries = openEntries(warehouse);
  replayQuarantined({ warehouse, dialect: dialectWith(OTHER_ID), mapping, entries });
  const loaded = bench({ dialect: OTHER_ID, mapping, limits: { columns: mapping.max_columns } });
  loaded.record('C1', record);
  const [row] = quarantined.all('SELECT * FROM entity');
  expect([row]).toEqual(loaded.all('SELECT * FROM entity'));
  expect(row).toMatchObject({ renamed: 7, _rest: expect.any(String) });
});

test('a replayed record does not replace a newer record', () => {
  const { record, warehouse, all } = bench();
  record('C1', { number: 'C1', name: 'Old' });
  const entries = openEntries(warehouse);
  bench({ warehouse, dialect: OTHER_ID }).record('C1', { number: 'C1', name: 'New' });
  const replayed = replayQuarantined({ warehouse, dialect: dialectWith(OTHER_ID), entries });
  expect(replayed).toMatchObject([{ state: 'superseded' }]);
  expect(all('SELECT name FROM entity')).toEqual([{ name: 'New' }]);
});

test("a rejected row's entry stays open until the row can be read, even if a company on the same page is forgotten", () => {
  const { warehouse, all } = bench();
  forget({ warehouse, dialect: dialectWith(), entityIds: ['C1'], nowMs: START_MS });
  bench({ warehouse }).search(
    'a',
    resultPage(
      { id: 'C1', name: 'Forgotten' },
      { id: {}, number: 'C2', name: 'Two' },
      { id: 'C3', number: 'C3' },
    ),
  );
  const entries = openEntries(warehouse);
  expect(replayQuarantined({ warehouse, dialect: dialectWith(), entries })).toMatchObject([
    { state: 'open' },
  ]);
  const replayed = replayQuarantined({ warehouse, dialect: dialectWith(OTHER_ID), entries });
  expect(replayed).toMatchObject([{ state: 'replayed' }]);
  expect(all('SELECT entity_id FROM search_result ORDER BY entity_id')).toEqual([
    { entity_id: 'C2' },
    { entity_id: 'C3' },
  ]);
});
