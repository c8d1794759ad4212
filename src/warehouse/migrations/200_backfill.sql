-- Backfills and their items. An item's state is derived from the calls after after_call_id, so a killed backfill
-- resumes without repeating a call.

CREATE TABLE _backfill (
  backfill_id   INTEGER PRIMARY KEY,
  title         TEXT NOT NULL,               -- for example: 5,000 ids from companies.csv
  order_hash    TEXT NOT NULL,               -- a hash by which repeating the same command resumes the backfill
  with_records  INTEGER NOT NULL,            -- also fetch the records of companies found by a search
  fresh_after   TEXT NOT NULL,               -- a record fetched since this time is not fetched again
  after_call_id INTEGER NOT NULL,            -- the last call before the backfill started
  created_at    TEXT NOT NULL,
  finished_at   TEXT,
  cancelled_at  TEXT
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
