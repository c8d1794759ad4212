import type { Database } from 'better-sqlite3';
import { type InferredSchema, type SchemaPath, typeNames } from './inferred_schema.ts';

/**
 * Returns a function that writes the inferred schema's changed names, types and counts to `_table` and `_column`. The
 * function returns true if it wrote a new column or type.
 */
export function schemaWriter(db: Database) {
  const saveTable = db.prepare(
    `INSERT INTO _table (table_name, parent_table, path, rows_seen, compared, first_seen_at)
     VALUES (@name, @parent, @path, @rowsSeen, @compared, @firstSeenAt)
     ON CONFLICT (table_name) DO UPDATE SET rows_seen = excluded.rows_seen, compared = excluded.compared`,
  );
  const saveColumn = db.prepare(
    `INSERT INTO _column (table_name, path, column_name, child_table, type, types, present, nulls, changes,
       first_seen_at, changed_at, call_id)
     VALUES (@table, @path, @column, @child, @type, @types, @present, @nulls, @changes,
       @firstSeenAt, @changedAt, @callId)
     ON CONFLICT (table_name, path) DO UPDATE SET
       column_name = excluded.column_name, child_table = excluded.child_table, type = excluded.type,
       changed_at = excluded.changed_at, types = excluded.types, present = excluded.present, nulls = excluded.nulls, changes = excluded.changes`,
  );
  // Once all paths of a resource are known, further responses change only the counts.
  const saveCounts = db.prepare(
    `UPDATE _column SET present = ?, nulls = ?, changes = ? WHERE table_name = ? AND path = ?`,
  );
  /** Writes a path. Returns false if only its counts changed. */
  const save = (schemaPath: SchemaPath): boolean => {
    const { table, path, types, present, nulls, changes, stored } = schemaPath;
    const isKnown = stored.isNamed && stored.types === types;
    if (isKnown) saveCounts.run(present, nulls, changes, table.name, path);
    else saveColumn.run(columnRow(schemaPath));
    schemaPath.stored = { ...stored, types, counts: countsOf(schemaPath), isNamed: true };
    return !isKnown;
  };
  return (schema: InferredSchema): boolean => {
    let hasNewTypes = false;
    for (const table of schema.touched) {
      const { name, parent, path, rowsSeen, compared, firstSeenAt } = table;
      saveTable.run({ name, parent: parent?.name ?? null, path, rowsSeen, compared, firstSeenAt });
      for (const schemaPath of table.paths)
        if (isUnsaved(schemaPath)) hasNewTypes = save(schemaPath) || hasNewTypes;
    }
    schema.touched.clear();
    return hasNewTypes;
  };
}

function isUnsaved(schemaPath: SchemaPath): boolean {
  return schemaPath.stored.counts !== countsOf(schemaPath) || schemaPath.stored.types !== schemaPath.types;
}

function columnRow(schemaPath: SchemaPath) {
  const { table, path, column, list, stored, types, present, nulls, changes, firstSeen, changedAt } =
    schemaPath;
  return {
    table: table.name,
    path,
    column,
    child: list?.name ?? null,
    type: stored.declared,
    types: typeNames(types),
    present,
    nulls,
    changes,
    firstSeenAt: firstSeen.sentAt,
    changedAt,
    callId: firstSeen.callId,
  };
}

/** Returns a number that increases whenever a value at this path is counted. */
export function countsOf(schemaPath: SchemaPath): number {
  return schemaPath.present + schemaPath.nulls + schemaPath.changes;
}
