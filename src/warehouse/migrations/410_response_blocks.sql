-- The bodies of consecutive calls are compressed together, because similar bodies share most of their text. A body is
-- stored as received first, and moves to a block once enough bodies are waiting.

CREATE TABLE _block (
  block_id      INTEGER PRIMARY KEY AUTOINCREMENT, -- a changed block gets a new id, so that readers can cache it
  first_call_id INTEGER NOT NULL,
  last_call_id  INTEGER NOT NULL,
  content       BLOB NOT NULL                -- the bodies, concatenated and compressed with zstd
);

-- Where a body is in its block, if `encoding` is 'block'. `body` is then empty.
ALTER TABLE _answer ADD COLUMN block_id INTEGER;
ALTER TABLE _answer ADD COLUMN start INTEGER;
ALTER TABLE _answer ADD COLUMN body_bytes INTEGER;

-- Later bodies are waiting for a block. `compact` moves the earlier ones.
INSERT INTO _meta (key, value) SELECT 'packed_until', max(call_id) FROM _call WHERE true
ON CONFLICT (key) DO UPDATE SET value = excluded.value;
