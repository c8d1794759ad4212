import type { Call, SearchQuery } from '../call.ts';
import type { QueryState } from '../load_result.ts';
import { blob, integer, numeric, type RowOf, scalar, Table, text, time } from './table.ts';

/** The internal tables. Each is described once; the statements, the row types and the rebuild's merge use it. */

/** One narrow row per known company, with the known facts about it. */
export const COMPANY = new Table('_company', ['entityId'], {
  entityId: text(),
  name: text<string | null>(),
  formerNames: text<string | null>(),
  /** The id and the other identifiers, one per line; null if there is no other. */
  identifiers: text<string | null>(),
  firstSeenAt: time(),
  lastSeenAt: time(),
  listedAt: time<string | null>(),
  /** The last response to a call for its record, regardless of the outcome. */
  askedAt: time<string | null>(),
  fetchedAt: time<string | null>(),
  changedAt: time<string | null>(),
  flaggedAt: time<string | null>(),
  missingAt: time<string | null>(),
  missingShape: text<string | null>(),
  missingRun: integer<number | null>(),
  /** The call that returned the 404. */
  missingCall: integer<number | null>(),
  goneAt: time<string | null>(),
  summaryHash: blob<Buffer | null>(),
  recordCallId: integer<number | null>(),
  changes: integer(),
  changingDays: numeric(),
  changingLog: numeric(),
  steadyDays: numeric(),
  rateClass: integer(),
  // The next six are versions in the change feed. Each is null if its row does not exist or has not changed since.
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
  /** The time from which the entity is gone. */
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
  /** The call that returned the first page of the current listing. */
  firstCall: integer(),
  /** How often the listing was started again because companies moved while it was read. */
  repeats: integer(),
  /** 1 if the next page is one that must be read again. */
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
  /** The hashes of the ids on the page, in order (`ID_HASH_BYTES` each). */
  fingerprint: blob(),
  /** How this reading compares with an earlier reading of the same page in the same listing. */
  overlap: text<'none' | 'same' | 'partial' | 'disjoint'>(),
  /** How many companies had moved to earlier pages when this page was read, as far as its companies show it. */
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
  /** The search page, counted from 0; null for other calls. */
  page: integer<number | null>(),
  reason: text(),
  expected: numeric(),
  sentAt: text(),
  /** The last call whose response had arrived when this call was sent; null if its id is the previous one. */
  sentAfter: integer<number | null>(),
  ms: numeric(),
  status: integer<number | null>(),
  /** `CALL_OUTCOMES` lists all outcomes. */
  outcome: text(),
  bytes: integer(),
  /** The number of companies in the response. */
  rows: integer(),
  new: integer(),
  changed: integer(),
  /** Why the call has no usable response, or an anomaly. */
  note: text<string | null>(),
});

/** One row for each run of a command that makes calls or rebuilds tables. */
export const RUN = new Table('_run', ['runId'], {
  runId: integer(),
  command: text(),
  startedAt: text(),
  endedAt: text<string | null>(),
  /** Why the run ended; null if it is still active or was killed. */
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
  /** The time of the previous fetch, after which the change happened; null if it is unknown. */
  notBefore: text<string | null>(),
  /** The field's JSON Pointer in the record, or `_gone_at` if the company disappeared or returned. */
  path: text(),
  /**
   * The field's column. For a field in a list, the table comes first (`entity__officers.name`). Null if a whole object
   * or list element changed.
   */
  columnName: text<string | null>(),
  before: scalar(),
  after: scalar(),
  callId: integer('_call_id'),
});

/** Responses, or items in responses, that cannot be processed. */
export const QUARANTINE = new Table('_quarantine', ['quarantineId'], {
  quarantineId: integer(),
  /** The latest such response; its body is in `_answer`. */
  callId: integer(),
  kind: text<'stats' | 'search' | 'entity'>(),
  target: text(),
  /** The item's position in its list; -1 for the whole response. */
  position: integer(),
  reason: text(),
  /** The number of quarantined responses to the same request. */
  times: integer(),
  quarantinedAt: text(),
  state: text<'open' | 'replayed' | 'superseded' | 'discarded'>(),
});

/** The receivers of notifications. */
export const RECEIVER = new Table('_receiver', ['name'], {
  name: text(),
  /** All changes up to this version of the change feed are already in digests. */
  version: integer(),
  isHealthy: integer<0 | 1>(),
  disabledAt: text<string | null>(),
  why: text<string | null>(),
});

/** The entries in a backfill. */
export const BACKFILL_ITEM = new Table('_backfill_wish', ['backfillId', 'position'], {
  backfillId: integer(),
  /** The position in the input, from 1. */
  position: integer(),
  kind: text<'entity' | 'name' | 'query' | 'prefix'>(),
  /** The search parameter for a query or prefix; null for other kinds. */
  searchedBy: text<'name' | 'identifier' | null>(),
  given: text(),
  state: text<'open' | 'fresh' | 'found' | 'gone' | 'forgotten' | 'not_found' | 'ambiguous' | 'failed'>(),
  entityId: text<string | null>(),
  name: text<string | null>(),
  /** A JSON list of matching companies with scores, best match first; null if the name is not ambiguous. */
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
