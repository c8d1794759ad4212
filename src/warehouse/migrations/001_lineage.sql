-- What was asked, what came back, and on whose behalf: the rows that every other row leads to.

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
  ended       TEXT,                          -- done, allowance, max_calls, …; NULL: still running, or killed
  calls       INTEGER NOT NULL DEFAULT 0,
  new         INTEGER NOT NULL DEFAULT 0,    -- companies seen for the first time
  changed     INTEGER NOT NULL DEFAULT 0,    -- records whose content differed
  gone        INTEGER NOT NULL DEFAULT 0,
  quarantined INTEGER NOT NULL DEFAULT 0,
  error       TEXT
);

-- One row while a run holds the warehouse.
CREATE TABLE _lock (
  name         TEXT PRIMARY KEY CHECK (name = 'run'),
  owner        TEXT NOT NULL,
  pid          INTEGER NOT NULL,
  host         TEXT NOT NULL,
  taken_at     TEXT NOT NULL,
  heartbeat_at TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE _call (
  call_id  INTEGER PRIMARY KEY,
  run_id   INTEGER NOT NULL REFERENCES _run (run_id),
  kind     TEXT NOT NULL,                    -- stats, search, entity
  target   TEXT NOT NULL,                    -- '', name:acme, name:acme#2, or an entity id
  page     INTEGER,                          -- of a search, from 0
  reason   TEXT NOT NULL,                    -- why the planner chose it
  expected REAL NOT NULL,                    -- what the planner expected of it
  sent_at  TEXT NOT NULL,
  ms       REAL NOT NULL,
  status   INTEGER,                          -- of HTTP; NULL: no answer came
  outcome  TEXT NOT NULL,                    -- received, ok, absent, gone, refused, throttled, exhausted, unauthorised, broken, unsent
  bytes    INTEGER NOT NULL,
  rows     INTEGER NOT NULL DEFAULT 0,       -- companies in the answer
  new      INTEGER NOT NULL DEFAULT 0,       -- of these: seen for the first time, or a record's first fetch
  changed  INTEGER NOT NULL DEFAULT 0,       -- of these: differing from what was stored
  note     TEXT                              -- why it failed, or what was odd about it
);

CREATE INDEX _call_of_stats ON _call (outcome) WHERE kind = 'stats';
CREATE INDEX _call_by_day ON _call (substr(sent_at, 1, 10), kind, outcome);

-- Bodies as received. One that differs from an earlier one in nothing but volatile fields refers to it.
CREATE TABLE _answer (
  call_id  INTEGER PRIMARY KEY REFERENCES _call (call_id),
  same_as  INTEGER REFERENCES _answer (call_id),
  encoding TEXT,                             -- NULL: as it is; zstd: compressed
  body     BLOB,
  headers  TEXT,                             -- JSON: of the response headers those that reading the body again needs
  redacted_at TEXT,                          -- a forgotten entity was taken out of it: no longer byte for byte
  CHECK ((same_as IS NULL) = (body IS NOT NULL))
);

-- Entities that must not come back: all that is left of them.
CREATE TABLE _forgotten (
  entity_id    TEXT PRIMARY KEY,
  forgotten_at TEXT NOT NULL
) WITHOUT ROWID;

CREATE INDEX _answer_same_as ON _answer (same_as) WHERE same_as IS NOT NULL;
