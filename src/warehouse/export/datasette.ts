import type { Database } from 'better-sqlite3';
import { stringify } from 'yaml';
import { quoted } from '../../sqlite/statements.ts';
import { readSource } from '../meta.ts';
import { publishedTable } from '../published_tables.ts';
import { columnsOf, exportableTables } from './rowset.ts';
import { tableDescription } from './table_metadata.ts';

/**
 * Returns the content of `metadata.yaml` for Datasette. It describes all tables and columns, and adds facets and canned
 * queries (https://docs.datasette.io/en/stable/metadata.html).
 */
export function datasetteMetadata(db: Database, databaseName: string): string {
  const source = readSource(db);
  return stringify(
    {
      title: source.name,
      ...(source.url !== null && { source: source.name, source_url: source.url }),
      ...(source.licence !== null && { license: source.licence }),
      about: source.attribution ?? `A local mirror of ${source.name}`,
      databases: {
        [databaseName]: {
          description:
            'Start with company, which has one row per known company that is not gone. The table entity contains all fields of the fetched records.',
          tables: Object.fromEntries(exportableTables(db).map((table) => [table, tableMetadata(db, table)])),
          queries: { ...CANNED_QUERIES, ...countsBy(db) },
        },
      },
    },
    { lineWidth: 0 },
  );
}

/** Matches names of columns that usually have few distinct values, so that companies can be counted by value. */
const FACET_KEYS = /(^|_)(state|status|type|form|legal_form|country|jurisdiction|kind|role|category)$/;

function tableMetadata(db: Database, table: string): object {
  const described = columnsOf(db, table);
  const columns = described.map(({ name }) => name);
  const published = publishedTable(table);
  const facets = facetsIn(columns);
  const isList = table.includes('__');
  return {
    description: [
      ...(published === null ? [] : [tableDescription(published)]),
      ...(isList ? [`List: ${table.split('__').slice(1).join(' › ')}`] : []),
    ].join(' '),
    ...(published?.sortDescendingBy !== undefined && { sort_desc: published.sortDescendingBy }),
    ...(columns.includes('name') && { label_column: 'name' }),
    columns: Object.fromEntries(
      described.flatMap(({ name, meaning }) => (meaning === undefined ? [] : [[name, meaning]])),
    ),
    ...(facets.length > 0 && { facets }),
  };
}

function facetsIn(columns: readonly string[]): string[] {
  return columns.filter((name) => FACET_KEYS.test(name)).slice(0, 4);
}

/** Returns a canned query for each column by which companies can be counted. */
function countsBy(db: Database): Record<string, { title: string; sql: string }> {
  return Object.fromEntries(
    facetsIn(columnsOf(db, 'entity').map(({ name }) => name)).map((name) => [
      `companies_by_${name}`,
      {
        title: `Companies by ${name}, excluding gone companies`,
        sql: `SELECT ${quoted(name)}, count(*) AS companies FROM entity WHERE _gone_at IS NULL GROUP BY 1 ORDER BY 2 DESC`,
      },
    ]),
  );
}

const CANNED_QUERIES = {
  find_company: {
    title:
      'Find a company by any part of its name, a former name or an identifier other than the id (three characters or more)',
    sql: `SELECT entity_id, name, former_names, identifiers FROM entity_fts
WHERE entity_fts MATCH '"' || replace(:text, '"', '""') || '"' ORDER BY length(name) LIMIT 100`,
  },
  what_changed_lately: {
    title: 'Fields that changed recently',
    sql: `SELECT observed_at, entity_id, path, before, after FROM entity_change
WHERE observed_at >= strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-' || :days || ' days') ORDER BY change_id DESC LIMIT 500`,
  },
  history_of: {
    title: 'Every change of one company',
    sql: 'SELECT not_before, observed_at, path, before, after FROM entity_change WHERE entity_id = :entity_id ORDER BY change_id',
  },
  as_of: {
    title: 'The companies at the end of a day (2026-01-31)',
    sql: `SELECT entity_id, observed_from, observed_to FROM entity_history
WHERE observed_from < date(:day, '+1 day') AND (observed_to IS NULL OR observed_to >= date(:day, '+1 day'))
AND NOT is_tombstone ORDER BY entity_id`,
  },
  where_from: {
    title: 'The call that returned a row',
    sql: 'SELECT * FROM _call JOIN _run USING (run_id) WHERE call_id = :call_id',
  },
  how_complete: { title: "The mirror compared with the registry's own count", sql: 'SELECT * FROM coverage' },
  how_fresh: { title: 'The age of the rows', sql: 'SELECT * FROM freshness' },
} as const;
