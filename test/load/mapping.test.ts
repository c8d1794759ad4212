import { describe, expect, test } from 'vitest';
import { DEFAULT_MAPPING, Mapping } from '../../src/dialect/mapping.ts';
import { textRole } from '../../src/warehouse/payload_role.ts';
import { settleMapping } from '../../src/warehouse/settled_mapping.ts';
import { bench } from '../support/loader.ts';

test('a mapping renames, drops, converts and indexes columns', () => {
  const mapping = Mapping.parse({
    entity: {
      '/companyNumber': { column: 'number', type: 'integer', index: true },
      '/links': { drop: true },
      '/incorporated': { type: 'date', format: 'DD/MM/YYYY' },
      '/active': { type: 'boolean' },
      '/officers/*/born': { column: 'birth_year', type: 'text' },
    },
  });
  const { record, all } = bench({ mapping });
  record('C1', {
    id: 'C1',
    companyNumber: '0034',
    links: { self: '/C1', others: ['/a'] },
    incorporated: '31/12/1999',
    active: 'Y',
    officers: [{ name: 'Ann', born: 1960 }],
  });
  record('C2', { id: 'C2', companyNumber: 'none', incorporated: '31/02/1999' });
  expect(all('SELECT id, number, incorporated, active FROM entity')).toEqual([
    { id: 'C1', number: 34, incorporated: '1999-12-31', active: 1 },
    { id: 'C2', number: 'none', incorporated: '31/02/1999', active: null },
  ]);
  expect(all("SELECT name FROM pragma_table_info('entity') WHERE name LIKE '%link%'")).toEqual([]);
  expect(all('SELECT birth_year, typeof(birth_year) AS type FROM entity__officers')).toEqual([
    { birth_year: '1960', type: 'text' },
  ]);
  expect(all('EXPLAIN QUERY PLAN SELECT * FROM entity WHERE number = 34')).toMatchObject([
    { detail: expect.stringContaining('USING INDEX') },
  ]);
});

test('a warehouse with rows keeps the mapping that created them', () => {
  const first = bench();
  first.record('C1', { id: 'C1', a: 1 });
  const changed = Mapping.parse({ entity: { '/b': { column: 'c' } } });
  expect(settleMapping(first.warehouse.db, changed)).toEqual(DEFAULT_MAPPING);
  const second = bench({ warehouse: first.warehouse, mapping: changed });
  second.record('C2', { id: 'C2', b: 2 });
  expect(second.all('SELECT b FROM entity')).toEqual([{ b: null }, { b: 2 }]);
});

describe('date formats', () => {
  test.each([
    ['D.M.YYYY', '1.2.2003', '2003-02-01'],
    ['YYYYMMDD', '20030201', '2003-02-01'],
    ['MM/DD/YYYY', '02/01/2003', '2003-02-01'],
    ['epoch', '1044057600', '2003-02-01T00:00:00.000Z'],
    ['epoch_ms', '1044057600000', '2003-02-01T00:00:00.000Z'],
    ['DD/MM/YYYY', '2003-02-01', '2003-02-01'],
    ['DD/MM/YYYY', 'unknown', 'unknown'],
  ])('the date format %s parses %s as %s', (format, text, date) => {
    const { record, value } = bench({
      mapping: Mapping.parse({ entity: { '/on': { type: 'date', format } } }),
    });
    record('C1', { id: 'C1', on: text });
    expect(value('SELECT "on" FROM entity')).toBe(date);
  });
});

describe('text in the search index', () => {
  const mapping = Mapping.parse({});
  test.each([
    [['previous_company_names', '*', 'name'], 'former_name'],
    [['previous_company_names', '*', 'ceased_on'], null],
    [['historiskeNavn', '*', 'navn'], 'former_name'],
    [['aliases', '*'], 'former_name'],
    [['formerName'], 'former_name'],
    [['entity', 'otherNames', '*', 'name'], 'former_name'],
    [['officers', '*', 'former_names', '*'], 'former_name'],
    [['name'], null],
    [['organisasjonsnummer'], 'identifier'],
    [['company_number'], 'identifier'],
    [['lei'], 'identifier'],
    [['entity', 'registeredAs'], 'identifier'],
    [['vatNumber'], 'identifier'],
    [['phone_number'], null],
    [['address', 'house_number'], null],
    [['officers', '*', 'id'], null],
    [['status'], null],
  ] as const)('the field %j has the role %s', (keys, role) => {
    expect(textRole(keys, mapping)).toBe(role);
  });

  test('the full-text index finds a record by its current list of former names and identifiers', () => {
    const { record, all, warehouse } = bench();
    const found = (text: string) =>
      all('SELECT entity_id FROM entity_fts WHERE entity_fts MATCH ?', `"${text}"`);
    record('C1', {
      id: 'C1',
      name: 'New',
      vat_number: 'NO 987654',
      previous_names: [{ name: 'Stara Firma' }],
    });
    expect(found('stara')).toEqual([{ entity_id: 'C1' }]);
    expect(found('987654')).toEqual([{ entity_id: 'C1' }]);
    record('C1', { id: 'C1', name: 'New', vat_number: 'NO 111222', previous_names: null });
    expect(found('stara')).toEqual([]);
    expect(found('987654')).toEqual([]);
    expect(found('111222')).toEqual([{ entity_id: 'C1' }]);
    warehouse.db.exec("INSERT INTO entity_fts (entity_fts) VALUES ('integrity-check')");
  });

  test('the mapping sets the JSON paths of former names and identifiers', () => {
    const mapped = Mapping.parse({ former_names: ['/was/*'], identifiers: ['/code'] });
    const { record, all } = bench({ mapping: mapped });
    record('C1', { id: 'C1', was: ['Before'], code: 'AB-123456', vat_number: '999888777' });
    expect(all('SELECT former_names, identifiers FROM _company')).toEqual([
      { former_names: 'Before', identifiers: 'AB-123456' },
    ]);
  });
});
