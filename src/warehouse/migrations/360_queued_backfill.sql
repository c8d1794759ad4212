-- A backfill that the worker processes. Redis only transports its job: the worker queues the job again from these columns.

ALTER TABLE _backfill ADD COLUMN queued_at TEXT;            -- null: the worker does not process it
ALTER TABLE _backfill ADD COLUMN queued_max_calls INTEGER;  -- null: no limit
