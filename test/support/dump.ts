import { quoted } from '../../src/sqlite/statements.ts';
import type { Warehouse } from '../../src/warehouse/warehouse.ts';

/**
 * Returns every row in the tables that are derived from responses, as text. Equal warehouses have equal dumps. The row
 * versions of the change feed are left out, because they depend on the order of writes.
 */
export function dumpDerived({ db }: Warehouse): string[] {
  const names = db
    .prepare(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND (substr(name, 1, 1) <> '_' OR name IN
         ('_company', '_name', '_name_word', '_tally', '_record_version', '_query', '_query_page', '_failure', '_quarantine', '_table', '_column'))
       AND name NOT GLOB 'entity_fts_*' AND name NOT GLOB 'sqlite_*' ORDER BY name`,
    )
    .pluck()
    .all() as string[];
  return names.flatMap((name) => [
    name,
    ...(
      db
        .prepare(`SELECT * FROM ${quoted(name)}`)
        .safeIntegers()
        .all() as object[]
    )
      .map(rowText)
      .sort(),
  ]);
}

function rowText(row: object): string {
  const content = Object.entries(row).filter(([name]) => !VERSION.test(name));
  const cells = content.map(([name, value]) => [
    name,
    typeof value === 'bigint' ? `int ${value}` : Buffer.isBuffer(value) ? value.toString('hex') : value,
  ]);
  return JSON.stringify(Object.fromEntries(cells.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))));
}

const VERSION = /^((record|summary)_(added|version|touched)|change_id)$/;
