import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Mapping } from '../../src/dialect/mapping.ts';
import { reprocess } from '../../src/load/reprocess.ts';
import { columnOfRole } from '../../src/warehouse/payload_role.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { bench, dialectWith, resultPage, START_MS, temporaryFolder } from '../support/loader.ts';

const COMPANIES = 'SELECT * FROM company ORDER BY entity_id';

describe('the view company', () => {
  test('the view company has the same columns in an empty warehouse', () => {
    const { all } = bench();
    expect(all(COMPANIES)).toEqual([]);
    expect(all("SELECT name FROM pragma_table_info('company')").map(({ name }) => name)).toEqual([
      'entity_id',
      'name',
      'status',
      'registered_on',
      'dissolved_on',
      'country',
      'fetched_at',
    ]);
  });

  test('an empty text in the record is NULL in the view company, or the value in the search result', () => {
    const { search, record, all } = bench();
    search('a', resultPage({ id: 'C1', name: 'Alpha', status: 'active', closedOn: '' }));
    record('C1', { id: 'C1', name: 'Alpha', status: '', closedOn: '' });
    expect(all('SELECT status, dissolved_on FROM company')).toEqual([
      { status: 'active', dissolved_on: null },
    ]);
  });

  test('the view company shows listed and fetched companies but no gone companies', () => {
    const { search, record, all } = bench();
    search(
      'a',
      resultPage(
        { id: 'C1', name: 'Listed', companyStatus: 'active' },
        { id: 'C2', name: 'Fetched', companyStatus: 'active' },
      ),
    );
    record('C2', {
      id: 'C2',
      name: 'Fetched',
      companyStatus: 'dissolved',
      incorporatedOn: '1999-01-02T00:00:00Z',
      dissolutionDate: '2020-03-04',
      registeredAddress: { country: 'NO' },
    });
    record('C3', { id: 'C3', name: 'Gone' });
    record('C3', { id: 'C3', name: 'Gone', class: 'Deleted' });
    expect(all(COMPANIES)).toEqual([
      {
        entity_id: 'C1',
        name: 'Listed',
        status: 'active',
        registered_on: null,
        dissolved_on: null,
        country: null,
        fetched_at: null,
      },
      {
        entity_id: 'C2',
        name: 'Fetched',
        status: 'dissolved',
        registered_on: '1999-01-02',
        dissolved_on: '2020-03-04',
        country: 'NO',
        fetched_at: expect.stringMatching(/^2026-/),
      },
    ]);
  });

  test("the view company uses the mapping's JSON paths after reprocess", async () => {
    const { record, warehouse, all } = bench();
    record('C1', { id: 'C1', status: 'A', phase: 'closing' });
    expect(all(COMPANIES)).toMatchObject([{ status: 'A' }]);
    const mapping = Mapping.parse({ company: { status: '/phase' } });
    await reprocess({ warehouse, dialect: dialectWith(), mapping });
    expect(all(COMPANIES)).toMatchObject([{ status: 'closing' }]);
  });

  test("the view company does not replace an analyst's own view of the same name", () => {
    const path = join(temporaryFolder(), 'warehouse.db');
    const first = openWarehouse({ path, nowMs: START_MS });
    first.db.exec('DROP VIEW company; CREATE VIEW company AS SELECT 1 AS own');
    first.close();
    const second = openWarehouse({ path, nowMs: START_MS });
    bench({ warehouse: second }).record('C1', { id: 'C1', status: 'A' });
    expect(second.db.prepare('SELECT * FROM company').all()).toEqual([{ own: 1 }]);
    second.close();
  });
});

describe('columns of the view company', () => {
  const column = (path: string, types = 'text') => ({ column: path, path, types });
  test.each([
    ['status', ['/accounts/status', '/company_status', '/officers_status'], '/company_status'],
    ['status', ['/attributes/registration/status', '/attributes/entity/status'], '/attributes/entity/status'],
    ['status', ['/etat_administratif'], '/etat_administratif'],
    [
      'registered_on',
      ['/stiftelsesdato', '/registreringsdatoEnhetsregisteret'],
      '/registreringsdatoEnhetsregisteret',
    ],
    ['registered_on', ['/date_of_creation', '/last_filing_date'], '/date_of_creation'],
    ['registered_on', ['/attributes/registration/initialRegistrationDate'], null],
    ['dissolved_on', ['/slettedato'], '/slettedato'],
    ['country', ['/registered_address/country', '/jurisdiction'], '/jurisdiction'],
    ['country', ['/forretningsadresse/land', '/forretningsadresse/landkode'], '/forretningsadresse/landkode'],
  ] as const)('the column for the role %s among %j is %s', (role, paths, expected) => {
    const found = columnOfRole(
      role,
      paths.map((path) => column(path)),
      null,
    );
    expect(found?.path ?? null).toBe(expected);
  });

  test.each([
    ['registered_on', '/incorporated'],
    ['dissolved_on', '/struckOff'],
  ] as const)('the column for the role %s is %s only if its values are dates', (role, path) => {
    expect(columnOfRole(role, [column(path, 'date')], null)?.path).toBe(path);
    expect(columnOfRole(role, [column(path, 'text')], null)).toBeNull();
  });

  test('the column for the role status is never a boolean', () => {
    expect(columnOfRole('status', [column('/status', 'boolean')], null)).toBeNull();
  });
});
