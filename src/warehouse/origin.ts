import type { Database } from 'better-sqlite3';
import { rows } from '../sqlite/statements.ts';
import type { ResourceTable } from './schema_store.ts';

interface Origin {
  readonly resource: ResourceTable;
  /** The JSON Pointer to the table's rows in the payload. `*` represents the elements of a list. */
  readonly pointer: string;
}

/** Returns a function that finds a table's resource and the path to its rows in the payload. */
export function originOf(db: Database): (table: string) => Origin {
  const children = rows<{ name: string; parent: string; path: string }>(
    db,
    'SELECT table_name AS name, parent_table AS parent, path FROM _table WHERE parent_table IS NOT NULL',
  );
  const byName = new Map(children.map((child) => [child.name, child]));
  return function origin(table: string): Origin {
    const child = byName.get(table);
    if (child === undefined) return { resource: table as ResourceTable, pointer: '' };
    const parent = origin(child.parent);
    return { resource: parent.resource, pointer: `${parent.pointer}${child.path}/*` };
  };
}
