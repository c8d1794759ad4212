-- A run that is not urgent ends early if another run asks for the lock. Scheduled runs therefore do not wait for a long
-- backfill.

ALTER TABLE _lock ADD COLUMN yields INTEGER NOT NULL DEFAULT 0;
ALTER TABLE _lock ADD COLUMN wanted_at TEXT;
