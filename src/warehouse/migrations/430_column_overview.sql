-- Lists only what is stored: a list has a table instead of a column, and an object is stored in its members' columns.
DROP VIEW column_overview;

CREATE VIEW column_overview AS
SELECT
  c.table_name,
  coalesce(c.column_name, c.child_table) AS column_name,
  c.path,
  c.child_table,
  c.type,
  c.types,
  round(c.nulls * 1.0 / nullif(t.rows_seen, 0), 4) AS null_share,
  round((t.rows_seen - c.nulls - c.present) * 1.0 / nullif(t.rows_seen, 0), 4) AS absent_share,
  round(c.changes * 1.0 / nullif(t.compared, 0), 4) AS change_share,
  c.first_seen_at,
  c.changed_at
FROM _column c
JOIN _table t USING (table_name)
WHERE coalesce(c.column_name, c.child_table) IS NOT NULL;
