import { expect, test } from 'vitest';
import { quoted } from '../../src/sqlite/statements.ts';
import { unlikeConfirmations } from '../../src/warehouse/answered_calls.ts';
import { Backfills, settleEntities } from '../../src/warehouse/backfill.ts';
import { findCompany } from '../../src/warehouse/company_history.ts';
import { companyProperties } from '../../src/warehouse/company_properties.ts';
import { listedFields, servedRecords } from '../../src/warehouse/serve_records.ts';
import { bench, resultPage, START_MS } from '../support/loader.ts';

test('fields may have the name of any column of the warehouse', () => {
  const { warehouse, search, record, all } = bench();
  const { db } = warehouse;
  const names = all(
    "SELECT DISTINCT c.name FROM pragma_table_list t JOIN pragma_table_info(t.name) c WHERE t.schema = 'main'",
  );
  const fields = Object.fromEntries(names.map(({ name }) => [String(name), 'a value']));
  const company = { ...fields, list: [fields], id: 'C1', name: 'Alpha' };
  search('a', resultPage(company));
  record('C1', company);

  expect(findCompany(db, 'C1')).toMatchObject({ name: 'Alpha', state: 'fetched', goneAt: null });
  expect(servedRecords(db).latest('C1')).toMatchObject({ is: 'record' });
  expect(Object.keys(listedFields(db, 'C1')).length).toBeGreaterThan(30);
  const properties = companyProperties(db);
  const ids = properties.list().map(({ id }) => id);
  expect(properties.values('C1', ids)?.get('state')).toBe('a value');
  expect(unlikeConfirmations(db, 1).refreshes).toBe(0);
  for (const { name } of all("SELECT name FROM sqlite_schema WHERE type = 'view'")) {
    expect(() => all(`SELECT * FROM ${quoted(String(name))}`)).not.toThrow();
  }

  const order = {
    title: 'ids',
    orderHash: 'ids',
    withRecords: 1,
    freshAfter: iso(START_MS),
    afterCallId: 0,
  } as const;
  const backfills = new Backfills(db);
  const item = { kind: 'entity', searchedBy: null, given: 'C1' } as const;
  const id = backfills.create({ ...order, createdAt: iso(START_MS + 3_600_000) }, [item]);
  const backfill = backfills.find(id);
  if (backfill !== null) settleEntities(db, backfill);
  expect([...backfills.items(id)]).toMatchObject([{ state: 'found', name: 'Alpha', callId: 2 }]);
});

const iso = (ms: number) => new Date(ms).toISOString();
