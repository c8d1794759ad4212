import type { VerdictKind } from '../outcome.ts';
import type { PublishedTable } from './published_table.ts';
import { TABLES } from './published_tables.ts';

/**
 * The tables and views that analysts read, with the meaning of every column that the mirror defines.
 *
 * The descriptions for Datasette and the tables in `docs/analysts.md` (`npm run docs:columns`) are generated from this
 * list. `test/warehouse/published_columns.test.ts` compares the list with a real warehouse.
 */
export const PUBLISHED_TABLES: readonly PublishedTable[] = TABLES.map(({ columns, ...table }) => ({
  ...table,
  columns: Object.entries(columns).map(([name, about]) => ({
    name,
    ...(typeof about === 'string' ? { meaning: about } : about),
  })),
}));

/** Every value of `_call.outcome`. */
export const CALL_OUTCOMES = {
  received: 'the response is stored but not yet processed; the next run processes it without a call',
  ok: 'the response contains what the call requested',
  absent: 'a 404 for a record, which alone does not prove that the company is gone',
  gone: 'the registry reported the deletion, with its own mark or a 410',
  refused: 'the query is too broad or invalid',
  throttled: 'rejected because the rate was exceeded',
  exhausted: 'rejected because the allowance is spent',
  unauthorised: 'the key was rejected',
  broken: 'the connection failed, or the response is unusable',
  unsent: 'no byte left the machine; the unit was returned',
} as const satisfies Readonly<Record<VerdictKind | 'received', string>>;

/**
 * Returns the published table for a table name. Tables such as `entity__officers` are described by `entity__…`, and
 * views such as `company__officers` by `company__…`. Returns null if the table is not published.
 */
export function publishedTable(name: string): PublishedTable | null {
  return PUBLISHED_TABLES.find((table) => table.name === describedAs(name)) ?? null;
}

function describedAs(name: string): string {
  if (/^(entity|search_result)__/.test(name)) return 'entity__…';
  return name.startsWith('company__') ? 'company__…' : name;
}

/** Returns the names of the built-in columns. A payload column must not have one of these names. */
export function reservedColumns(): string[] {
  return ['entity', 'entity__…', 'search_result', 'registry_stats']
    .flatMap((name) => publishedTable(name)?.columns ?? [])
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('_'));
}
