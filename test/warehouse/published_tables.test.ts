import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { PUBLISHED_TABLES, publishedTable } from '../../src/warehouse/published_tables.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { COLUMNS_PAGE, withColumns } from '../docs/columns_page.ts';
import { bench, resultPage, START_MS } from '../support/loader.ts';

const warehouse = openWarehouse({ path: ':memory:', nowMs: START_MS });
const { db } = warehouse;
const tables = PUBLISHED_TABLES.filter(({ name }) => !name.endsWith('__…'));

const columnsOf = (table: string) =>
  db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table) as string[];

describe('the list of published columns', () => {
  test.each(tables)(
    'the list of published columns contains the columns of $name in order',
    ({ name, columns }) => {
      expect(columnsOf(name)).toEqual(
        columns.filter(({ isOptional }) => !isOptional).map((column) => column.name),
      );
    },
  );

  test("the list of published columns contains exactly the warehouse's tables and views", () => {
    const existing = db
      .prepare(
        `SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT GLOB '_*'
           AND name NOT GLOB 'entity_fts_*' AND name NOT GLOB 'sqlite_*' ORDER BY name`,
      )
      .pluck()
      .all();
    expect(tables.map(({ name }) => name).toSorted()).toEqual(existing);
  });

  test('no view has changed (if one has, check what its columns mean)', () => {
    const views = db.prepare("SELECT sql FROM sqlite_schema WHERE type = 'view' ORDER BY name").pluck().all();
    expect(views.join('\n\n')).toMatchSnapshot();
  });

  test('the list of published columns describes every built-in column of a loaded table', () => {
    const loaded = openWarehouse({ path: ':memory:', nowMs: START_MS });
    const { record, search, stats } = bench({ warehouse: loaded });
    stats({ companies: 1 });
    search('a', resultPage({ id: '1', name: 'Acme', tags: ['x'] }));
    record('1', { id: '1', name: 'Acme', officers: [{ name: 'Ann', addresses: [{ city: 'Oslo' }] }] });
    const inferred = loaded.db.prepare('SELECT table_name AS name, path FROM _table').all() as {
      name: string;
    }[];
    const payload = loaded.db.prepare('SELECT column_name FROM _column WHERE table_name = ?').pluck();
    const existing = loaded.db.prepare('SELECT name FROM pragma_table_info(?)').pluck();
    expect(inferred.map(({ name }) => name)).toContain('entity__officers__addresses');
    for (const { name } of inferred) {
      const published = publishedTable(name)?.columns.map((column) => column.name) ?? [];
      expect([...published, ...payload.all(name)], name).toEqual(expect.arrayContaining(existing.all(name)));
    }
    loaded.close();
  });
});

test('docs/analysts.md lists the published tables and columns (to update it: npm run docs:columns)', () => {
  const page = readFileSync(COLUMNS_PAGE, 'utf8');
  expect(page).toBe(withColumns(page));
});
