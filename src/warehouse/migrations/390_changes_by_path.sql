-- Finds the changes of a field, or the gone and returned companies, among millions of changes.
CREATE INDEX entity_change_by_path ON entity_change (path);
