-- Order is the order of calls, not of times. A clock can be set, but call ids never go back.

-- The stored responses that still have to be processed.
CREATE INDEX _call_received ON _call (call_id) WHERE outcome = 'received';
DELETE FROM _meta WHERE key = 'processed_until';

-- The last call whose response had arrived when this call was sent.
ALTER TABLE _call ADD COLUMN sent_after INTEGER;

-- The call that returned the 404 in missing_at.
ALTER TABLE _known ADD COLUMN missing_call INTEGER;

-- The call that returned the current listing's first page.
ALTER TABLE _query ADD COLUMN first_call INTEGER NOT NULL DEFAULT 0;
UPDATE _query SET first_call = coalesce(
  (SELECT call_id FROM _query_page p WHERE p.query_key = _query.query_key AND p.page = 0), 0);

-- How often the current listing was started again because companies moved while it was read.
ALTER TABLE _query ADD COLUMN repeats INTEGER NOT NULL DEFAULT 0;

-- 1 if the pages contradict each other, so that the next page is one that must be read again.
ALTER TABLE _query ADD COLUMN contradicted INTEGER NOT NULL DEFAULT 0;

-- How a page compares with its earlier reading in the same listing: none, same, partial, disjoint.
ALTER TABLE _query_page ADD COLUMN overlap TEXT NOT NULL DEFAULT 'none';

-- The forms of 404 responses are stricter now, so the form for an unknown id is learned again.
DELETE FROM _meta WHERE key = 'absent_shape';
