import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { datasetteMetadata } from '../../src/warehouse/export/datasette.ts';
import { recordSource } from '../../src/warehouse/meta.ts';
import { openWarehouse, type Warehouse } from '../../src/warehouse/warehouse.ts';
import { bench, resultPage, START_MS } from '../support/loader.ts';

/** Fills a warehouse with a small registry and some changes. */
function fill(warehouse: Warehouse): void {
  const { record, search, stats } = bench({ warehouse });
  const officers = [{ name: 'Ann', role: 'director' }];
  recordSource(warehouse.db, {
    name: 'Example',
    url: 'https://registry.example',
    licence: 'CC0',
    attribution: null,
    tier: 'paid',
  });
  stats({ companies: 4 });
  search(
    's',
    resultPage(
      { id: '00000001', name: 'Société Une' },
      { id: '00000002', name: 'Second' },
      { id: '00000003', name: '東京商事' },
    ),
  );
  const first = {
    id: '00000001',
    name: 'Société Une',
    status: 'active',
    incorporated_on: '1999-01-02',
    officers,
  };
  record('00000001', { ...first, previous_names: ['Biotechnik'], officers });
  record('00000002', { ...first, id: '00000002', name: 'Second', incorporated_on: '1999-05-06' });
  record('00000001', { ...first, name: 'Société Deux', status: 'dissolved', officers });
  record('00000002', '', 410);
  record('00000003', { id: '00000003', name: '東京商事', previous_names: ['Biotechnik Tokio'] });
}

describe('docs/analysts.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-'));
  let reader: Warehouse;
  beforeAll(() => {
    const path = join(folder, 'warehouse.db');
    const warehouse = openWarehouse({ path, nowMs: START_MS });
    fill(warehouse);
    warehouse.close();
    reader = openWarehouse({ path, readonly: true, nowMs: START_MS });
  });
  afterAll(() => {
    reader.close();
    rmSync(folder, { recursive: true });
  });

  test('the full-text searches on the page return the results that the page describes', () => {
    const found = (sql: string) => reader.db.prepare(sql).pluck().all();
    expect(found('SELECT name FROM entity_fts WHERE entity_fts MATCH \'"東京商"\'')).toEqual(['東京商事']);
    expect(found("SELECT name FROM entity_fts WHERE name LIKE '%東京%'")).toEqual(['東京商事']);
    // The first company's current record contains no former name.
    expect(found('SELECT entity_id FROM entity_fts WHERE entity_fts MATCH \'"tech"\'')).toEqual(['00000003']);
    expect(
      found('SELECT entity_id FROM entity_fts WHERE entity_fts MATCH \'former_names : "tech"\''),
    ).toEqual(['00000003']);
    expect(found('SELECT entity_id FROM entity_fts WHERE entity_fts MATCH \'name : "tech"\'')).toEqual([]);
  });

  test('the metadata for Datasette describes every table, and its canned queries run', () => {
    const metadata = parse(datasetteMetadata(reader.db, 'warehouse'));
    const { tables, queries: canned } = metadata.databases.warehouse;
    expect(metadata).toMatchObject({
      title: 'Example',
      license: 'CC0',
      source_url: 'https://registry.example',
    });
    expect(Object.keys(tables)).toEqual([
      'company',
      'company__officers',
      'company__previous_names',
      'entity_overview',
      'entity',
      'entity__officers',
      'entity__previous_names',
      'search_result',
      'registry_stats',
      'entity_change',
      'entity_history',
      'coverage',
      'freshness',
      'allowance_daily',
      'column_overview',
    ]);
    expect(tables.entity).toMatchObject({ label_column: 'name', facets: ['status'] });
    expect(tables.entity.columns).toMatchObject({
      _gone_at: expect.stringContaining('known to be gone'),
      incorporated_on: '/incorporated_on: date',
    });
    expect(canned.companies_by_status).toBeDefined();
    const values = { text: 'soc', days: 9999, entity_id: '00000001', call_id: 3, day: '2026-03-01' };
    for (const { sql } of Object.values(canned) as { sql: string }[]) {
      const named = Object.entries(values).filter(([name]) => sql.includes(`:${name}`));
      expect(reader.db.prepare(sql).all(Object.fromEntries(named)), sql).not.toEqual([]);
    }
  });

  test('the metadata for Datasette names only tables and columns that exist', () => {
    const { tables } = parse(datasetteMetadata(reader.db, 'warehouse')).databases.warehouse as {
      tables: Record<
        string,
        Partial<Record<'columns', object>> & {
          facets?: string[];
          label_column?: string;
          sort_desc?: string;
        }
      >;
    };
    for (const [table, { columns = {}, facets = [], label_column, sort_desc }] of Object.entries(tables)) {
      const existing = reader.db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table);
      const named = [...Object.keys(columns), ...facets, label_column, sort_desc];
      expect(existing, table).toEqual(expect.arrayContaining(named.filter((name) => name !== undefined)));
      expect(Object.keys(columns).length, table).toBeGreaterThan(0);
    }
  });
});
