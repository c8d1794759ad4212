import { expect, test } from 'vitest';
import { recordDocuments } from '../../src/warehouse/export/rowset.ts';
import { bench } from '../support/loader.ts';

test.each([
  ['/entities/{id}', (id: string, name: string) => ({ entities: { [id]: { id, name } } })],
  ['/data/0', (id: string, name: string) => ({ data: [{ id, name }] })],
])('a record at %s is in the tables, the history and the exports', (root, bodyOf) => {
  const { record, all, warehouse } = bench({ dialect: { entity: { root, id: '/id', name: '/name' } } });
  for (const [id, name] of [
    ['Q1', 'Old'],
    ['Q1', 'Acme'],
    ['Q"2', 'Beta'],
  ] as const)
    record(id, bodyOf(id, name));
  expect(all('SELECT entity_id, name FROM entity ORDER BY entity_id')).toEqual([
    { entity_id: 'Q"2', name: 'Beta' },
    { entity_id: 'Q1', name: 'Acme' },
  ]);
  expect(all("SELECT path, before, after FROM entity_change WHERE entity_id = 'Q1'")).toEqual([
    { path: '/name', before: 'Old', after: 'Acme' },
  ]);
  const documentOf = recordDocuments(warehouse.db);
  const versions = all('SELECT entity_id, _call_id, document FROM entity_history WHERE observed_to IS NULL');
  expect(versions).toHaveLength(2);
  for (const { entity_id: id, _call_id: callId, document } of versions) {
    const name = id === 'Q1' ? 'Acme' : 'Beta';
    expect(JSON.parse(documentOf(Number(callId), String(id)) ?? '')).toEqual({ id, name });
    // Compressed responses cannot be read with SQL.
    if (document !== null) expect(JSON.parse(String(document))).toEqual({ id, name });
  }
});
