-- Backfills: what somebody asked for, and what came of each wish. Where a wish stands follows from the calls
-- loaded since (after_call_id), so that a backfill which is killed goes on without asking anything twice.

CREATE TABLE _backfill (
  backfill_id   INTEGER PRIMARY KEY,
  title         TEXT NOT NULL,               -- in words: 5,000 ids from companies.csv
  order_hash    TEXT NOT NULL,               -- of all that was asked: the same command goes on with an unfinished one
  with_records  INTEGER NOT NULL,            -- also fetch the records of companies found by a search
  fresh_after   TEXT NOT NULL,               -- a record fetched since then is left as it is
  after_call_id INTEGER NOT NULL,            -- calls up to this one were made before
  created_at    TEXT NOT NULL,
  finished_at   TEXT,
  cancelled_at  TEXT
);

CREATE TABLE _backfill_wish (
  backfill_id INTEGER NOT NULL REFERENCES _backfill (backfill_id),
  position    INTEGER NOT NULL,              -- in the order given, from 1
  kind        TEXT NOT NULL,                 -- entity, name, query, prefix
  searched_by TEXT,                          -- of a query or prefix: name, identifier
  given       TEXT NOT NULL,                 -- as it was given
  state       TEXT NOT NULL DEFAULT 'open',  -- open, fresh, found, gone, not_found, ambiguous, failed
  entity_id   TEXT,
  name        TEXT,
  candidates  TEXT,                          -- of an ambiguous name: JSON, the best first
  note        TEXT,
  call_id     INTEGER,                       -- that settled it
  PRIMARY KEY (backfill_id, position)
) WITHOUT ROWID;

CREATE INDEX _backfill_wish_open ON _backfill_wish (backfill_id, kind) WHERE state = 'open';
