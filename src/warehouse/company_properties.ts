import type { Database } from 'better-sqlite3';
import { quoted } from '../sqlite/statements.ts';
import { payloadColumns } from './payload_table.ts';
import { publishedTable } from './published_tables.ts';

/** A property of companies. It is a column of the view `company` or of the record. */
export interface CompanyProperty {
  /** The column name. */
  readonly id: string;
  /** The value's JSON Pointer in the record; null if the property is a column of `company`. */
  readonly path: string | null;
}

export type PropertyValue = null | string | number | bigint;

/** The companies' properties and their values, including those of gone companies. */
export interface CompanyProperties {
  list(): readonly CompanyProperty[];
  /** Returns one company's values by property id, ignoring unknown ids. Returns null if the company is unknown. */
  values(entityId: string, ids: readonly string[]): ReadonlyMap<string, PropertyValue> | null;
}

export function companyProperties(db: Database): CompanyProperties {
  const list = (): CompanyProperty[] => [
    ...OWN.map((id) => ({ id, path: null })),
    ...payloadColumns(db, 'entity')
      .filter(({ column, types }) => types !== '' && !OWN.includes(column))
      .map(({ column, path }) => ({ id: column, path })),
  ];
  return {
    list,
    values(entityId, ids) {
      const known = new Set(list().map(({ id }) => id));
      const wanted = [...new Set(ids)].filter((id) => known.has(id));
      const columns = wanted.map((id) => `${OWN.includes(id) ? 'c' : 'e'}.${quoted(id)}`);
      const row = db
        .prepare<[string], PropertyValue[]>(
          `SELECT ${[...columns, 'NULL'].join(', ')} FROM _company k
           LEFT JOIN company c USING (entity_id) LEFT JOIN entity e USING (entity_id) WHERE k.entity_id = ?`,
        )
        .raw()
        .safeIntegers()
        .get(entityId) as PropertyValue[] | undefined;
      return row === undefined ? null : new Map(wanted.map((id, at) => [id, row[at] ?? null]));
    },
  };
}

const OWN: readonly string[] = (publishedTable('company')?.columns ?? [])
  .map(({ name }) => name)
  .filter((name) => name !== 'entity_id');
