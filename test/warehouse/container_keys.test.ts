import { expect, test } from 'vitest';
import { reprocess } from '../../src/load/reprocess.ts';
import { type Bench, bench, dialectWith } from '../support/loader.ts';

const DOCUMENT = {
  type: 'records',
  id: 'C1',
  attributes: {
    type: 'company',
    entity: { legalName: { name: 'Alpha', language: 'en' }, otherNames: [{ entity: { name: 'Beta' } }] },
    registration: { status: 'ISSUED' },
    _rank: 1,
    entity_id: 'X',
  },
  name: 'Alpha',
};

function payloadColumns({ all }: Bench, table: string): Record<string, string> {
  const rows = all(
    'SELECT path, column_name AS name FROM _column WHERE table_name = ? AND column_name IS NOT NULL',
    table,
  );
  return Object.fromEntries(rows.map(({ path, name }) => [path, name]));
}

test('column and table names omit containers if the shorter name is unambiguous', () => {
  const loaded = bench();
  loaded.record('C1', DOCUMENT);
  expect(payloadColumns(loaded, 'entity')).toEqual({
    '/type': 'type',
    '/id': 'id',
    '/attributes/type': 'attributes__type',
    '/attributes/entity/legalName/name': 'legal_name__name',
    '/attributes/entity/legalName/language': 'legal_name__language',
    '/attributes/registration/status': 'registration__status',
    '/attributes/_rank': 'attributes__rank',
    '/attributes/entity_id': 'attributes__entity_id',
    '/name': 'name',
  });
  expect(payloadColumns(loaded, 'entity__other_names')).toEqual({ '/entity/name': 'entity__name' });
});

test('a field outside a container keeps its name if it follows the container in the record', () => {
  const loaded = bench();
  loaded.record('C1', { id: 'C1', company: { status: 'a', officers: [1] }, status: 'b', officers: [2] });
  expect(payloadColumns(loaded, 'entity')).toEqual({
    '/id': 'id',
    '/company/status': 'company__status',
    '/status': 'status',
  });
  expect(loaded.all('SELECT value FROM entity__officers')).toEqual([{ value: 2 }]);
  expect(loaded.all('SELECT value FROM entity__company__officers')).toEqual([{ value: 1 }]);
});

test('a warehouse keeps names that include containers, even in a rebuild', async () => {
  const older = bench();
  older.record('C1', { id: 'C1', attributes: { city: 'Oslo' } });
  older.warehouse.db.exec(`ALTER TABLE entity RENAME COLUMN city TO attributes__city;
    UPDATE _column SET column_name = 'attributes__city' WHERE column_name = 'city'`);
  const { record, all } = older.reopen();
  record('C1', { id: 'C1', attributes: { city: 'Bergen', form: 'AS' } });
  const expected = [{ attributes__city: 'Bergen', form: 'AS' }];
  expect(all('SELECT attributes__city, form FROM entity')).toEqual(expected);
  await reprocess({ warehouse: older.warehouse, dialect: dialectWith() });
  expect(all('SELECT attributes__city, form FROM entity')).toEqual(expected);
});
