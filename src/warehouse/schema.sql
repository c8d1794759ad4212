-- The whole schema. A new file gets it as it is. In an older file, `migrate.ts` adds the tables and columns that are
-- missing, creates changed views and indexes again, and converts the content (`older_files.ts`).
-- Times in internal tables are epoch milliseconds, except where TEXT is declared. Those are ISO 8601.

-- Calls, responses and runs. The lineage of every other row leads to these tables.

CREATE TABLE _migration (
  number     INTEGER PRIMARY KEY,            -- of the schema, or of a conversion that the file does not need
  name       TEXT NOT NULL,
  applied_at TEXT NOT NULL
);

CREATE TABLE _meta (
  key   TEXT PRIMARY KEY,
  value TEXT
) WITHOUT ROWID;

CREATE TABLE _run (
  run_id      INTEGER PRIMARY KEY,
  command     TEXT NOT NULL,
  owner       TEXT,
  started_at  TEXT NOT NULL,
  ended_at    TEXT,
  ended       TEXT,                          -- done, allowance, max_calls, …; NULL if active or killed
  calls       INTEGER NOT NULL DEFAULT 0,
  new         INTEGER NOT NULL DEFAULT 0,    -- companies seen for the first time
  changed     INTEGER NOT NULL DEFAULT 0,    -- records whose content differed
  gone        INTEGER NOT NULL DEFAULT 0,
  quarantined INTEGER NOT NULL DEFAULT 0,
  error       TEXT
);

-- Has one row while a run holds the lock.
CREATE TABLE _lock (
  name         TEXT PRIMARY KEY CHECK (name = 'run'),
  owner        TEXT NOT NULL,
  pid          INTEGER NOT NULL,
  host         TEXT NOT NULL,
  taken_at     TEXT NOT NULL,
  heartbeat_at TEXT NOT NULL,
  yields       INTEGER NOT NULL DEFAULT 0,   -- 1 if the run ends early when another run asks for the lock
  wanted_at    TEXT                          -- when another run asked for the lock
) WITHOUT ROWID;

CREATE TABLE _call (
  call_id    INTEGER PRIMARY KEY,
  run_id     INTEGER NOT NULL REFERENCES _run (run_id),
  kind       TEXT NOT NULL,                  -- stats, search, entity, probe
  target     TEXT NOT NULL,                  -- '', name:acme, name:acme#2, or an entity id
  page       INTEGER,                        -- page of a search, from 0
  reason     TEXT NOT NULL,                  -- why the planner chose it
  expected   NUMERIC NOT NULL,               -- the expected yield
  sent_at    TEXT NOT NULL,
  ms         NUMERIC NOT NULL,
  status     INTEGER,                        -- HTTP status; NULL if there was no response
  outcome    TEXT NOT NULL,                  -- received, ok, absent, gone, refused, throttled, exhausted, unauthorised, broken, unsent
  bytes      INTEGER NOT NULL,
  rows       INTEGER NOT NULL DEFAULT 0,     -- companies in the response
  new        INTEGER NOT NULL DEFAULT 0,     -- of these, seen for the first time or fetched for the first time
  changed    INTEGER NOT NULL DEFAULT 0,     -- of these, different from the stored content
  note       TEXT,                           -- the reason for a failure, or an anomaly
  sent_after INTEGER                         -- the last call whose response had arrived; NULL for the previous id
);

CREATE INDEX _call_of_stats ON _call (outcome) WHERE kind = 'stats';
-- Counts how many consecutive searches, up to the last one, found no new company.
CREATE INDEX _call_of_search ON _call (call_id) WHERE kind = 'search';
-- The stored responses that still have to be processed.
CREATE INDEX _call_received ON _call (call_id) WHERE outcome = 'received';

-- The number of calls by day. Triggers update it with every call, because counting millions of calls takes seconds.
CREATE TABLE _call_day (
  day     TEXT NOT NULL,
  kind    TEXT NOT NULL,
  outcome TEXT NOT NULL,
  calls   INTEGER NOT NULL,
  PRIMARY KEY (day, kind, outcome)
) WITHOUT ROWID;

CREATE TRIGGER _call_added AFTER INSERT ON _call BEGIN
  INSERT INTO _call_day VALUES (substr(NEW.sent_at, 1, 10), NEW.kind, NEW.outcome, 1)
    ON CONFLICT DO UPDATE SET calls = calls + 1;
END;

CREATE TRIGGER _call_changed AFTER UPDATE OF kind, outcome, sent_at ON _call BEGIN
  UPDATE _call_day SET calls = calls - 1
    WHERE day = substr(OLD.sent_at, 1, 10) AND kind = OLD.kind AND outcome = OLD.outcome;
  INSERT INTO _call_day VALUES (substr(NEW.sent_at, 1, 10), NEW.kind, NEW.outcome, 1)
    ON CONFLICT DO UPDATE SET calls = calls + 1;
END;

-- Bodies as received. A body that differs from an earlier one only in volatile fields is a reference to it.
CREATE TABLE _answer (
  call_id     INTEGER PRIMARY KEY REFERENCES _call (call_id),
  same_as     INTEGER REFERENCES _answer (call_id),
  encoding    TEXT,                          -- only in older files: zstd if the body is compressed, block if it is in a block
  body        BLOB,                          -- empty if it is in a block
  headers     TEXT,                          -- JSON: the response headers that are needed to read the body again
  redacted_at TEXT,                          -- a forgotten entity was removed: no longer byte for byte
  block_id    INTEGER,                       -- the next three: where the body is in its block
  start       INTEGER,
  body_bytes  INTEGER,
  CHECK ((same_as IS NULL) = (body IS NOT NULL))
);

CREATE INDEX _answer_same_as ON _answer (same_as) WHERE same_as IS NOT NULL;

-- The bodies of consecutive calls are compressed together, because similar bodies share most of their text. A body is
-- stored as received first, and moves to a block once enough bodies are waiting.
CREATE TABLE _block (
  block_id      INTEGER PRIMARY KEY AUTOINCREMENT, -- a changed block gets a new id, so that readers can cache it
  first_call_id INTEGER NOT NULL,
  last_call_id  INTEGER NOT NULL,
  content       BLOB NOT NULL                -- the bodies, concatenated and compressed with zstd
);

-- Ids of forgotten entities, which must not be loaded again.
CREATE TABLE _forgotten (
  entity_id    TEXT PRIMARY KEY,
  forgotten_at TEXT NOT NULL,
  version      INTEGER NOT NULL DEFAULT 0,   -- in the change feed
  undone_at    TEXT                          -- when `forget --undo` permitted the company again; NULL if it is forgotten
) WITHOUT ROWID;

-- Tables derived from responses. They can be rebuilt from _call and _answer.

-- One narrow row per known company, for lookups by the planner, the loader and the overview. In NUMERIC columns, whole
-- numbers take one or two bytes instead of eight.
CREATE TABLE _company (
  known_id        INTEGER PRIMARY KEY,
  entity_id       TEXT NOT NULL UNIQUE,
  name            TEXT,                       -- as last seen
  former_names    TEXT,
  identifiers     TEXT,                       -- the id and the other identifiers, one per line; NULL if there is no other
  first_seen_at   INTEGER NOT NULL,
  last_seen_at    INTEGER NOT NULL,           -- in a search or by a fetch
  listed_at       INTEGER,                    -- last seen in a search
  asked_at        INTEGER,                    -- the last response to a call for its record, regardless of the outcome
  fetched_at      INTEGER,
  changed_at      INTEGER,
  flagged_at      INTEGER,                    -- a search showed a change since the last fetch
  missing_at      INTEGER,                    -- a 404 for a known company, without proof
  missing_shape   TEXT,
  missing_run     INTEGER,
  missing_call    INTEGER,                    -- the call that returned the 404
  gone_at         INTEGER,
  summary_hash    BLOB,                       -- 8 bytes for each row of the company
  record_call_id  INTEGER,                    -- the call that returned the latest version
  changes         INTEGER NOT NULL DEFAULT 0, -- periods that ended with a change
  changing_days   NUMERIC NOT NULL DEFAULT 0, -- days in these periods
  changing_log    NUMERIC NOT NULL DEFAULT 0, -- sum of the logarithms of these days
  steady_days     NUMERIC NOT NULL DEFAULT 0, -- days observed without a change
  rate_class      INTEGER NOT NULL DEFAULT -26, -- class 0 is once a day; every third class doubles the rate
  -- Versions in the change feed. Each is NULL if its row does not exist or has not changed since.
  record_added    INTEGER,                    -- the record_version when the record was first stored
  record_version  INTEGER,                    -- when the record was last written with its lists
  record_touched  INTEGER,                    -- when only its times changed later
  summary_added   INTEGER,
  summary_version INTEGER,
  summary_touched INTEGER
);

CREATE INDEX _company_by_identifier ON _company (upper(entity_id));
CREATE INDEX _company_never_asked ON _company (asked_at) WHERE asked_at IS NULL AND gone_at IS NULL;
CREATE INDEX _company_asked_by_rate ON _company (rate_class, asked_at)
  WHERE asked_at IS NOT NULL AND gone_at IS NULL AND flagged_at IS NULL;
CREATE INDEX _company_flagged_by_rate ON _company (rate_class, flagged_at) WHERE flagged_at IS NOT NULL;
CREATE INDEX _company_missing ON _company (missing_run) WHERE missing_at IS NOT NULL;
CREATE INDEX _company_gone ON _company (gone_at) WHERE gone_at IS NOT NULL;
CREATE INDEX _company_by_record_version ON _company (record_version) WHERE record_version IS NOT NULL;
CREATE INDEX _company_by_record_touched ON _company (record_touched) WHERE record_touched IS NOT NULL;
CREATE INDEX _company_by_summary_version ON _company (summary_version) WHERE summary_version IS NOT NULL;
CREATE INDEX _company_by_summary_touched ON _company (summary_touched) WHERE summary_touched IS NOT NULL;

-- Counts of known, listed, fetched and gone companies, which would otherwise need a scan.
CREATE TABLE _tally (
  what TEXT PRIMARY KEY,
  n    INTEGER NOT NULL
) WITHOUT ROWID;

-- The versions of each record, with the call that returned them. A version begins when its call was sent.
CREATE TABLE _record_version (
  entity_id    TEXT NOT NULL,
  call_id      INTEGER NOT NULL,
  ended_at     TEXT,                          -- the time from which the entity is gone
  is_tombstone INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (entity_id, call_id)
) WITHOUT ROWID;

CREATE TABLE _query (
  query_key    TEXT PRIMARY KEY,             -- name:acme
  by           TEXT NOT NULL,                -- name, identifier
  text         TEXT NOT NULL,
  total        INTEGER,                      -- the last reported total
  pages        INTEGER NOT NULL,             -- pages in the current listing, from 0 up to the first missing one
  rows         INTEGER NOT NULL,
  next         TEXT,                         -- the next page's cursor or URL
  status       TEXT NOT NULL,                -- open, complete, capped, refused
  listed_at    TEXT NOT NULL,                -- when the current listing's first page was requested
  asked_at     TEXT NOT NULL,
  note         TEXT,                         -- an anomaly, such as a repeated page or a smaller total
  first_call   INTEGER NOT NULL DEFAULT 0,   -- the call that returned the current listing's first page
  repeats      INTEGER NOT NULL DEFAULT 0,   -- how often it was started again because companies moved while it was read
  contradicted INTEGER NOT NULL DEFAULT 0    -- 1 if the next page is one that must be read again
) WITHOUT ROWID;

-- The last reading of each page.
CREATE TABLE _query_page (
  query_key   TEXT NOT NULL,
  page        INTEGER NOT NULL,
  call_id     INTEGER NOT NULL,
  sent_at     TEXT NOT NULL,
  rows        INTEGER NOT NULL,
  total       INTEGER,
  next        TEXT,
  fingerprint BLOB NOT NULL,                 -- the hashes of the ids, in order
  overlap     TEXT NOT NULL DEFAULT 'none',  -- compared with an earlier reading: none, same, partial, disjoint
  moved       INTEGER NOT NULL DEFAULT 0,    -- companies that moved to earlier pages before, as far as this page shows it
  PRIMARY KEY (query_key, page)
) WITHOUT ROWID;

CREATE TABLE _failure (
  kind        TEXT NOT NULL,
  target      TEXT NOT NULL,
  tries       INTEGER NOT NULL,
  failed_at   TEXT NOT NULL,
  next_try_at TEXT NOT NULL,
  why         TEXT NOT NULL,
  call_id     INTEGER NOT NULL,
  PRIMARY KEY (kind, target)
) WITHOUT ROWID;

CREATE TABLE _quarantine (
  quarantine_id  INTEGER PRIMARY KEY,
  call_id        INTEGER NOT NULL,           -- the latest such response; its body is in _answer
  kind           TEXT NOT NULL,
  target         TEXT NOT NULL,
  position       INTEGER NOT NULL DEFAULT -1, -- the item's position in its list; -1 for the whole response
  reason         TEXT NOT NULL,
  times          INTEGER NOT NULL DEFAULT 1, -- quarantined responses to the same request
  quarantined_at TEXT NOT NULL,
  state          TEXT NOT NULL DEFAULT 'open' -- open, replayed, superseded, discarded
);

CREATE UNIQUE INDEX _quarantine_open ON _quarantine (kind, target, position) WHERE state = 'open';

-- Estimates from all companies, as JSON: the prior for change rates, and the share of changes that listings show.
CREATE TABLE _change_estimate (
  class TEXT PRIMARY KEY,
  state TEXT NOT NULL
) WITHOUT ROWID;

-- The inferred schema, with each payload path's column. A column never changes once it is chosen.
CREATE TABLE _table (
  table_name    TEXT PRIMARY KEY,
  parent_table  TEXT,
  path          TEXT NOT NULL,               -- JSON Pointer of the list inside the parent's row
  rows_seen     INTEGER NOT NULL DEFAULT 0,
  compared      INTEGER NOT NULL DEFAULT 0,  -- comparisons between a response and an earlier one
  first_seen_at TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE _column (
  table_name    TEXT NOT NULL,
  path          TEXT NOT NULL,               -- JSON Pointer inside the row; '' is the element itself
  column_name   TEXT,                        -- NULL if only objects or lists were seen
  child_table   TEXT,                        -- the table for lists at this path
  type          TEXT NOT NULL,               -- as declared: TEXT, INTEGER, REAL, or '' if mixed or unknown
  types         TEXT NOT NULL,               -- as seen, in order of appearance: text date datetime integer …
  present       INTEGER NOT NULL DEFAULT 0,  -- rows with a value
  nulls         INTEGER NOT NULL DEFAULT 0,  -- rows with null; the field is absent from the others
  changes       INTEGER NOT NULL DEFAULT 0,  -- comparisons in which the value differed
  first_seen_at TEXT NOT NULL,
  changed_at    TEXT NOT NULL,               -- when a type was last added
  call_id       INTEGER NOT NULL,
  PRIMARY KEY (table_name, path)
) WITHOUT ROWID;

-- Names in the order in which searches compare them. To count the names with a prefix, SQLite reads only the index. The
-- names of new companies are added in groups. `_meta.named_until` is the last company in `_name` and `_word`.
CREATE TABLE _name (
  folded   TEXT NOT NULL,                    -- in lower case, one space between words
  known_id INTEGER NOT NULL,
  PRIMARY KEY (folded, known_id)
) WITHOUT ROWID;

-- How many companies have each word in their names, for searches that match words. With these counts, the planner need
-- not read all names. A set is created when it is first needed, and updated from then on.
CREATE TABLE _word_set (
  set_id   INTEGER PRIMARY KEY,
  beside   TEXT NOT NULL,                    -- counts companies with a word that has this prefix; '' for all companies
  is_whole INTEGER NOT NULL,                 -- 1: counts companies that have exactly this word
  UNIQUE (beside, is_whole)
);

-- A company's words are sorted, and each one counts once. `shared` is the number of prefixes, including the empty one,
-- that a word has in common with the preceding word. To count the companies that have a prefix, add up the rows with
-- this prefix whose `shared` is at most the prefix's length.
CREATE TABLE _word (
  set_id    INTEGER NOT NULL,
  word      TEXT NOT NULL,
  shared    INTEGER NOT NULL,
  companies INTEGER NOT NULL,
  PRIMARY KEY (set_id, word, shared)
) WITHOUT ROWID;

-- The columns of the full-text index, which stores no text of its own.
CREATE VIEW _search_text AS
SELECT known_id, name, coalesce(identifiers, entity_id) AS identifiers, former_names, entity_id FROM _company;

-- Each entry for a column after the first one takes two additional bytes, so the names come first. SQLite 3.34 and newer
-- can read this index. Names with diacritics are indexed twice, once unchanged and once without diacritics, because
-- the tokenizer's own option for this requires SQLite 3.45.
CREATE VIRTUAL TABLE entity_fts USING fts5 (
  name,
  identifiers,
  former_names,
  entity_id UNINDEXED,
  content = '_search_text',
  content_rowid = 'known_id',
  tokenize = 'trigram'
);

-- The tables that analysts read. Loading responses adds payload columns and child tables. `published_tables.ts` has the
-- meaning of each column.

CREATE TABLE entity (
  entity_id   TEXT PRIMARY KEY NOT NULL,
  _fetched_at TEXT NOT NULL,
  _changed_at TEXT NOT NULL,
  _gone_at    TEXT,
  _call_id    INTEGER NOT NULL REFERENCES _call (call_id)
);

CREATE TABLE search_result (
  entity_id      TEXT PRIMARY KEY NOT NULL,
  _first_seen_at TEXT NOT NULL,
  _last_seen_at  TEXT NOT NULL,
  _call_id       INTEGER NOT NULL REFERENCES _call (call_id)
);

CREATE TABLE registry_stats (
  observed_at TEXT NOT NULL,
  total       INTEGER,
  _call_id    INTEGER PRIMARY KEY REFERENCES _call (call_id)
);

CREATE TABLE entity_change (
  change_id   INTEGER PRIMARY KEY,           -- also the version in the change feed
  entity_id   TEXT NOT NULL,
  observed_at TEXT NOT NULL,
  not_before  TEXT,
  path        TEXT NOT NULL,
  before      ,
  after       ,
  _call_id    INTEGER NOT NULL REFERENCES _call (call_id),
  column_name TEXT
);

CREATE INDEX entity_change_by_entity ON entity_change (entity_id);
CREATE INDEX entity_change_by_call ON entity_change (_call_id);
-- Finds a field's changes, or the companies that disappeared or returned, among millions of changes.
CREATE INDEX entity_change_by_path ON entity_change (path);

-- Backfills and their items. An item's state is derived from the calls after after_call_id, so a killed backfill
-- resumes without repeating a call.
CREATE TABLE _backfill (
  backfill_id      INTEGER PRIMARY KEY,
  title            TEXT NOT NULL,            -- for example: 5,000 ids from companies.csv
  order_hash       TEXT NOT NULL,            -- a hash by which repeating the same command resumes the backfill
  with_records     INTEGER NOT NULL,         -- also fetch the records of companies found by a search
  fresh_after      TEXT NOT NULL,            -- a record fetched since this time is not fetched again
  after_call_id    INTEGER NOT NULL,         -- the last call before the backfill started
  created_at       TEXT NOT NULL,
  finished_at      TEXT,
  cancelled_at     TEXT,
  queued_at        TEXT,                     -- NULL if the worker does not process it
  queued_max_calls INTEGER                   -- NULL if there is no limit
);

CREATE TABLE _backfill_wish (
  backfill_id INTEGER NOT NULL REFERENCES _backfill (backfill_id),
  position    INTEGER NOT NULL,              -- position in the input, from 1
  kind        TEXT NOT NULL,                 -- entity, name, query, prefix
  searched_by TEXT,                          -- for a query or prefix: name, identifier
  given       TEXT NOT NULL,                 -- the text as given in the input
  state       TEXT NOT NULL DEFAULT 'open',  -- open, fresh, found, gone, not_found, ambiguous, failed
  entity_id   TEXT,
  name        TEXT,
  candidates  TEXT,                          -- for an ambiguous name: JSON, best match first
  note        TEXT,
  call_id     INTEGER,                       -- the call that settled the item
  PRIMARY KEY (backfill_id, position)
) WITHOUT ROWID;

CREATE INDEX _backfill_wish_open ON _backfill_wish (backfill_id, kind) WHERE state = 'open';

-- The change feed. One sequence of versions orders all public tables' rows. Writing a record or a summary takes one
-- version for the overview, then one for the row itself, and then one for each of its list rows. `_company` stores the
-- first of these versions. A fetch or listing that finds no change uses two version numbers. `_feed_row` has the rows
-- whose versions cannot be derived from their company's versions: deleted rows, rows added to a list after its first
-- version, and statistics.
CREATE TABLE _feed_row (
  table_name TEXT NOT NULL,
  key        TEXT NOT NULL,                  -- entity_id; call id of statistics; change_id
  position   INTEGER NOT NULL,               -- in a list; 0 in other tables
  version    INTEGER NOT NULL,
  is_deleted INTEGER NOT NULL,
  PRIMARY KEY (table_name, key, position)
) WITHOUT ROWID;

CREATE INDEX _feed_row_by_version ON _feed_row (version);

-- One random name per writing session. A cursor contains a version and its session's name. A cursor that another
-- warehouse issued, or that is newer than a restored copy, is therefore recognised.
CREATE TABLE _feed_session (
  first_version INTEGER PRIMARY KEY,
  name          TEXT NOT NULL
);

-- Notification receivers and their digests. A digest is delivered at least once. Repeated deliveries have the same id.

CREATE TABLE _receiver (
  name        TEXT PRIMARY KEY,
  version     INTEGER NOT NULL,              -- digests contain all changes up to this version of the change feed
  is_healthy  INTEGER NOT NULL DEFAULT 1,    -- the last reported health
  disabled_at TEXT,
  why         TEXT                           -- why the receiver was disabled
) WITHOUT ROWID;

CREATE TABLE _delivery (
  delivery_id  TEXT PRIMARY KEY,             -- sent as webhook-id
  receiver     TEXT NOT NULL,
  body         TEXT NOT NULL,                -- JSON; empty after the delivery
  created_at   TEXT NOT NULL,
  attempts     INTEGER NOT NULL DEFAULT 0,
  next_try_at  TEXT,                         -- NULL after the delivery
  delivered_at TEXT,
  error        TEXT                          -- the last attempt's error
) WITHOUT ROWID;

CREATE INDEX _delivery_open ON _delivery (next_try_at) WHERE next_try_at IS NOT NULL;

-- The views that analysts read. `company_views.ts` adds `company` and a view for each list.

CREATE VIEW entity_overview AS
SELECT
  entity_id,
  name,
  CASE WHEN gone_at IS NOT NULL THEN 'gone' WHEN fetched_at IS NOT NULL THEN 'fetched' ELSE 'listed' END AS state,
  strftime('%Y-%m-%dT%H:%M:%fZ', first_seen_at / 1000.0, 'unixepoch') AS first_seen_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', last_seen_at / 1000.0, 'unixepoch') AS last_seen_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', fetched_at / 1000.0, 'unixepoch') AS fetched_at,
  julianday('now') - julianday(coalesce(fetched_at, last_seen_at) / 1000.0, 'unixepoch') AS age_days
FROM _company;

CREATE VIEW coverage AS
WITH tally AS (
  SELECT
    coalesce((SELECT n FROM _tally WHERE what = 'known'), 0) AS known,
    coalesce((SELECT n FROM _tally WHERE what = 'listed'), 0) AS listed,
    coalesce((SELECT n FROM _tally WHERE what = 'fetched'), 0) AS fetched,
    coalesce((SELECT n FROM _tally WHERE what = 'gone'), 0) AS gone
),
latest AS (
  SELECT total, observed_at FROM registry_stats ORDER BY _call_id DESC LIMIT 1
)
SELECT
  known,
  listed,
  fetched,
  gone,
  (SELECT total FROM latest) AS registry_total,
  (SELECT observed_at FROM latest) AS registry_total_at,
  round((known - gone) * 1.0 / (SELECT nullif(total, 0) FROM latest), 6) AS known_share,
  round(fetched * 1.0 / (SELECT nullif(total, 0) FROM latest), 6) AS fetched_share
FROM tally;

CREATE VIEW freshness AS
WITH age AS (
  SELECT 'summary' AS what, listed_at AS seen_at FROM _company WHERE listed_at IS NOT NULL AND gone_at IS NULL
  UNION ALL
  SELECT 'record', fetched_at FROM _company WHERE fetched_at IS NOT NULL AND gone_at IS NULL
),
clock AS MATERIALIZED (
  SELECT CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) AS now
)
SELECT
  what,
  count(*) AS companies,
  strftime('%Y-%m-%dT%H:%M:%fZ', min(seen_at) / 1000.0, 'unixepoch') AS oldest_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', max(seen_at) / 1000.0, 'unixepoch') AS newest_at,
  round(avg(now - seen_at) / 86400000, 3) AS mean_age_days,
  sum(seen_at >= now - 86400000) AS within_1_day,
  sum(seen_at >= now - 7 * 86400000) AS within_7_days,
  sum(seen_at >= now - 30 * 86400000) AS within_30_days,
  sum(seen_at >= now - 90 * 86400000) AS within_90_days
FROM age, clock
GROUP BY what;

CREATE VIEW allowance_daily AS
SELECT
  day,
  sum(iif(outcome <> 'unsent', calls, 0)) AS calls,
  sum(iif(kind = 'stats' AND outcome <> 'unsent', calls, 0)) AS stats_calls,
  sum(iif(kind = 'search' AND outcome <> 'unsent', calls, 0)) AS search_calls,
  sum(iif(kind = 'entity' AND outcome <> 'unsent', calls, 0)) AS entity_calls,
  sum(iif(outcome = 'ok', calls, 0)) AS ok,
  sum(iif(outcome IN ('broken', 'refused'), calls, 0)) AS failed,
  sum(iif(outcome IN ('throttled', 'exhausted'), calls, 0)) AS turned_away,
  sum(iif(outcome = 'unsent', calls, 0)) AS unsent
FROM _call_day
WHERE outcome <> 'received' AND calls > 0
GROUP BY day;

-- Each entity's record versions. A version ends when the next one begins, or when the entity is gone.
CREATE VIEW entity_history AS
SELECT
  v.entity_id,
  c.sent_at AS observed_from,
  coalesce(
    v.ended_at,
    (SELECT n.sent_at FROM _call n WHERE n.call_id = (
      SELECT min(next.call_id) FROM _record_version next
      WHERE next.entity_id = v.entity_id AND next.call_id > v.call_id))
  ) AS observed_to,
  CASE WHEN b.encoding IS NULL AND b.block_id IS NULL THEN
    CASE
      WHEN r.value = '$' THEN CAST(b.body AS TEXT)
      ELSE json_extract(CAST(b.body AS TEXT), replace(r.value, '{id}', replace(v.entity_id, '"', '\"')))
    END
  END AS document,
  v.is_tombstone,
  v.call_id AS _call_id
FROM _record_version v
JOIN _call c ON c.call_id = v.call_id
JOIN _answer a ON a.call_id = v.call_id
JOIN _answer b ON b.call_id = coalesce(a.same_as, a.call_id)
JOIN _meta r ON r.key = 'record_path';

-- Lists only what is stored: a list has a table instead of a column, and an object is stored in its members' columns.
CREATE VIEW column_overview AS
SELECT
  c.table_name,
  coalesce(c.column_name, c.child_table) AS column_name,
  c.path,
  c.child_table,
  c.type,
  c.types,
  round(c.nulls * 1.0 / nullif(t.rows_seen, 0), 4) AS null_share,
  round((t.rows_seen - c.nulls - c.present) * 1.0 / nullif(t.rows_seen, 0), 4) AS absent_share,
  round(c.changes * 1.0 / nullif(t.compared, 0), 4) AS change_share,
  c.first_seen_at,
  c.changed_at
FROM _column c
JOIN _table t USING (table_name)
WHERE coalesce(c.column_name, c.child_table) IS NOT NULL;
