-- A run that is not urgent ends early if another run asks. A scheduled run need not wait for the end of a backfill.

ALTER TABLE _lock ADD COLUMN yields INTEGER NOT NULL DEFAULT 0;
ALTER TABLE _lock ADD COLUMN wanted_at TEXT;
