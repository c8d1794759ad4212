-- Adds each changed field's column name. For fields in lists, only `reprocess` fills it in.

ALTER TABLE entity_change ADD COLUMN column_name TEXT;

UPDATE entity_change SET column_name = CASE path
  WHEN '_gone_at' THEN '_gone_at'
  ELSE (SELECT c.column_name FROM _column c WHERE c.table_name = 'entity' AND c.path = entity_change.path)
END;

DROP TABLE IF EXISTS _next_entity_change;
