import type { Call, SearchQuery } from '../call.ts';
import type { QueryState } from '../load_result.ts';
import { blob, integer, numeric, type RowOf, scalar, Table, text, time } from './table.ts';

/**
 * The internal tables whose statements and row types are derived. `schema.sql` has the meaning of each column.
 */

/** One narrow row per known company, with the known facts about it. */
export const COMPANY = new Table('_company', ['entityId'], {
  entityId: text(),
  name: text<string | null>(),
  formerNames: text<string | null>(),
  identifiers: text<string | null>(),
  firstSeenAt: time(),
  lastSeenAt: time(),
  listedAt: time<string | null>(),
  askedAt: time<string | null>(),
  fetchedAt: time<string | null>(),
  changedAt: time<string | null>(),
  flaggedAt: time<string | null>(),
  missingAt: time<string | null>(),
  missingShape: text<string | null>(),
  missingRun: integer<number | null>(),
  missingCall: integer<number | null>(),
  goneAt: time<string | null>(),
  summaryHash: blob<Buffer | null>(),
  recordCallId: integer<number | null>(),
  changes: integer(),
  changingDays: numeric(),
  changingLog: numeric(),
  steadyDays: numeric(),
  rateClass: integer(),
  recordAdded: integer<number | null>(),
  recordVersion: integer<number | null>(),
  recordTouched: integer<number | null>(),
  summaryAdded: integer<number | null>(),
  summaryVersion: integer<number | null>(),
  summaryTouched: integer<number | null>(),
});

/** The calls that returned a new version of a record. */
export const VERSION = new Table('_record_version', ['entityId', 'callId'], {
  entityId: text(),
  callId: integer(),
  endedAt: text<string | null>(),
  isTombstone: integer<0 | 1>(),
});

/** The progress of each query's listing. */
export const QUERY = new Table('_query', ['key'], {
  key: text('query_key'),
  by: text<SearchQuery['by']>(),
  text: text(),
  total: integer<number | null>(),
  pages: integer(),
  rows: integer(),
  next: text<string | null>(),
  status: text<QueryState['status']>(),
  listedAt: text(),
  askedAt: text(),
  firstCall: integer(),
  repeats: integer(),
  isContradicted: integer<0 | 1>('contradicted'),
  note: text<string | null>(),
});

/** The last reading of each page. */
export const QUERY_PAGE = new Table('_query_page', ['key', 'index'], {
  key: text('query_key'),
  index: integer('page'),
  callId: integer(),
  sentAt: text(),
  rows: integer(),
  total: integer<number | null>(),
  next: text<string | null>(),
  fingerprint: blob(),
  overlap: text<'none' | 'same' | 'partial' | 'disjoint'>(),
  moved: integer(),
});

/** The failed targets that are waiting for a retry. A successful call deletes its target's row. */
export const FAILURE = new Table('_failure', ['kind', 'target'], {
  kind: text<Call['kind']>(),
  target: text(),
  tries: integer(),
  failedAt: text(),
  nextTryAt: text(),
  why: text(),
  callId: integer(),
});

/** One row per HTTP attempt. All other rows' lineage leads to these rows. */
export const CALL = new Table('_call', ['callId'], {
  callId: integer(),
  runId: integer(),
  kind: text(),
  target: text(),
  page: integer<number | null>(),
  reason: text(),
  expected: numeric(),
  sentAt: text(),
  sentAfter: integer<number | null>(),
  ms: numeric(),
  status: integer<number | null>(),
  outcome: text(),
  bytes: integer(),
  rows: integer(),
  new: integer(),
  changed: integer(),
  note: text<string | null>(),
});

/** One row for each run of a command that makes calls or rebuilds tables. */
export const RUN = new Table('_run', ['runId'], {
  runId: integer(),
  command: text(),
  startedAt: text(),
  endedAt: text<string | null>(),
  ended: text<string | null>(),
  calls: integer(),
  new: integer(),
  changed: integer(),
  gone: integer(),
  quarantined: integer(),
  error: text<string | null>(),
});

/** The payload tables. */
export const PAYLOAD_TABLE = new Table('_table', ['tableName'], {
  tableName: text(),
  parentTable: text<string | null>(),
  path: text(),
  rowsSeen: integer(),
  compared: integer(),
  firstSeenAt: text(),
});

/** The paths seen in payloads, and their columns. */
export const PAYLOAD_COLUMN = new Table('_column', ['tableName', 'path'], {
  tableName: text(),
  path: text(),
  columnName: text<string | null>(),
  childTable: text<string | null>(),
  type: text<'TEXT' | 'INTEGER' | 'REAL' | ''>(),
  types: text(),
  present: integer(),
  nulls: integer(),
  changes: integer(),
  firstSeenAt: text(),
  changedAt: text(),
  callId: integer(),
});

/** The changed fields. A row's id is its version in the change feed. */
export const CHANGE = new Table('entity_change', ['changeId'], {
  changeId: integer(),
  entityId: text(),
  observedAt: text(),
  notBefore: text<string | null>(),
  path: text(),
  columnName: text<string | null>(),
  before: scalar(),
  after: scalar(),
  callId: integer('_call_id'),
});

/** Responses, or items in responses, that cannot be processed. */
export const QUARANTINE = new Table('_quarantine', ['quarantineId'], {
  quarantineId: integer(),
  callId: integer(),
  kind: text<'stats' | 'search' | 'entity'>(),
  target: text(),
  position: integer(),
  reason: text(),
  times: integer(),
  quarantinedAt: text(),
  state: text<'open' | 'replayed' | 'superseded' | 'discarded'>(),
});

/** The receivers of notifications. */
export const RECEIVER = new Table('_receiver', ['name'], {
  name: text(),
  version: integer(),
  isHealthy: integer<0 | 1>(),
  disabledAt: text<string | null>(),
  why: text<string | null>(),
});

/** The entries in a backfill. */
export const BACKFILL_ITEM = new Table('_backfill_wish', ['backfillId', 'position'], {
  backfillId: integer(),
  position: integer(),
  kind: text<'entity' | 'name' | 'query' | 'prefix'>(),
  searchedBy: text<'name' | 'identifier' | null>(),
  given: text(),
  state: text<'open' | 'fresh' | 'found' | 'gone' | 'forgotten' | 'not_found' | 'ambiguous' | 'failed'>(),
  entityId: text<string | null>(),
  name: text<string | null>(),
  candidates: text<string | null>(),
  note: text<string | null>(),
  callId: integer<number | null>(),
});

/** Every internal table that is described here. */
export const TABLES = [
  ...[COMPANY, VERSION, QUERY, QUERY_PAGE, FAILURE, CALL, RUN],
  ...[PAYLOAD_TABLE, PAYLOAD_COLUMN, CHANGE, QUARANTINE, RECEIVER, BACKFILL_ITEM],
] as const;

/** The known facts about one company. Times are ISO 8601. */
export type Known = { -readonly [K in keyof RowOf<typeof COMPANY>]: RowOf<typeof COMPANY>[K] };

export interface KnownRow extends Known {
  readonly knownId: number;
}
