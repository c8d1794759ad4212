-- When `forget --undo` permitted a company again. The row stays, because readers of the change feed need its version.

ALTER TABLE _forgotten ADD COLUMN undone_at TEXT;  -- null: the company is not loaded
