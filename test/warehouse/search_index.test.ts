import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { bench, START_MS, temporaryFolder } from '../support/loader.ts';
import { sqliteTools } from '../support/sqlite_tools.ts';

const NAMES = { C1: 'Société Générale', C2: 'ŠKODA Plzeň', C3: '株式会社東京商事', C4: 'Plain Ltd' };
const SEARCHES = [
  ['societe', 'C1'],
  ['société', 'C1'],
  ['SOCIÉTÉ', 'C1'],
  ['skoda plzen', 'C2'],
  ['Škoda', 'C2'],
  ['東京商', 'C3'],
  ['lain', 'C4'],
] as const;

describe.each(sqliteTools())('a warehouse read by $name with SQLite $version', ({ rows }) => {
  test('the full-text index finds names with and without accents, whatever their letter case', () => {
    const found = rows(
      mirrored(),
      SEARCHES.map(([text]) => search(text)),
    );
    expect(found).toEqual(SEARCHES.map(([, id]) => [{ entity_id: id, name: NAMES[id] }]));
  });

  test('the SQLite version reads every table and view', () => {
    const path = mirrored();
    const all = rows(path, ["SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')"])[0] ?? [];
    const counts = rows(
      path,
      all.map(({ name }) => `SELECT count(*) AS n FROM (SELECT * FROM "${name}")`),
    );
    const names = all.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['entity', 'entity_fts', 'entity_history', 'coverage']));
    expect(counts[names.indexOf('entity_fts')]).toEqual([{ n: 4 }]);
  });
});

function mirrored(): string {
  const path = join(temporaryFolder(), 'warehouse.db');
  const warehouse = openWarehouse({ path, nowMs: START_MS });
  const { record } = bench({ warehouse });
  for (const [id, name] of Object.entries(NAMES)) record(id, { id, name });
  warehouse.close();
  return path;
}

function search(text: string): string {
  return `SELECT entity_id, name FROM entity_fts WHERE entity_fts MATCH '"${text}"'`;
}
