-- When `forget --undo` permitted the company again. The row is kept because the change feed needs its version.

ALTER TABLE _forgotten ADD COLUMN undone_at TEXT;  -- NULL if the company is still forgotten
