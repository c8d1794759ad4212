import type { Database } from 'better-sqlite3';
import type { Known, KnownRow } from './known_row.ts';
import type { Naming } from './naming.ts';

/** `entity_fts`: names, former names and identifiers, searchable in any script. Its content is `_known`. */
export function nameIndex(db: Database, naming: Naming) {
  const table = naming('entity_fts');
  type Entry = [rowId: number, entityId: string, ...texts: (string | null)[]];
  const insert = db.prepare<Entry>(
    `INSERT INTO ${table} (rowid, entity_id, name, former_names, identifiers) VALUES (?, ?, ?, ?, ?)`,
  );
  // An index without content of its own must be told what to forget.
  const remove = db.prepare<Entry>(
    `INSERT INTO ${table} (${table}, rowid, entity_id, name, former_names, identifiers) VALUES ('delete', ?, ?, ?, ?, ?)`,
  );
  const add = (knownId: number, known: Known): void => {
    insert.run(knownId, known.entityId, known.name, known.formerNames, known.identifiers);
  };
  return {
    add,
    replace: (before: KnownRow, after: KnownRow): void => {
      if (isSameText(before, after)) return;
      remove.run(before.knownId, before.entityId, before.name, before.formerNames, before.identifiers);
      add(after.knownId, after);
    },
  };
}

function isSameText(before: Known, after: Known): boolean {
  return (
    before.name === after.name &&
    before.formerNames === after.formerNames &&
    before.identifiers === after.identifiers
  );
}
