-- A backfill's state in the worker's queue. If Redis loses the job, the worker uses these columns to queue it again.

ALTER TABLE _backfill ADD COLUMN queued_at TEXT;            -- NULL if the worker does not process it
ALTER TABLE _backfill ADD COLUMN queued_max_calls INTEGER;  -- NULL if there is no limit
