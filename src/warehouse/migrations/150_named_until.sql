-- The names of new companies are indexed in groups. `named_until` is the last company in `_name` and `_word`.
INSERT INTO _meta (key, value) SELECT 'named_until', max(known_id) FROM _known WHERE true
ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- An unfinished rebuild lacks this value, so it restarts.
DELETE FROM _meta WHERE key = 'rebuild';
