import type { VerdictKind } from '../outcome.ts';

/**
 * The tables and views that analysts read, with the meaning of every column that the mirror defines.
 *
 * `npm run docs:columns` generates the descriptions for Datasette and the tables of `docs/analysts.md` from this list.
 * `test/warehouse/published_columns.test.ts` compares the list with a real warehouse. Tables are in the same order as
 * in the document, and columns in the same order as in the warehouse.
 */
export const PUBLISHED_TABLES = [
  {
    name: 'company',
    kind: 'view',
    rowPer: 'known company that is not gone',
    use: 'questions that must work for every registry, because the columns are always the same',
    description: 'One row per known company that is not gone, with the same columns for every registry.',
    columns: [
      { name: 'entity_id', meaning: "the registry's id of the company", sql: 'k.entity_id' },
      { name: 'name', meaning: 'the name, as last seen', sql: 'k.name' },
      { name: 'status', meaning: "the status in the registry's own words", sql: 'NULL' },
      {
        name: 'registered_on',
        meaning: 'the date of registration; if there is none, the date of incorporation or foundation',
        sql: 'NULL',
      },
      { name: 'dissolved_on', meaning: 'the date of dissolution', sql: 'NULL' },
      {
        name: 'country',
        meaning: 'the country or jurisdiction; if there is none, the country of the address',
        sql: 'NULL',
      },
      {
        name: 'fetched_at',
        meaning: 'the last fetch of the record (UTC); NULL if there is no record',
        sql: 'k.fetched_at',
      },
    ],
  },
  {
    name: 'entity_overview',
    kind: 'view',
    rowPer: 'known company',
    use: 'the list of companies, and the age of the data',
    description: 'One row per known company, whether listed, fetched or gone. Start here.',
    columns: [
      { name: 'entity_id', meaning: "the registry's id of the company" },
      { name: 'name', meaning: 'the name, as last seen' },
      {
        name: 'state',
        meaning:
          '`listed`: seen in a search, without a record; `fetched`: with a record; `gone`: no longer in the registry',
        sql: "CASE WHEN gone_at IS NOT NULL THEN 'gone' WHEN fetched_at IS NOT NULL THEN 'fetched' ELSE 'listed' END",
      },
      {
        name: 'first_seen_at',
        meaning: 'the same time as `search_result._first_seen_at`, for all known companies (UTC)',
      },
      {
        name: 'last_seen_at',
        meaning: 'the last search or fetch that showed the company (UTC)',
      },
      { name: 'fetched_at', meaning: 'the last fetch of the record (UTC); NULL if there is no record' },
      {
        name: 'age_days',
        meaning: 'days since the record was fetched; without a record, days since the company was last seen',
        unit: 'day',
        sql: "julianday('now') - julianday(coalesce(fetched_at, last_seen_at))",
      },
    ],
  },
  {
    name: 'entity',
    kind: 'table',
    rowPer: 'fetched record',
    use: 'all fields of the record',
    description: 'One row per company whose record was fetched. Gone companies remain, with _gone_at.',
    columns: [
      { name: 'entity_id', meaning: "the registry's id of the company" },
      { name: '_fetched_at', meaning: 'the last fetch of the record (UTC)' },
      {
        name: '_changed_at',
        meaning: 'the last fetch whose content differed from the previous fetch (UTC)',
      },
      {
        name: '_gone_at',
        meaning: 'the time from which the company is known to be gone (UTC); NULL if it is not gone',
      },
      { name: '_call_id', meaning: 'the call that returned this content' },
      { name: '_rest', meaning: 'fields beyond the 900th column, by JSON Pointer', isOptional: true },
    ],
  },
  {
    name: 'entity__…',
    kind: 'table',
    rowPer: 'element of a list in the record',
    use: 'all lists that the registry sends, such as officers, former names and activity codes',
    description: 'One row per element of a list in the record.',
    columns: [
      { name: 'entity_id', meaning: "the registry's id of the company" },
      { name: 'position', meaning: 'the position in the list, from 0' },
      {
        name: 'parent_position',
        meaning: 'the `position` of the element that contains this list',
        isOptional: true,
      },
      { name: '_call_id', meaning: 'the call that returned this content' },
      { name: 'value', meaning: 'the element, in a list of plain values', isOptional: true },
      { name: '_rest', meaning: 'fields beyond the 900th column, by JSON Pointer', isOptional: true },
    ],
  },
  {
    name: 'search_result',
    kind: 'table',
    rowPer: 'company seen in a search',
    use: 'the fields of the search result, for companies without a record',
    description: 'One row per company seen in a search, with the fields of the search result.',
    columns: [
      { name: 'entity_id', meaning: "the registry's id of the company" },
      {
        name: '_first_seen_at',
        meaning:
          'the time at which the mirror first saw the company, **in a search or by its record** (UTC). It can be earlier than the first search that showed the company: a backfill by id fetches records before any search',
      },
      { name: '_last_seen_at', meaning: 'the last search that showed the company (UTC)' },
      { name: '_call_id', meaning: 'the call that returned this content' },
      { name: '_rest', meaning: 'fields beyond the 900th column, by JSON Pointer', isOptional: true },
    ],
  },
  {
    name: 'registry_stats',
    kind: 'table',
    rowPer: 'observation of the statistics',
    use: "the registry's own count over time",
    description: "One row per observation of the registry's own statistics.",
    sortDescendingBy: 'observed_at',
    columns: [
      { name: 'observed_at', meaning: 'the time of the observation (UTC)' },
      { name: 'total', meaning: "the registry's own count of companies" },
      { name: '_call_id', meaning: 'the call that returned this content' },
      { name: '_rest', meaning: 'fields beyond the 900th column, by JSON Pointer', isOptional: true },
    ],
  },
  {
    name: 'entity_change',
    kind: 'table',
    rowPer: 'changed field',
    use: 'the old and new value, and the dates between which it changed',
    description: 'One row per changed field, with the dates between which it changed.',
    sortDescendingBy: 'change_id',
    columns: [
      { name: 'change_id', meaning: 'the number of the change, in the order of observation' },
      { name: 'entity_id', meaning: "the registry's id of the company" },
      { name: 'observed_at', meaning: 'the fetch that showed the change (UTC)' },
      { name: 'not_before', meaning: 'the previous fetch, after which the change happened (UTC)' },
      {
        name: 'path',
        meaning:
          'the JSON Pointer of the field in the record; `_gone_at` if the company disappeared or returned',
      },
      { name: 'before', meaning: 'the old value' },
      { name: 'after', meaning: 'the new value' },
      { name: '_call_id', meaning: 'the call that showed the change' },
      {
        name: 'column_name',
        meaning:
          'the column of the field, with its table if the field is in a list (`entity__officers.name`); NULL if a whole object or element changed',
      },
    ],
  },
  {
    name: 'entity_history',
    kind: 'view',
    rowPer: 'version of a record',
    use: 'the whole record at an earlier time',
    description: 'One row per version of a record.',
    columns: [
      { name: 'entity_id', meaning: "the registry's id of the company", sql: 'v.entity_id' },
      {
        name: 'observed_from',
        meaning: 'the first fetch that returned this version (UTC)',
        sql: 'v.observed_from',
      },
      {
        name: 'observed_to',
        meaning:
          'the first fetch that returned the next version, or the time from which the company is known to be gone (UTC); NULL for the current version',
        sql: `coalesce(v.ended_at, (SELECT n.observed_from FROM _version n
              WHERE n.entity_id = v.entity_id AND n.call_id > v.call_id ORDER BY n.call_id LIMIT 1))`,
      },
      {
        name: 'document',
        meaning: 'the record as received (JSON); NULL if the stored response is compressed',
        sql: `CASE WHEN b.encoding IS NULL THEN
              CASE WHEN r.value = '$' THEN CAST(b.body AS TEXT) ELSE json_extract(CAST(b.body AS TEXT), r.value) END END`,
      },
      {
        name: 'is_tombstone',
        meaning: '1 if this version is the tombstone that the registry shows for a gone company',
        sql: 'v.is_tombstone',
      },
      { name: '_call_id', meaning: 'the call that returned this version', sql: 'v.call_id' },
    ],
  },
  {
    name: 'entity_fts',
    kind: 'table',
    rowPer: 'known company',
    use: 'full-text search of names, former names and identifiers',
    description: 'The full-text index over names and identifiers.',
    columns: [
      { name: 'entity_id', meaning: "the registry's id of the company; not indexed" },
      { name: 'name', meaning: 'the name, as last seen' },
      { name: 'former_names', meaning: 'former names, if the record contains any' },
      { name: 'identifiers', meaning: 'the id and other identifiers' },
    ],
  },
  {
    name: 'coverage',
    kind: 'view',
    rowPer: null,
    use: 'completeness',
    description: "One row that compares the mirror with the registry's own count.",
    columns: [
      {
        name: 'known',
        meaning: 'companies that a search listed or whose record was fetched, including those that are gone',
      },
      { name: 'listed', meaning: 'companies seen in a search, excluding gone companies' },
      { name: 'fetched', meaning: 'known companies with a fetched record, excluding gone companies' },
      { name: 'gone', meaning: 'known companies that are no longer in the registry' },
      {
        name: 'registry_total',
        meaning: "the registry's own count at its last observation (`registry_total_at`)",
        sql: '(SELECT total FROM latest)',
      },
      {
        name: 'registry_total_at',
        meaning: 'the time of that observation (UTC)',
        sql: '(SELECT observed_at FROM latest)',
      },
      {
        name: 'known_share',
        meaning: '(`known` − `gone`) / `registry_total`',
        sql: 'round((known - gone) * 1.0 / (SELECT nullif(total, 0) FROM latest), 6)',
      },
      {
        name: 'fetched_share',
        meaning: '`fetched` / `registry_total`',
        sql: 'round(fetched * 1.0 / (SELECT nullif(total, 0) FROM latest), 6)',
      },
    ],
  },
  {
    name: 'freshness',
    kind: 'view',
    rowPer: '`summary` and `record`, excluding gone companies',
    use: 'the age of the data',
    description: 'The age of the summaries and of the records, excluding gone companies.',
    columns: [
      { name: 'what', meaning: '`summary`: last seen in a search; `record`: last fetch' },
      { name: 'companies', meaning: 'companies that have a summary or a record', sql: 'count(*)' },
      { name: 'oldest_at', meaning: 'the time of the oldest summary or record (UTC)', sql: 'min(seen_at)' },
      { name: 'newest_at', meaning: 'the time of the newest summary or record (UTC)', sql: 'max(seen_at)' },
      {
        name: 'mean_age_days',
        meaning: 'the mean age in days',
        unit: 'day',
        sql: "round(avg(julianday('now') - julianday(seen_at)), 3)",
      },
      within(1, 'day'),
      within(7, 'days'),
      within(30, 'days'),
      within(90, 'days'),
    ],
  },
  {
    name: 'allowance_daily',
    kind: 'view',
    rowPer: 'day with calls (UTC)',
    use: 'the calls spent',
    description: 'One row per day (UTC) with the calls of that day.',
    columns: [
      { name: 'day', meaning: 'the date (UTC)', sql: 'substr(sent_at, 1, 10)' },
      {
        name: 'calls',
        meaning: 'calls that were sent, regardless of their outcome',
        sql: "sum(outcome <> 'unsent')",
      },
      sentCalls('stats', 'for the statistics'),
      sentCalls('search', 'for a page of a search'),
      sentCalls('entity', 'for a record'),
      { name: 'ok', meaning: 'calls with the outcome `ok`', sql: "sum(outcome = 'ok')" },
      {
        name: 'failed',
        meaning: 'calls with the outcome `broken` or `refused`',
        sql: "sum(outcome IN ('broken', 'refused'))",
      },
      {
        name: 'turned_away',
        meaning: 'requests rejected because of a limit: `throttled` or `exhausted`',
        sql: "sum(outcome IN ('throttled', 'exhausted'))",
      },
      {
        name: 'unsent',
        meaning: 'calls that never left the machine; they cost nothing',
        sql: "sum(outcome = 'unsent')",
      },
    ],
  },
  {
    name: 'column_overview',
    kind: 'view',
    rowPer: 'field of the payload',
    use: "the columns of your registry's payload",
    description: 'One row per field of the payload, with its column, types and shares.',
    columns: [
      { name: 'table_name', meaning: 'the table that contains the column', sql: 'c.table_name' },
      { name: 'column_name', meaning: 'the column; NULL for objects and lists', sql: 'c.column_name' },
      {
        name: 'path',
        meaning: 'the JSON Pointer within the row; empty for the element itself',
        sql: 'c.path',
      },
      {
        name: 'child_table',
        meaning: 'the table that contains the elements, if the field is a list',
        sql: 'c.child_table',
      },
      {
        name: 'type',
        meaning: 'the declared type; empty if there are several types or none is known',
        sql: 'c.type',
      },
      { name: 'types', meaning: 'the types seen', sql: 'c.types' },
      {
        name: 'null_share',
        meaning: 'share of rows in which the field is null',
        sql: 'round(c.nulls * 1.0 / nullif(t.rows_seen, 0), 4)',
      },
      {
        name: 'absent_share',
        meaning: 'share of rows without the field',
        sql: 'round((t.rows_seen - c.nulls - c.present) * 1.0 / nullif(t.rows_seen, 0), 4)',
      },
      {
        name: 'change_share',
        meaning: 'share of comparisons in which the field differed',
        sql: 'round(c.changes * 1.0 / nullif(t.compared, 0), 4)',
      },
      {
        name: 'first_seen_at',
        meaning: 'the time at which the field was first seen (UTC)',
        sql: 'c.first_seen_at',
      },
      { name: 'changed_at', meaning: 'the time at which a type was last added (UTC)', sql: 'c.changed_at' },
    ],
  },
] as const satisfies readonly PublishedTable[];

export interface PublishedTable {
  /** `entity__…` represents every table made from a list in the record. */
  readonly name: string;
  readonly kind: 'table' | 'view';
  /** What one row is about; null if the view has exactly one row. */
  readonly rowPer: string | null;
  /** What the table is for, in Markdown. */
  readonly use: string;
  /** The description for Datasette. */
  readonly description: string;
  /** The column by which Datasette sorts, largest value first. */
  readonly sortDescendingBy?: string;
  readonly columns: readonly PublishedColumn[];
}

export interface PublishedColumn {
  readonly name: string;
  /** What the column means, in Markdown and without a full stop. */
  readonly meaning: string;
  /**
   * The SQL expression for a view's column in an empty warehouse. Absent if the view's column has the same name as the
   * column that it reads.
   */
  readonly sql?: string;
  readonly unit?: 'day';
  /** True if the column exists only in the tables that need it. */
  readonly isOptional?: true;
}

/** Every value of `_call.outcome`. */
export const CALL_OUTCOMES = {
  received: 'the response is stored but not yet processed; the next run processes it without a call',
  ok: 'the response contains what the call requested',
  absent: 'a 404 for a record, which alone does not prove that the company is gone',
  gone: 'the registry reported the deletion, by its own mark or a 410',
  refused: 'the query is too broad or invalid',
  throttled: 'rejected because of the rate',
  exhausted: 'rejected because the allowance is spent',
  unauthorised: 'the key was rejected',
  broken: 'the connection failed, or the response is unusable',
  unsent: 'no byte left the machine; the unit was returned',
} as const satisfies Readonly<Record<VerdictKind | 'received', string>>;

/**
 * Returns the published table for a table name. Tables such as `entity__officers` are described by `entity__…`.
 * Returns null if the table is not published.
 */
export function publishedTable(name: string): PublishedTable | null {
  const published: readonly PublishedTable[] = PUBLISHED_TABLES;
  const isList = name.startsWith('entity__') || name.startsWith('search_result__');
  return published.find((table) => table.name === (isList ? 'entity__…' : name)) ?? null;
}

/** Returns the names of the built-in columns. A payload column must not have one of these names. */
export function reservedColumns(): string[] {
  return ['entity', 'entity__…', 'search_result', 'registry_stats']
    .flatMap((name) => publishedTable(name)?.columns ?? [])
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('_'));
}

function within(days: number, noun: 'day' | 'days') {
  return {
    name: `within_${days}_${noun}`,
    meaning: `companies for which the time is at most ${days} ${noun} ago`,
    sql: `sum(seen_at >= strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-${days} ${noun}'))`,
  };
}

function sentCalls(kind: 'stats' | 'search' | 'entity', purpose: string) {
  return {
    name: `${kind}_calls`,
    meaning: `calls ${purpose} that were sent`,
    sql: `sum(kind = '${kind}' AND outcome <> 'unsent')`,
  };
}
