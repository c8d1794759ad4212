import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Mapping } from '../../src/dialect/mapping.ts';
import { reprocess } from '../../src/load/reprocess.ts';
import { companyLists } from '../../src/warehouse/company_views.ts';
import { columnsOf, tableRows } from '../../src/warehouse/export/rowset.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { bench, dialectWith, resultPage, START_MS, temporaryFolder } from '../support/loader.ts';

const OFFICERS = 'SELECT entity_id, name, _source FROM company__officers ORDER BY entity_id, position';

describe('the view company__officers', () => {
  test('a view of a list has the elements of records, and of summaries without a record', () => {
    const { search, record, all } = bench();
    search(
      'a',
      resultPage(
        { id: 'C1', name: 'Listed', officers: [{ name: 'Ann' }, { name: 'Bo' }] },
        { id: 'C2', name: 'Fetched', officers: [{ name: 'Old' }] },
        { id: 'C3', name: 'Gone', officers: [{ name: 'Gil' }] },
      ),
    );
    record('C2', { id: 'C2', name: 'Fetched', officers: [{ name: 'New', born: 1970 }] });
    record('C3', { id: 'C3', name: 'Gone', class: 'Deleted' });
    expect(all(OFFICERS)).toEqual([
      { entity_id: 'C1', name: 'Ann', _source: 'summary' },
      { entity_id: 'C1', name: 'Bo', _source: 'summary' },
      { entity_id: 'C2', name: 'New', _source: 'record' },
    ]);
    expect(all('SELECT born FROM company__officers ORDER BY entity_id, position')).toEqual([
      { born: null },
      { born: null },
      { born: 1970 },
    ]);
  });

  test('a view of a list has the elements of summaries if records never contain the list', () => {
    const { search, record, all } = bench();
    search('a', resultPage({ id: 'C1', name: 'Acme', officers: [{ name: 'Ann' }] }));
    record('C1', { id: 'C1', name: 'Acme' });
    expect(all(OFFICERS)).toEqual([{ entity_id: 'C1', name: 'Ann', _source: 'summary' }]);
  });

  test('a view of a list follows its columns, also when reprocess drops them', async () => {
    const { record, warehouse, all } = bench();
    record('C1', { id: 'C1', name: 'Acme', officers: [{ name: 'Ann' }], tags: ['x'] });
    record('C2', { id: 'C2', name: 'Beta', officers: [{ name: 'Bo', role: 'chair' }] });
    expect(all('SELECT role FROM company__officers ORDER BY entity_id')).toEqual([
      { role: null },
      { role: 'chair' },
    ]);
    expect(all('SELECT value FROM company__tags')).toEqual([{ value: 'x' }]);
    const mapping = Mapping.parse({
      entity: { '/officers/*/role': { drop: true }, '/tags': { drop: true } },
    });
    await reprocess({ warehouse, dialect: dialectWith(), mapping });
    expect(all(OFFICERS)).toHaveLength(2);
    expect(all("SELECT name FROM pragma_table_info('company__officers') WHERE name = 'role'")).toEqual([]);
    expect(all("SELECT name FROM sqlite_schema WHERE name = 'company__tags'")).toEqual([]);
  });

  test("a view of a list does not replace an analyst's own view of the same name", () => {
    const path = join(temporaryFolder(), 'warehouse.db');
    const first = openWarehouse({ path, nowMs: START_MS });
    first.db.exec('CREATE VIEW company__officers AS SELECT 1 AS own');
    bench({ warehouse: first }).record('C1', { id: 'C1', officers: [{ name: 'Ann' }] });
    expect(first.db.prepare('SELECT * FROM company__officers').all()).toEqual([{ own: 1 }]);
    first.close();
  });

  test('a view of a list is exported with the types of its tables', () => {
    const { search, record, warehouse } = bench();
    search('a', resultPage({ id: 'C1', name: 'Acme', officers: [{ name: 'Ann', since: 'May' }] }));
    record('C2', { id: 'C2', name: 'Beta', officers: [{ name: 'Bo', since: 2001, born: 1970 }] });
    const kinds = Object.fromEntries(
      columnsOf(warehouse.db, 'company__officers').map(({ name, kind }) => [name, kind]),
    );
    expect(kinds).toEqual({
      entity_id: 'text',
      position: 'integer',
      name: 'text',
      since: 'mixed',
      born: 'integer',
      _source: 'text',
      _call_id: 'integer',
    });
    expect([...tableRows(warehouse.db, 'company__officers').rows]).toHaveLength(2);
    expect(companyLists(warehouse.db)).toEqual([
      { view: 'company__officers', record: 'entity__officers', summary: 'search_result__officers' },
    ]);
  });
});
