-- Finds a field's changes, or the companies that disappeared or returned, among millions of changes.
CREATE INDEX entity_change_by_path ON entity_change (path);
