import type { Call, SearchQuery } from '../call.ts';
import type { QueryState } from '../load_result.ts';
import { column, type RowOf, Table, time } from './table.ts';

// Tables whose rows the program reads and writes as objects. `schema.sql` has the other ones.

/**
 * One narrow row per known company, for lookups by the planner, the loader and the overview. In NUMERIC columns, whole
 * numbers take one or two bytes instead of eight.
 */
export const COMPANY = new Table('_company', [], {
  knownId: column<number>('known_id INTEGER PRIMARY KEY'),
  entityId: column<string>('entity_id TEXT NOT NULL UNIQUE'),
  name: column<string | null>('name TEXT'), // as last seen
  formerNames: column<string | null>('former_names TEXT'),
  identifiers: column<string | null>('identifiers TEXT'), // those other than the id, one per line
  firstSeenAt: time<string>('first_seen_at INTEGER NOT NULL'),
  listedAt: time<string | null>('listed_at INTEGER'), // last seen in a search
  // the last response to a call for its record, regardless of the outcome
  askedAt: time<string | null>('asked_at INTEGER'),
  fetchedAt: time<string | null>('fetched_at INTEGER'),
  // a search showed a change since the last fetch, or a complete listing no longer shows the company
  flaggedAt: time<string | null>('flagged_at INTEGER'),
  missingAt: time<string | null>('missing_at INTEGER'), // a 404 for a known company, without proof
  missingShape: column<string | null>('missing_shape TEXT'),
  // the run of the claim; null if no claim of this run is believed, because it had too many
  missingRun: column<number | null>('missing_run INTEGER'),
  missingCall: column<number | null>('missing_call INTEGER'), // the call that returned the 404
  goneAt: time<string | null>('gone_at INTEGER'),
  summaryHash: column<Buffer | null>('summary_hash BLOB'), // 8 bytes for each row of the company
  changes: column<number>('changes INTEGER NOT NULL DEFAULT 0'), // periods that ended with a change
  changingDays: column<number>('changing_days NUMERIC NOT NULL DEFAULT 0'), // days in these periods
  steadyDays: column<number>('steady_days NUMERIC NOT NULL DEFAULT 0'), // days observed without a change
  // class 0 is once a day; every third class doubles the rate
  rateClass: column<number>('rate_class INTEGER NOT NULL DEFAULT -26'),
  // Versions in the change feed. Each is NULL if its row does not exist or has not changed since.
  recordAdded: column<number | null>('record_added INTEGER'), // its first version, if it has been written again since
  recordVersion: column<number | null>('record_version INTEGER'), // when the record was last written with its lists
  recordTouched: column<number | null>('record_touched INTEGER'), // when only its times changed later
  summaryAdded: column<number | null>('summary_added INTEGER'),
  summaryVersion: column<number | null>('summary_version INTEGER'),
  summaryTouched: column<number | null>('summary_touched INTEGER'),
});

/** The versions of each record, with the call that returned them. A version begins when its call was sent. */
export const VERSION = new Table('_record_version', ['entity_id', 'call_id'], {
  entityId: column<string>('entity_id TEXT NOT NULL'),
  callId: column<number>('call_id INTEGER NOT NULL'),
  endedAt: column<string | null>('ended_at TEXT'), // the time from which the entity is gone
  isTombstone: column<0 | 1>('is_tombstone INTEGER NOT NULL DEFAULT 0'),
});

/** The progress of each query's listing. */
export const QUERY = new Table('_query', ['query_key'], {
  key: column<string>('query_key TEXT NOT NULL'), // name:acme
  by: column<SearchQuery['by']>('by TEXT NOT NULL'),
  text: column<string>('text TEXT NOT NULL'),
  total: column<number | null>('total INTEGER'), // the last reported total
  pages: column<number>('pages INTEGER NOT NULL'), // pages in the current listing, from 0 up to the first missing one
  rows: column<number>('rows INTEGER NOT NULL'),
  next: column<string | null>('next TEXT'), // the next page's cursor or URL
  status: column<QueryState['status']>('status TEXT NOT NULL'),
  listedAt: column<string>('listed_at TEXT NOT NULL'), // when the current listing's first page was requested
  askedAt: column<string>('asked_at TEXT NOT NULL'),
  note: column<string | null>('note TEXT'), // an anomaly, such as a repeated page or a smaller total
  // the call that returned the current listing's first page
  firstCall: column<number>('first_call INTEGER NOT NULL DEFAULT 0'),
  // how often it was started again because companies moved while it was read
  repeats: column<number>('repeats INTEGER NOT NULL DEFAULT 0'),
  // 1 if the next page is one that must be read again
  isContradicted: column<0 | 1>('contradicted INTEGER NOT NULL DEFAULT 0'),
  // 1 if another listing had shown each of its companies before
  isRedundant: column<0 | 1>('redundant INTEGER NOT NULL DEFAULT 0'),
});

/** The last reading of each page. */
export const QUERY_PAGE = new Table('_query_page', ['query_key', 'page'], {
  key: column<string>('query_key TEXT NOT NULL'),
  index: column<number>('page INTEGER NOT NULL'),
  callId: column<number>('call_id INTEGER NOT NULL'),
  sentAt: column<string>('sent_at TEXT NOT NULL'),
  rows: column<number>('rows INTEGER NOT NULL'),
  total: column<number | null>('total INTEGER'),
  next: column<string | null>('next TEXT'),
  fingerprint: column<Buffer>('fingerprint BLOB NOT NULL'), // the hashes of the ids, in order
  // compared with an earlier reading
  overlap: column<'none' | 'same' | 'partial' | 'disjoint'>("overlap TEXT NOT NULL DEFAULT 'none'"),
  // companies that moved to earlier pages before, as far as this page shows it
  moved: column<number>('moved INTEGER NOT NULL DEFAULT 0'),
  // the page as the last listing showed it, until the new listing is complete
  earlierCall: column<number | null>('earlier_call INTEGER'),
  earlierFingerprint: column<Buffer | null>('earlier_fingerprint BLOB'),
});

/** The failed targets that are waiting for a retry. A successful call deletes its target's row. */
export const FAILURE = new Table('_failure', ['kind', 'target'], {
  kind: column<Call['kind']>('kind TEXT NOT NULL'),
  target: column<string>('target TEXT NOT NULL'),
  tries: column<number>('tries INTEGER NOT NULL'),
  failedAt: column<string>('failed_at TEXT NOT NULL'),
  nextTryAt: column<string>('next_try_at TEXT NOT NULL'),
  why: column<string>('why TEXT NOT NULL'),
  callId: column<number>('call_id INTEGER NOT NULL'),
});

/** One row per HTTP attempt. All other rows' lineage leads to these rows. */
export const CALL = new Table('_call', [], {
  callId: column<number>('call_id INTEGER PRIMARY KEY'),
  runId: column<number>('run_id INTEGER NOT NULL REFERENCES _run (run_id)'),
  kind: column<string>('kind TEXT NOT NULL'), // stats, search, entity, probe
  target: column<string>('target TEXT NOT NULL'), // '', name:acme, name:acme#2, or an entity id
  page: column<number | null>('page INTEGER'), // page of a search, from 0
  reason: column<string>('reason TEXT NOT NULL'), // why the planner chose it
  expected: column<number>('expected NUMERIC NOT NULL'), // the expected yield
  sentAt: column<string>('sent_at TEXT NOT NULL'),
  ms: column<number>('ms NUMERIC NOT NULL'),
  status: column<number | null>('status INTEGER'), // HTTP status; NULL if there was no response
  outcome: column<string>('outcome TEXT NOT NULL'), // docs/analysts.md lists them
  bytes: column<number>('bytes INTEGER NOT NULL'),
  rows: column<number>('rows INTEGER NOT NULL DEFAULT 0'), // companies in the response
  // of these, seen for the first time or fetched for the first time
  new: column<number>('new INTEGER NOT NULL DEFAULT 0'),
  changed: column<number>('changed INTEGER NOT NULL DEFAULT 0'), // of these, different from the stored content
  note: column<string | null>('note TEXT'), // the reason for a failure, or an anomaly
  // the last call whose response had arrived; NULL for the previous id
  sentAfter: column<number | null>('sent_after INTEGER'),
});

/** One row for each run of a command that makes calls or rebuilds tables. */
export const RUN = new Table('_run', [], {
  runId: column<number>('run_id INTEGER PRIMARY KEY'),
  command: column<string>('command TEXT NOT NULL'),
  owner: column<string | null>('owner TEXT'),
  startedAt: column<string>('started_at TEXT NOT NULL'),
  endedAt: column<string | null>('ended_at TEXT'),
  ended: column<string | null>('ended TEXT'), // done, allowance, max_calls, …; NULL if active or killed
  calls: column<number>('calls INTEGER NOT NULL DEFAULT 0'),
  new: column<number>('new INTEGER NOT NULL DEFAULT 0'), // companies seen for the first time
  changed: column<number>('changed INTEGER NOT NULL DEFAULT 0'), // records whose content differed
  gone: column<number>('gone INTEGER NOT NULL DEFAULT 0'),
  quarantined: column<number>('quarantined INTEGER NOT NULL DEFAULT 0'),
  error: column<string | null>('error TEXT'),
});

/** The payload tables of the inferred schema. */
export const PAYLOAD_TABLE = new Table('_table', ['table_name'], {
  name: column<string>('table_name TEXT NOT NULL'),
  parentTable: column<string | null>('parent_table TEXT'),
  path: column<string>('path TEXT NOT NULL'), // JSON Pointer of the list inside the parent's row
  rowsSeen: column<number>('rows_seen INTEGER NOT NULL DEFAULT 0'),
  // comparisons between a response and an earlier one
  compared: column<number>('compared INTEGER NOT NULL DEFAULT 0'),
  firstSeenAt: column<string>('first_seen_at TEXT NOT NULL'),
});

/** The paths seen in payloads, and their columns. A column never changes once it is chosen. */
export const PAYLOAD_COLUMN = new Table('_column', ['table_name', 'path'], {
  tableName: column<string>('table_name TEXT NOT NULL'),
  path: column<string>('path TEXT NOT NULL'), // JSON Pointer inside the row; '' is the element itself
  column: column<string | null>('column_name TEXT'), // NULL if only objects or lists were seen
  childTable: column<string | null>('child_table TEXT'), // the table for lists at this path
  // as declared: TEXT, INTEGER, REAL, or '' if mixed or unknown
  type: column<'TEXT' | 'INTEGER' | 'REAL' | ''>('type TEXT NOT NULL'),
  types: column<string>('types TEXT NOT NULL'), // as seen, in order of appearance: text date datetime integer …
  present: column<number>('present INTEGER NOT NULL DEFAULT 0'), // rows with a value
  nulls: column<number>('nulls INTEGER NOT NULL DEFAULT 0'), // rows with null; the field is absent from the others
  changes: column<number>('changes INTEGER NOT NULL DEFAULT 0'), // comparisons in which the value differed
  firstSeenAt: column<string>('first_seen_at TEXT NOT NULL'),
  changedAt: column<string>('changed_at TEXT NOT NULL'), // when a type was last added
  callId: column<number>('call_id INTEGER NOT NULL'),
});

/** The changed fields. */
export const CHANGE = new Table('entity_change', [], {
  changeId: column<number>('change_id INTEGER PRIMARY KEY'), // also its stored version in the change feed
  entityId: column<string>('entity_id TEXT NOT NULL'),
  observedAt: column<string>('observed_at TEXT NOT NULL'),
  notBefore: column<string | null>('not_before TEXT'),
  path: column<string>('path TEXT NOT NULL'),
  before: column<null | number | bigint | string>('before'),
  after: column<null | number | bigint | string>('after'),
  callId: column<number>('_call_id INTEGER NOT NULL REFERENCES _call (call_id)'),
  columnName: column<string | null>('column_name TEXT'),
});

/** Responses, or items in responses, that cannot be processed. */
export const QUARANTINE = new Table('_quarantine', [], {
  quarantineId: column<number>('quarantine_id INTEGER PRIMARY KEY'),
  callId: column<number>('call_id INTEGER NOT NULL'), // the latest such response; its body is in _answer
  kind: column<'stats' | 'search' | 'entity'>('kind TEXT NOT NULL'),
  target: column<string>('target TEXT NOT NULL'),
  // the item's position in its list; -1 for the whole response
  position: column<number>('position INTEGER NOT NULL DEFAULT -1'),
  reason: column<string>('reason TEXT NOT NULL'),
  times: column<number>('times INTEGER NOT NULL DEFAULT 1'), // quarantined responses to the same request
  quarantinedAt: column<string>('quarantined_at TEXT NOT NULL'),
  state: column<'open' | 'replayed' | 'superseded' | 'discarded'>("state TEXT NOT NULL DEFAULT 'open'"),
});

/** Has one row while a run holds the lock. */
export const LOCK = new Table('_lock', ['name'], {
  name: column<'run'>("name TEXT NOT NULL CHECK (name = 'run')"),
  // the run's unique name, by which a process can see whether another run has taken over its lock
  owner: column<string>('owner TEXT NOT NULL'),
  pid: column<number>('pid INTEGER NOT NULL'),
  host: column<string>('host TEXT NOT NULL'),
  takenAt: column<string>('taken_at TEXT NOT NULL'),
  heartbeatAt: column<string>('heartbeat_at TEXT NOT NULL'),
  // 1 if the run ends early when another run asks for the lock
  yields: column<0 | 1>('yields INTEGER NOT NULL DEFAULT 0'),
  wantedAt: column<string | null>('wanted_at TEXT'), // when another run asked for the lock
});

/** The receivers of notifications. */
export const RECEIVER = new Table('_receiver', ['name'], {
  name: column<string>('name TEXT NOT NULL'),
  // digests contain all changes up to this version of the change feed
  version: column<number>('version INTEGER NOT NULL'),
  isHealthy: column<0 | 1>('is_healthy INTEGER NOT NULL DEFAULT 1'), // the last reported health
  delivered: column<number>('delivered INTEGER NOT NULL DEFAULT 0'), // digests
  disabledAt: column<string | null>('disabled_at TEXT'),
  why: column<string | null>('why TEXT'), // why the receiver was disabled
});

/** The digests that wait for delivery. Each is delivered at least once, and repeated deliveries have the same id. */
export const DELIVERY = new Table('_delivery', ['delivery_id'], {
  deliveryId: column<string>('delivery_id TEXT NOT NULL'), // sent as webhook-id
  receiver: column<string>('receiver TEXT NOT NULL'),
  body: column<string>('body TEXT NOT NULL'), // JSON
  createdAt: column<string>('created_at TEXT NOT NULL'),
  attempts: column<number>('attempts INTEGER NOT NULL DEFAULT 0'),
  nextTryAt: column<string>('next_try_at TEXT NOT NULL'),
  error: column<string | null>('error TEXT'), // the last attempt's error
});

/**
 * Backfills. An item's state is derived from the calls after `afterCallId`, so a killed backfill resumes without repeating
 * a call.
 */
export const BACKFILL = new Table('_backfill', [], {
  backfillId: column<number>('backfill_id INTEGER PRIMARY KEY'),
  title: column<string>('title TEXT NOT NULL'), // for example: 5,000 ids from companies.csv
  // a hash by which repeating the same command resumes the backfill
  orderHash: column<string>('order_hash TEXT NOT NULL'),
  // 1 if the records of companies found by a search are fetched too
  withRecords: column<0 | 1>('with_records INTEGER NOT NULL'),
  freshAfter: column<string>('fresh_after TEXT NOT NULL'), // a record fetched since this time is not fetched again
  afterCallId: column<number>('after_call_id INTEGER NOT NULL'), // the last call before the backfill started
  createdAt: column<string>('created_at TEXT NOT NULL'),
  finishedAt: column<string | null>('finished_at TEXT'),
  cancelledAt: column<string | null>('cancelled_at TEXT'),
  queuedAt: column<string | null>('queued_at TEXT'), // null if the worker does not process it
  queuedMaxCalls: column<number | null>('queued_max_calls INTEGER'), // null if there is no limit
});

/** The entries in a backfill. */
export const BACKFILL_ITEM = new Table('_backfill_wish', ['backfill_id', 'position'], {
  backfillId: column<number>('backfill_id INTEGER NOT NULL REFERENCES _backfill (backfill_id)'),
  position: column<number>('position INTEGER NOT NULL'), // position in the input, from 1
  kind: column<'entity' | 'name' | 'query' | 'prefix'>('kind TEXT NOT NULL'),
  searchedBy: column<'name' | 'identifier' | null>('searched_by TEXT'), // for a query or prefix: name, identifier
  given: column<string>('given TEXT NOT NULL'), // the text as given in the input
  state: column<'open' | 'fresh' | 'found' | 'gone' | 'forgotten' | 'not_found' | 'ambiguous' | 'failed'>(
    "state TEXT NOT NULL DEFAULT 'open'",
  ),
  entityId: column<string | null>('entity_id TEXT'),
  name: column<string | null>('name TEXT'),
  candidates: column<string | null>('candidates TEXT'), // for an ambiguous name: JSON, best match first
  note: column<string | null>('note TEXT'),
  callId: column<number | null>('call_id INTEGER'), // the call that settled the item
});

/** Every table that is described here. */
export const TABLES: readonly { readonly name: string; readonly sql: string }[] = [
  COMPANY,
  VERSION,
  QUERY,
  QUERY_PAGE,
  FAILURE,
  CALL,
  RUN,
  PAYLOAD_TABLE,
  PAYLOAD_COLUMN,
  CHANGE,
  QUARANTINE,
  LOCK,
  RECEIVER,
  DELIVERY,
  BACKFILL,
  BACKFILL_ITEM,
];

export type KnownRow = RowOf<typeof COMPANY>;

/** The known facts about one company. Times are ISO 8601. */
export type Known = { -readonly [K in keyof Omit<KnownRow, 'knownId'>]: KnownRow[K] };
