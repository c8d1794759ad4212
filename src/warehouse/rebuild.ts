import { existsSync, rmSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { type DecidedName, pointerFromTop, type ResourceTable } from './inferred_schema.ts';
import { metaTable } from './meta.ts';
import { settledSchema } from './settled_mapping.ts';
import { openWarehouse, type Warehouse } from './warehouse.ts';

/**
 * Opens a rebuild's own file, which gets new derived tables. The responses stay in the warehouse. If an
 * interrupted rebuild has left its file, and `madeBy` is the same, this is that file.
 */
export function openRebuild(warehouse: Warehouse, madeBy: string, nowMs: number): Warehouse {
  const path = rebuildPath(warehouse);
  let file = openWarehouse({ path, nowMs });
  if (metaTable(file.db).get('rebuild')?.madeBy !== madeBy) {
    file.close();
    removeFiles(path);
    file = openWarehouse({ path, nowMs });
  }
  // The calls to which the rows refer are in the warehouse.
  file.db.pragma('foreign_keys = OFF');
  return file;
}

/** Deletes the file of a complete or interrupted rebuild. The next rebuild starts from the beginning. */
export function discardRebuild(warehouse: Warehouse): void {
  removeFiles(rebuildPath(warehouse));
}

function rebuildPath({ path }: Warehouse): string {
  return `${path}-rebuild`;
}

function removeFiles(path: string): void {
  for (const file of ['', '-wal', '-shm'].map((end) => path + end)) if (existsSync(file)) rmSync(file);
}

/** Returns the names that a rebuild must keep. `isKept` selects columns by resource and JSON Pointer. */
export function decidedNames(
  db: Database,
  isKept: (resource: ResourceTable, pointer: string) => boolean,
): DecidedName[] {
  return [...settledSchema(db).tables.values()].flatMap(({ name, parentTable, path, resource, columns }) => [
    ...(parentTable === null ? [] : [{ table: parentTable, path, name, isTable: true }]),
    ...columns
      .filter((column) => isKept(resource, pointerFromTop(column)))
      .map((column) => ({ table: name, path: column.path, name: column.column ?? '', isTable: false })),
  ]);
}
