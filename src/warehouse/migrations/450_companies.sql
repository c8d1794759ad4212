-- Smaller rows. `_company` replaces `_known`: times are epoch milliseconds, and the id is not repeated among the
-- identifiers. In NUMERIC columns, whole numbers take one or two bytes instead of eight. An older program that has the file open reports that `_known` is missing, and changes nothing.

PRAGMA legacy_alter_table = ON;

DROP TABLE entity_fts;
DROP VIEW entity_overview;
DROP VIEW freshness;
DROP VIEW entity_history;

-- One narrow row per known company, for lookups by the planner, the loader and the overview.
CREATE TABLE _company (
  known_id        INTEGER PRIMARY KEY,
  entity_id       TEXT NOT NULL UNIQUE,
  name            TEXT,                       -- as last seen
  former_names    TEXT,
  identifiers     TEXT,                       -- the id and the other identifiers; NULL if there is no other
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
  summary_hash    BLOB,                       -- 8 bytes
  record_call_id  INTEGER,                    -- the call that returned the latest version
  changes         INTEGER NOT NULL DEFAULT 0, -- periods that ended with a change
  changing_days   NUMERIC NOT NULL DEFAULT 0, -- days in these periods
  changing_log    NUMERIC NOT NULL DEFAULT 0, -- sum of the logarithms of these days
  steady_days     NUMERIC NOT NULL DEFAULT 0, -- days observed without a change
  rate_class      INTEGER NOT NULL DEFAULT -26, -- class 0 is once a day; every third class doubles the rate
  record_added    INTEGER,                    -- the record_version when the record was first stored
  record_version  INTEGER,                    -- when the record was last written with its lists
  record_touched  INTEGER,                    -- when only its times changed later
  summary_added   INTEGER,
  summary_version INTEGER,
  summary_touched INTEGER
);

-- A time that cannot be read counts as 1970, because NULL would mean that it never happened.
INSERT INTO _company
SELECT
  known_id, entity_id, name, former_names, nullif(identifiers, entity_id),
  epoch_ms(first_seen_at), epoch_ms(last_seen_at), epoch_ms(listed_at), epoch_ms(asked_at), epoch_ms(fetched_at),
  epoch_ms(changed_at), epoch_ms(flagged_at), epoch_ms(missing_at), missing_shape, missing_run, missing_call,
  epoch_ms(gone_at), substr(summary_hash, 1, 8), record_call_id, changes, changing_days, changing_log, steady_days,
  rate_class, record_added, record_version, record_touched, summary_added, summary_version, summary_touched
FROM _known ORDER BY known_id;

DROP TABLE _known;

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

-- The columns of the full-text index, which stores no text of its own.
CREATE VIEW _search_text AS
SELECT known_id, name, coalesce(identifiers, entity_id) AS identifiers, former_names, entity_id FROM _company;

-- Each entry for a column after the first one takes two additional bytes, so the names come first.
CREATE VIRTUAL TABLE entity_fts USING fts5 (
  name,
  identifiers,
  former_names,
  entity_id UNINDEXED,
  content = '_search_text',
  content_rowid = 'known_id',
  tokenize = 'trigram'
);

INSERT INTO entity_fts (rowid, name, identifiers, former_names, entity_id)
SELECT known_id, indexed_text(name), indexed_text(identifiers), indexed_text(former_names), entity_id FROM _search_text
ORDER BY known_id;

-- A version begins when its call was sent.
CREATE TABLE _record_version (
  entity_id    TEXT NOT NULL,
  call_id      INTEGER NOT NULL,
  ended_at     TEXT,                          -- the time from which the entity is gone
  is_tombstone INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (entity_id, call_id)
) WITHOUT ROWID;

INSERT INTO _record_version SELECT entity_id, call_id, ended_at, is_tombstone FROM _version ORDER BY 1, 2;
DROP TABLE _version;

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
  CASE WHEN b.encoding IS NULL THEN
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

-- The same calls, with NUMERIC for REAL, and without the usual value of sent_after.
CREATE TABLE _smaller_call (
  call_id    INTEGER PRIMARY KEY,
  run_id     INTEGER NOT NULL REFERENCES _run (run_id),
  kind       TEXT NOT NULL,                    -- stats, search, entity, probe
  target     TEXT NOT NULL,                    -- '', name:acme, name:acme#2, or an entity id
  page       INTEGER,                          -- page of a search, from 0
  reason     TEXT NOT NULL,                    -- why the planner chose it
  expected   NUMERIC NOT NULL,                 -- the expected yield
  sent_at    TEXT NOT NULL,
  ms         NUMERIC NOT NULL,
  status     INTEGER,                          -- HTTP status; NULL if there was no response
  outcome    TEXT NOT NULL,                    -- see docs/analysts.md
  bytes      INTEGER NOT NULL,
  rows       INTEGER NOT NULL DEFAULT 0,       -- companies in the response
  new        INTEGER NOT NULL DEFAULT 0,       -- of these, seen for the first time or fetched for the first time
  changed    INTEGER NOT NULL DEFAULT 0,       -- of these, different from the stored content
  note       TEXT,                             -- the reason for a failure, or an anomaly
  sent_after INTEGER                           -- the last call whose response had arrived; NULL for the previous id
);

INSERT INTO _smaller_call
SELECT call_id, run_id, kind, target, page, reason, expected, sent_at, ms, status, outcome, bytes, rows, new, changed,
  note, nullif(sent_after, call_id - 1)
FROM _call ORDER BY call_id;

DROP TABLE _call;
ALTER TABLE _smaller_call RENAME TO _call;

CREATE INDEX _call_of_stats ON _call (outcome) WHERE kind = 'stats';
CREATE INDEX _call_of_search ON _call (call_id) WHERE kind = 'search';
CREATE INDEX _call_received ON _call (call_id) WHERE outcome = 'received';
CREATE INDEX _call_by_day ON _call (substr(sent_at, 1, 10), kind, outcome) WHERE outcome <> 'received';

PRAGMA legacy_alter_table = OFF;

-- An unfinished rebuild of an older version restarts.
DELETE FROM _meta WHERE key = 'rebuild';
