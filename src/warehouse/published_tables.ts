export interface PublishedTable {
  /** `entity__…` represents every table made from a list in the record. */
  readonly name: string;
  /** The widest use: SQL only, also exports, or also the change feed. */
  readonly reach: 'sql' | 'export' | 'feed';
  /** What one row describes, in Markdown; null if the view has exactly one row. */
  readonly rowPer: string | null;
  /** What the table is for, in Markdown. */
  readonly use: string;
  /** The column by which Datasette sorts, largest value first. */
  readonly sortDescendingBy?: string;
  /** The columns that identify a row; none if nothing does. */
  readonly key?: readonly string[];
  readonly columns: readonly PublishedColumn[];
}

/** A column's type, for typed export formats. */
export type ColumnKind = 'text' | 'integer' | 'real' | 'boolean' | 'date' | 'time' | 'mixed';

export interface PublishedColumn {
  readonly name: string;
  /** What the column means, in Markdown and without a full stop. */
  readonly meaning: string;
  readonly kind: ColumnKind;
  /** The declaration in SQL; undefined in views, and for columns that are added when they are needed. */
  readonly sql?: string | undefined;
  /** True if the column exists only in the tables that need it. */
  readonly isOptional?: true;
}

/** The meaning of each column, by name. A column with only a meaning has the type `text`. */
type Columns = Readonly<Record<string, string | Omit<PublishedColumn, 'name'>>>;

const text = (meaning: string, sql: string) => ({ meaning, kind: 'text', sql }) as const;
const time = (meaning: string, sql?: string) => ({ meaning, kind: 'time', sql }) as const;
const integer = (meaning: string, sql?: string) => ({ meaning, kind: 'integer', sql }) as const;
const real = (meaning: string) => ({ meaning, kind: 'real' }) as const;
const mixed = (meaning: string) => ({ meaning, kind: 'mixed' }) as const;

const ENTITY_ID = "the registry's id for the company";
const NAME = 'the name, as last seen';
const CALL_ID = 'the call that returned this content';
const FETCHED_AT = time('when the record was last fetched (UTC); NULL if there is no record');
const REST = {
  meaning: 'fields beyond the 900th column, by JSON Pointer',
  kind: 'text',
  isOptional: true,
} as const;

/**
 * The tables and views that analysts read, in document order. Columns have the same order as in the warehouse, and the
 * first ones of the tables for responses are created from here.
 */
const TABLES: readonly (Omit<PublishedTable, 'columns'> & { readonly columns: Columns })[] = [
  {
    name: 'company',
    reach: 'export',
    rowPer: 'known company that is not gone',
    use: 'questions that must work for every registry, because the columns are always the same',
    key: ['entity_id'],
    columns: {
      entity_id: ENTITY_ID,
      name: NAME,
      status: "the status in the registry's own words",
      registered_on: 'the date of registration; if there is none, the date of incorporation or foundation',
      dissolved_on: 'the date of dissolution',
      country: "the country or jurisdiction; if there is none, the address's country",
      fetched_at: FETCHED_AT,
    },
  },
  {
    name: 'company__…',
    reach: 'export',
    rowPer: 'element of a list of a company that is not gone',
    use: 'officers, former names and other lists, as far as they are known from records or search results',
    columns: {
      entity_id: ENTITY_ID,
      position: integer('the position in the list, from 0'),
      _source: '`record`, or `summary` if the element comes from a search result',
      _call_id: integer(CALL_ID),
    },
  },
  {
    name: 'entity_overview',
    reach: 'feed',
    rowPer: 'known company',
    use: 'the list of companies, and the age of the data',
    key: ['entity_id'],
    columns: {
      entity_id: ENTITY_ID,
      name: NAME,
      state:
        '`listed`: seen in a search, without a record; `fetched`: with a record; `gone`: no longer in the registry',
      first_seen_at: time('the same time as `search_result._first_seen_at`, for all known companies (UTC)'),
      last_seen_at: time('when a search or fetch last showed the company (UTC)'),
      fetched_at: FETCHED_AT,
      age_days: real(
        'days since the record was fetched; without a record, days since the company was last seen',
      ),
    },
  },
  {
    name: 'entity',
    reach: 'feed',
    rowPer: 'fetched record',
    use: 'all fields of the record',
    key: ['entity_id'],
    columns: {
      entity_id: text(ENTITY_ID, 'TEXT PRIMARY KEY NOT NULL'),
      _fetched_at: time('when the record was last fetched (UTC)', 'TEXT NOT NULL'),
      _changed_at: time('when a fetch last returned different content (UTC)', 'TEXT NOT NULL'),
      _gone_at: time(
        'the time from which the company is known to be gone (UTC); NULL if it is not gone',
        'TEXT',
      ),
      _call_id: integer(CALL_ID, 'INTEGER NOT NULL REFERENCES _call (call_id)'),
      _rest: REST,
    },
  },
  {
    name: 'entity__…',
    reach: 'feed',
    rowPer: 'element of a list in the record',
    use: 'all lists that the registry sends, such as officers, former names and activity codes',
    key: ['entity_id', 'position'],
    columns: {
      entity_id: text(ENTITY_ID, 'TEXT NOT NULL REFERENCES … (entity_id)'),
      position: integer('the position in the list, from 0', 'INTEGER NOT NULL'),
      parent_position: {
        meaning: 'the `position` of the element that contains this list',
        kind: 'integer',
        sql: 'INTEGER NOT NULL',
        isOptional: true,
      },
      _call_id: integer(CALL_ID, 'INTEGER NOT NULL'),
      value: { meaning: 'the element itself, in a list of plain values', kind: 'mixed', isOptional: true },
      _rest: REST,
    },
  },
  {
    name: 'search_result',
    reach: 'feed',
    rowPer: 'company seen in a search',
    use: 'the fields of the search result, for companies without a record',
    key: ['entity_id'],
    columns: {
      entity_id: text(ENTITY_ID, 'TEXT PRIMARY KEY NOT NULL'),
      _first_seen_at: time(
        'when the mirror first saw the company, **in a search or by a fetch** (UTC). A fetch can come first, because a backfill by id fetches records without a search',
        'TEXT NOT NULL',
      ),
      _last_seen_at: time('when a search last showed the company (UTC)', 'TEXT NOT NULL'),
      _call_id: integer(CALL_ID, 'INTEGER NOT NULL REFERENCES _call (call_id)'),
      _rest: REST,
    },
  },
  {
    name: 'registry_stats',
    reach: 'feed',
    rowPer: 'observation of the statistics',
    use: "the registry's own count over time",
    sortDescendingBy: 'observed_at',
    key: ['_call_id'],
    columns: {
      observed_at: time('the time of the observation (UTC)', 'TEXT NOT NULL'),
      total: integer("the registry's own count of companies", 'INTEGER'),
      _call_id: integer(CALL_ID, 'INTEGER PRIMARY KEY REFERENCES _call (call_id)'),
      _rest: REST,
    },
  },
  {
    name: 'entity_change',
    reach: 'feed',
    rowPer: 'changed field',
    use: 'the old and new value, and the dates between which it changed',
    sortDescendingBy: 'change_id',
    key: ['change_id'],
    columns: {
      change_id: integer("the change's number, in the order of observation"),
      entity_id: ENTITY_ID,
      observed_at: time('the time of the fetch that showed the change (UTC)'),
      not_before: time('the time of the previous fetch, after which the change happened (UTC)'),
      path: "the field's JSON Pointer in the record; `_gone_at` if the company disappeared or returned",
      before: mixed('the old value'),
      after: mixed('the new value'),
      _call_id: integer('the call that showed the change'),
      column_name:
        "the field's column, with its table if the field is in a list (`entity__officers.name`); NULL if a whole object or element changed",
    },
  },
  {
    name: 'entity_history',
    reach: 'export',
    rowPer: 'record version',
    use: 'the whole record at an earlier time',
    key: ['entity_id', '_call_id'],
    columns: {
      entity_id: ENTITY_ID,
      observed_from: time('when a fetch first returned this version (UTC)'),
      observed_to: time(
        'when a fetch first returned the next version, or the time from which the company is known to be gone (UTC); NULL for the current version',
      ),
      document: mixed(
        'the record as received (JSON); NULL if the stored response is compressed (`responses.compress`)',
      ),
      is_tombstone: integer('1 if this version is the tombstone that the registry shows for a gone company'),
      _call_id: integer('the call that returned this version'),
    },
  },
  {
    name: 'entity_fts',
    reach: 'sql',
    rowPer: 'known company',
    use: 'full-text search of names, former names and identifiers',
    columns: {
      name: NAME,
      identifiers: 'the id, which `MATCH` does not find, and other identifiers',
      former_names: 'former names, if the record contains any',
      entity_id: `${ENTITY_ID}; not indexed`,
    },
  },
  {
    name: 'coverage',
    reach: 'export',
    rowPer: null,
    use: 'completeness',
    columns: {
      known: integer('companies seen in a search or fetched, including gone companies'),
      listed: integer('companies seen in a search, excluding gone companies'),
      fetched: integer('companies with a fetched record, excluding gone companies'),
      gone: integer('known companies that are no longer in the registry'),
      registry_total: integer("the registry's own count at its last observation (`registry_total_at`)"),
      registry_total_at: time('the time of that observation (UTC)'),
      known_share: real('(`known` − `gone`) / `registry_total`'),
      fetched_share: real('`fetched` / `registry_total`'),
    },
  },
  {
    name: 'freshness',
    reach: 'export',
    rowPer: 'kind of data (`summary` and `record`)',
    use: 'the age of the data',
    columns: {
      what: '`summary`: when companies were last seen in a search; `record`: when records were last fetched',
      companies: integer('companies with a summary (or record)'),
      oldest_at: time('the time of the oldest summary (or record) (UTC)'),
      newest_at: time('the time of the newest summary (or record) (UTC)'),
      mean_age_days: real('the mean age in days'),
      within_1_day: integer('companies whose summary (or record) is at most 1 day old'),
      within_7_days: integer('companies whose summary (or record) is at most 7 days old'),
      within_30_days: integer('companies whose summary (or record) is at most 30 days old'),
      within_90_days: integer('companies whose summary (or record) is at most 90 days old'),
    },
  },
  {
    name: 'allowance_daily',
    reach: 'export',
    rowPer: 'day with calls (UTC)',
    use: 'the calls spent',
    columns: {
      day: { meaning: 'the date (UTC)', kind: 'date' },
      calls: integer('calls that were sent, regardless of their outcome'),
      stats_calls: integer('sent calls for the statistics'),
      search_calls: integer('sent calls for search pages'),
      entity_calls: integer('sent calls for records'),
      ok: integer('calls with the outcome `ok`'),
      absent: integer('calls for companies that the API does not have: `absent` or `gone`'),
      failed: integer('calls with the outcome `broken`, `refused` or `unauthorised`'),
      turned_away: integer('requests rejected because of a limit: `throttled` or `exhausted`'),
      unsent: integer('always 0; earlier builds counted requests that were never sent'),
    },
  },
  {
    name: 'column_overview',
    reach: 'export',
    rowPer: 'payload field',
    use: "the columns of your registry's payload",
    columns: {
      table_name: "the column's table",
      column_name: 'the column, or the table of a list',
      path: 'the JSON Pointer within the row; empty for the element itself',
      child_table: 'the table that contains the elements, if the field is a list',
      type: 'the declared type; empty if there are several types or none is known',
      types: 'the types seen',
      null_share: real('share of rows in which the field is null'),
      absent_share: real('share of rows without the field'),
      change_share: real('share of comparisons in which the field differed'),
      first_seen_at: time('when the field was first seen (UTC)'),
      changed_at: time('when a type was last added (UTC)'),
    },
  },
];

/**
 * The tables and views that analysts read, with the meaning of every column that the mirror defines.
 *
 * The descriptions for Datasette and the tables in `docs/analysts.md` (`npm run docs:columns`) are generated from this
 * list. `test/warehouse/published_tables.test.ts` compares the list with a real warehouse.
 */
export const PUBLISHED_TABLES: readonly PublishedTable[] = TABLES.map(({ columns, ...table }) => ({
  ...table,
  columns: Object.entries(columns).map(([name, about]) => ({
    name,
    ...(typeof about === 'string' ? { meaning: about, kind: 'text' } : about),
  })),
}));

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
