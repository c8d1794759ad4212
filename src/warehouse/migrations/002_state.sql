-- Tables derived from responses. They can be rebuilt from _call and _answer.

-- One narrow row per known company, for lookups by the planner, the loader and the overview.
CREATE TABLE _known (
  known_id       INTEGER PRIMARY KEY,
  entity_id      TEXT NOT NULL UNIQUE,
  name           TEXT,                       -- as last seen
  former_names   TEXT,
  identifiers    TEXT,
  first_seen_at  TEXT NOT NULL,
  last_seen_at   TEXT NOT NULL,              -- in a search or by a fetch
  listed_at      TEXT,                       -- last seen in a search
  asked_at       TEXT,                       -- the last response to a call for its record, regardless of the outcome
  fetched_at     TEXT,
  changed_at     TEXT,
  flagged_at     TEXT,                       -- a search showed a change since the last fetch
  missing_at     TEXT,                       -- a 404 for a known company, without proof
  missing_shape  TEXT,
  missing_run    INTEGER,
  gone_at        TEXT,
  summary_hash   BLOB,
  record_call_id INTEGER                     -- the call that returned the latest version
);

CREATE INDEX _known_never_asked ON _known (known_id) WHERE asked_at IS NULL AND gone_at IS NULL;
CREATE INDEX _known_asked ON _known (asked_at) WHERE asked_at IS NOT NULL AND gone_at IS NULL;
CREATE INDEX _known_flagged ON _known (flagged_at) WHERE flagged_at IS NOT NULL;
CREATE INDEX _known_missing ON _known (missing_run) WHERE missing_at IS NOT NULL;

-- Counts of known, listed, fetched and gone companies, which would otherwise need a scan.
CREATE TABLE _tally (
  what TEXT PRIMARY KEY,
  n    INTEGER NOT NULL
) WITHOUT ROWID;

-- The versions of each record, with the call that returned them.
CREATE TABLE _version (
  entity_id     TEXT NOT NULL,
  call_id       INTEGER NOT NULL,
  observed_from TEXT NOT NULL,
  ended_at      TEXT,                        -- the time from which the entity is gone
  is_tombstone  INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (entity_id, call_id)
) WITHOUT ROWID;

CREATE INDEX _version_by_call ON _version (call_id);

CREATE TABLE _query (
  query_key TEXT PRIMARY KEY,                -- name:acme
  by        TEXT NOT NULL,                   -- name, identifier
  text      TEXT NOT NULL,
  total     INTEGER,                         -- the last reported total
  pages     INTEGER NOT NULL,                -- pages in the current listing, from 0 up to the first missing one
  rows      INTEGER NOT NULL,
  next      TEXT,                            -- the next page's cursor or URL
  status    TEXT NOT NULL,                   -- open, complete, capped, refused
  listed_at TEXT NOT NULL,                   -- when the current listing's first page was requested
  asked_at  TEXT NOT NULL,
  note      TEXT                             -- an anomaly, such as a repeated page or a smaller total
) WITHOUT ROWID;

CREATE TABLE _query_page (
  query_key   TEXT NOT NULL,
  page        INTEGER NOT NULL,
  call_id     INTEGER NOT NULL,
  sent_at     TEXT NOT NULL,
  rows        INTEGER NOT NULL,
  total       INTEGER,
  next        TEXT,
  fingerprint BLOB NOT NULL,                 -- of the ids, in order
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
  quarantine_id INTEGER PRIMARY KEY,
  call_id       INTEGER NOT NULL,            -- the latest such response; its body is in _answer
  kind          TEXT NOT NULL,
  target        TEXT NOT NULL,
  position      INTEGER NOT NULL DEFAULT -1, -- the item's position in its list; -1 for the whole response
  reason        TEXT NOT NULL,
  times         INTEGER NOT NULL DEFAULT 1,
  quarantined_at TEXT NOT NULL,
  state         TEXT NOT NULL DEFAULT 'open' -- open, replayed, superseded, discarded
);

CREATE UNIQUE INDEX _quarantine_open ON _quarantine (kind, target, position) WHERE state = 'open';

-- The inferred schema, with each payload path's column. A column never changes once it is chosen.
CREATE TABLE _table (
  table_name   TEXT PRIMARY KEY,
  parent_table TEXT,
  path         TEXT NOT NULL,                -- JSON Pointer of the list inside the parent's row
  rows_seen    INTEGER NOT NULL DEFAULT 0,
  compared     INTEGER NOT NULL DEFAULT 0,   -- comparisons between a response and an earlier one
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
