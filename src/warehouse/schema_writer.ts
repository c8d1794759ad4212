import type { Database } from 'better-sqlite3';
import { type InferredSchema, type SchemaPath, typeNames } from './inferred_schema.ts';
import type { RowOf } from './table.ts';
import { PAYLOAD_COLUMN, PAYLOAD_TABLE } from './tables.ts';

/**
 * Returns a function that writes the inferred schema's changed names, types and counts to `_table` and `_column`. The
 * function returns true if it wrote a new column or type.
 */
export function schemaWriter(db: Database) {
  const saveTable = PAYLOAD_TABLE.insert(db, { onConflict: 'update' });
  const saveColumn = PAYLOAD_COLUMN.insert(db, { onConflict: 'update' });
  // Once all paths of a resource are known, further responses change only the counts.
  const saveCounts = db.prepare(
    `UPDATE _column SET present = ?, nulls = ?, changes = ? WHERE table_name = ? AND path = ?`,
  );
  /** Writes a path. Returns false if only its counts changed. */
  const save = (schemaPath: SchemaPath): boolean => {
    const { table, path, types, present, nulls, changes, stored } = schemaPath;
    const isKnown = stored.isNamed && stored.types === types;
    if (isKnown) saveCounts.run(present, nulls, changes, table.name, path);
    else saveColumn(columnRow(schemaPath));
    schemaPath.stored = { ...stored, types, counts: countsOf(schemaPath), isNamed: true };
    return !isKnown;
  };
  return (schema: InferredSchema): boolean => {
    let hasNewTypes = false;
    for (const table of schema.touched) {
      const { name: tableName, parent, path, rowsSeen, compared, firstSeenAt } = table;
      const parentTable = parent?.name ?? null;
      saveTable({ tableName, parentTable, path, rowsSeen, compared, firstSeenAt });
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

function columnRow(schemaPath: SchemaPath): RowOf<typeof PAYLOAD_COLUMN> {
  const { table, path, column, list, stored, types, present, nulls, changes, firstSeen, changedAt } =
    schemaPath;
  return {
    tableName: table.name,
    path,
    columnName: column,
    childTable: list?.name ?? null,
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
