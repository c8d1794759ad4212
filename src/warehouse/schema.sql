-- The schema without the tables in `tables.ts` and `payload_table.ts`. A new file gets it as it is. In an older file,
-- `migrate.ts` adds the tables and columns that are missing, creates changed views and indexes again, and converts the
-- content (`older_files.ts`).
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

CREATE INDEX _call_of_stats ON _call (outcome) WHERE kind = 'stats';
-- Counts how many consecutive searches, up to the last one, found no new company.
CREATE INDEX _call_of_search ON _call (call_id) WHERE kind = 'search';
-- The stored responses that still have to be processed.
CREATE INDEX _call_received ON _call (call_id) WHERE outcome = 'received';

-- The number of processed calls by day. Triggers update it with every call, because counting millions of calls takes
-- seconds.
CREATE TABLE _call_day (
  day     TEXT NOT NULL,
  kind    TEXT NOT NULL,
  outcome TEXT NOT NULL,
  calls   INTEGER NOT NULL,
  PRIMARY KEY (day, kind, outcome)
) WITHOUT ROWID;

CREATE TRIGGER _call_added AFTER INSERT ON _call WHEN NEW.outcome <> 'received' BEGIN
  INSERT INTO _call_day VALUES (substr(NEW.sent_at, 1, 10), NEW.kind, NEW.outcome, 1)
    ON CONFLICT DO UPDATE SET calls = calls + 1;
END;

CREATE TRIGGER _call_removed AFTER DELETE ON _call WHEN OLD.outcome <> 'received' BEGIN
  UPDATE _call_day SET calls = calls - 1
    WHERE day = substr(OLD.sent_at, 1, 10) AND kind = OLD.kind AND outcome = OLD.outcome;
END;

CREATE TRIGGER _call_changed AFTER UPDATE OF kind, outcome, sent_at ON _call WHEN NEW.outcome <> 'received' BEGIN
  UPDATE _call_day SET calls = calls - 1
    WHERE day = substr(OLD.sent_at, 1, 10) AND kind = OLD.kind AND outcome = OLD.outcome;
  INSERT INTO _call_day VALUES (substr(NEW.sent_at, 1, 10), NEW.kind, NEW.outcome, 1)
    ON CONFLICT DO UPDATE SET calls = calls + 1;
END;

-- Bodies as received. A body that differs from an earlier one only in volatile fields is a reference to it.
CREATE TABLE _answer (
  call_id     INTEGER PRIMARY KEY REFERENCES _call (call_id),
  same_as     INTEGER REFERENCES _answer (call_id),
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
  plain_bytes   INTEGER NOT NULL DEFAULT 0,  -- of the content before compression
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

CREATE INDEX _company_by_identifier ON _company (CAST(upper(entity_id) AS TEXT)) WHERE entity_id <> upper(entity_id);
CREATE INDEX _company_never_asked ON _company (asked_at) WHERE asked_at IS NULL AND gone_at IS NULL;
CREATE INDEX _company_asked_by_rate ON _company (rate_class, asked_at)
  WHERE asked_at IS NOT NULL AND gone_at IS NULL AND flagged_at IS NULL;
CREATE INDEX _company_flagged_by_rate ON _company (rate_class, flagged_at) WHERE flagged_at IS NOT NULL;
CREATE INDEX _company_unlisted ON _company (flagged_at)
  WHERE gone_at IS NULL AND (missing_at IS NOT NULL OR flagged_at > listed_at);
CREATE INDEX _company_missing ON _company (missing_run) WHERE missing_at IS NOT NULL;
CREATE INDEX _company_gone ON _company (2 * asked_at - gone_at) WHERE gone_at IS NOT NULL;
CREATE INDEX _company_by_record_version ON _company (record_version) WHERE record_version IS NOT NULL;
-- The change feed lists a company at its last version.
CREATE INDEX _company_by_version ON _company (max(
  coalesce(record_version, 0), coalesce(record_touched, 0), coalesce(summary_version, 0), coalesce(summary_touched, 0)));

-- Ids in the order in which searches compare them. Most ids have no small letters, and the index of the ids has them in
-- this order. SQLite merges the two indexes only if both columns have the same type, hence the CAST.
CREATE VIEW _identifier AS
SELECT entity_id AS folded, known_id FROM _company WHERE entity_id = upper(entity_id)
UNION ALL
SELECT CAST(upper(entity_id) AS TEXT), known_id FROM _company WHERE entity_id <> upper(entity_id);

-- Counts of known, listed, fetched and gone companies, which would otherwise need a scan.
CREATE TABLE _tally (
  what TEXT PRIMARY KEY,
  n    INTEGER NOT NULL
) WITHOUT ROWID;

CREATE UNIQUE INDEX _quarantine_open ON _quarantine (kind, target, position) WHERE state = 'open';

-- Names in the order in which searches compare them. To count the names with a prefix, SQLite reads only the index.
CREATE TABLE _name (
  folded   TEXT NOT NULL,                    -- in lower case, one space between words
  known_id INTEGER NOT NULL,
  PRIMARY KEY (folded, known_id)
) WITHOUT ROWID;

-- How many companies have each word in their names, for searches that match words. With these counts, the planner need
-- not read all names. A company's words are sorted, and each one counts once. `shared` is the number of prefixes that a
-- word has in common with the preceding word. The empty prefix is one of them. To count the companies that have a
-- prefix, add up the rows with this prefix whose `shared` is at most the prefix's length.
CREATE TABLE _name_word (
  word      TEXT NOT NULL,
  shared    INTEGER NOT NULL,
  companies INTEGER NOT NULL,
  PRIMARY KEY (word, shared)
) WITHOUT ROWID;

-- The columns of the full-text index, which stores no text of its own.
CREATE VIEW _search_text AS
SELECT known_id, name, entity_id || coalesce(char(10) || identifiers, '') AS identifiers, former_names, entity_id FROM _company;

-- Each entry for a column after the first one takes two additional bytes, so the names come first. SQLite 3.34 and newer
-- can read this index. Names with diacritics are indexed twice, once unchanged and once without diacritics, because
-- the tokenizer's own option for this requires SQLite 3.45. The ids are not indexed here, because `_company` has an index
-- of them. Nor are the sizes of the texts stored, which only `rank` needs.
CREATE VIRTUAL TABLE entity_fts USING fts5 (
  name,
  identifiers,
  former_names,
  entity_id UNINDEXED,
  content = '_search_text',
  content_rowid = 'known_id',
  columnsize = 0,
  tokenize = 'trigram'
);

-- The tables that analysts read. Loading responses adds payload columns and child tables. `published_tables.ts` has the
-- meaning of each column.

CREATE INDEX entity_change_by_entity ON entity_change (entity_id);
-- Finds a field's changes, or the companies that disappeared or returned, among millions of changes.
CREATE INDEX entity_change_by_path ON entity_change (path);

CREATE INDEX _backfill_wish_open ON _backfill_wish (backfill_id, kind) WHERE state = 'open';

-- The change feed. One sequence of versions orders all public tables' rows. `_company` has the versions of a company's
-- rows, and `_feed_row` those of deleted rows and of statistics.
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

CREATE INDEX _delivery_open ON _delivery (next_try_at);

-- The views that analysts read. `company_views.ts` adds `company` and a view for each list.

CREATE VIEW entity_overview AS
WITH company AS (
  SELECT *, max(first_seen_at, coalesce(listed_at, 0), coalesce(fetched_at, 0)) AS last_seen_at FROM _company
)
SELECT
  entity_id,
  name,
  CASE WHEN gone_at IS NOT NULL THEN 'gone' WHEN fetched_at IS NOT NULL THEN 'fetched' ELSE 'listed' END AS state,
  strftime('%Y-%m-%dT%H:%M:%fZ', first_seen_at / 1000.0, 'unixepoch') AS first_seen_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', last_seen_at / 1000.0, 'unixepoch') AS last_seen_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', fetched_at / 1000.0, 'unixepoch') AS fetched_at,
  julianday('now') - julianday(coalesce(fetched_at, last_seen_at) / 1000.0, 'unixepoch') AS age_days
FROM company;

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
  sum(calls) AS calls,
  sum(iif(kind = 'stats', calls, 0)) AS stats_calls,
  sum(iif(kind = 'search', calls, 0)) AS search_calls,
  sum(iif(kind = 'entity', calls, 0)) AS entity_calls,
  sum(iif(outcome = 'ok', calls, 0)) AS ok,
  sum(iif(outcome IN ('absent', 'gone'), calls, 0)) AS absent,
  sum(iif(outcome IN ('broken', 'refused', 'unauthorised'), calls, 0)) AS failed,
  sum(iif(outcome IN ('throttled', 'exhausted'), calls, 0)) AS turned_away,
  -- Queries of users may select it.
  0 AS unsent
FROM _call_day
WHERE calls > 0
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
  CASE WHEN b.block_id IS NULL THEN
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
