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
