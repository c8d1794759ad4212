-- Calls, responses and runs. The lineage of every other row leads to these tables.

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
  heartbeat_at TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE _call (
  call_id  INTEGER PRIMARY KEY,
  run_id   INTEGER NOT NULL REFERENCES _run (run_id),
  kind     TEXT NOT NULL,                    -- stats, search, entity
  target   TEXT NOT NULL,                    -- '', name:acme, name:acme#2, or an entity id
  page     INTEGER,                          -- page of a search, from 0
  reason   TEXT NOT NULL,                    -- why the planner chose it
  expected REAL NOT NULL,                    -- the expected yield
  sent_at  TEXT NOT NULL,
  ms       REAL NOT NULL,
  status   INTEGER,                          -- HTTP status; NULL if there was no response
  outcome  TEXT NOT NULL,                    -- received, ok, absent, gone, refused, throttled, exhausted, unauthorised, broken, unsent
  bytes    INTEGER NOT NULL,
  rows     INTEGER NOT NULL DEFAULT 0,       -- companies in the response
  new      INTEGER NOT NULL DEFAULT 0,       -- of these, seen for the first time or fetched for the first time
  changed  INTEGER NOT NULL DEFAULT 0,       -- of these, different from the stored content
  note     TEXT                              -- the reason for a failure, or an anomaly
);

CREATE INDEX _call_of_stats ON _call (outcome) WHERE kind = 'stats';
CREATE INDEX _call_by_day ON _call (substr(sent_at, 1, 10), kind, outcome);

-- Bodies as received. A body that differs from an earlier one only in volatile fields is a reference to it.
CREATE TABLE _answer (
  call_id  INTEGER PRIMARY KEY REFERENCES _call (call_id),
  same_as  INTEGER REFERENCES _answer (call_id),
  encoding TEXT,                             -- zstd; NULL if not compressed
  body     BLOB,
  headers  TEXT,                             -- JSON: the response headers that are needed to read the body again
  redacted_at TEXT,                          -- a forgotten entity was removed: no longer byte for byte
  CHECK ((same_as IS NULL) = (body IS NOT NULL))
);

-- Ids of forgotten entities, which must not be loaded again.
CREATE TABLE _forgotten (
  entity_id    TEXT PRIMARY KEY,
  forgotten_at TEXT NOT NULL
) WITHOUT ROWID;

CREATE INDEX _answer_same_as ON _answer (same_as) WHERE same_as IS NOT NULL;
