import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { type DemoMirror, openDemoMirror } from '../support/demo_mirror.ts';
import { type DuckDb, openDuckDb } from '../support/duckdb.ts';
import { sqliteTools } from '../support/sqlite_tools.ts';
import { PYTHON, QUESTIONS, questionsFor } from './questions.ts';

let demo: DemoMirror;
beforeAll(() => {
  demo = openDemoMirror();
}, 600_000);
afterAll(() => demo.remove());

test('the demo writes a configuration with which other commands can read its mirror', () => {
  const { data } = JSON.parse(demo.run('status', '--json', '--config', 'data/demo.yaml'));
  expect(data).toMatchObject({ health: { state: 'healthy' }, coverage: { registry_total: 1_002, gone: 4 } });
});

test('docs/analysts.md has 15 queries, including two variants for DuckDB', () => {
  expect(QUESTIONS).toHaveLength(15);
  expect(questionsFor('DuckDB')).toHaveLength(13);
  expect(questionsFor('SQLite')).toHaveLength(13);
});

test("every documented query returns rows from the demo with this project's SQLite", () => {
  const { db, close } = openWarehouse({ path: demo.warehouse, readonly: true, nowMs: Date.now() });
  for (const sql of questionsFor('SQLite')) expect(db.prepare(sql).all(), sql).not.toEqual([]);
  close();
});

test.each(sqliteTools())(
  'every documented query returns rows from the demo with $name and SQLite $version',
  ({ rows }) => {
    const queries = questionsFor('SQLite');
    rows(demo.warehouse, queries).forEach((found, at) => {
      expect(found, queries[at]).not.toEqual([]);
    });
  },
);

// Debian's pandas belongs to /usr/bin/python3. Another Python may come first in PATH.
const pythonWithPandas = ['python3', '/usr/bin/python3'].find(
  (path) => spawnSync(path, ['-c', 'import pandas']).status === 0,
);
describe.skipIf(pythonWithPandas === undefined)('pandas', () => {
  const printed = (python: string) =>
    execFileSync(pythonWithPandas!, ['-c', PYTHON.replace('data/warehouse.db', demo.warehouse) + python], {
      encoding: 'utf8',
    });

  test('the documented code gives each column of a view its type', () => {
    const types = JSON.parse(
      printed(`
import json
print(json.dumps({name: str(read(f"SELECT * FROM {name}").dtypes.to_dict()) for name in ("company", "entity_overview")}))`),
    );
    expect(types.company).toMatch(/'fetched_at': datetime64\[\w+, UTC\]/);
    expect(types.entity_overview).toContain("'age_days': Float64Dtype()");
  });

  test('the documented code preserves every digit beside NULLs', () => {
    const query = 'SELECT 9007199254740993 AS id UNION ALL SELECT NULL';
    expect(printed(`print(read("${query}").id.tolist())`)).toBe('[9007199254740993, <NA>]\n');
  });
});

describe('DuckDB over the Parquet export', () => {
  let duckDb: DuckDb;
  beforeAll(async () => {
    const folder = join(demo.folder, 'lake');
    demo.run('export', '--format', 'parquet', '--out', folder);
    const files = readdirSync(folder).filter((name) => name.endsWith('.parquet'));
    duckDb = await openDuckDb(folder, files);
  }, 60_000);
  afterAll(() => duckDb.close());

  test('DuckDB returns rows for every documented query', async () => {
    for (const sql of questionsFor('DuckDB')) expect(await duckDb.rows(sql), sql).not.toEqual([]);
  });

  test('DuckDB returns the same counts as SQLite', async () => {
    const { db, close } = openWarehouse({ path: demo.warehouse, readonly: true, nowMs: Date.now() });
    const sql = 'SELECT status, country, count(*) AS n FROM company GROUP BY 1, 2 ORDER BY 1, 2';
    const expected = db.prepare(sql).all() as Record<string, unknown>[];
    close();
    const found = await duckDb.rows(
      sql.replace('1, 2 ORDER BY 1, 2', '1, 2 ORDER BY 1 NULLS FIRST, 2 NULLS FIRST'),
    );
    expect(found.map(({ n, ...row }) => ({ ...row, n: Number(n) }))).toEqual(expected);
  });

  test('DuckDB reads dates, times and integers with the right types', async () => {
    const [types] = await duckDb.rows(
      `SELECT typeof(registered_on) AS registered_on, typeof(fetched_at) AS fetched_at FROM company LIMIT 1`,
    );
    expect(types).toMatchObject({ registered_on: 'DATE', fetched_at: expect.stringMatching(/^TIMESTAMP/) });
    const [reference] = await duckDb.rows(
      'SELECT typeof(tax_reference) AS type, max(tax_reference) > 9007199254740992 AS large FROM entity WHERE tax_reference IS NOT NULL GROUP BY 1',
    );
    expect(reference).toEqual({ type: 'BIGINT', large: true });
  });
});
