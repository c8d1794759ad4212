import type { Database } from 'better-sqlite3';
import { folded } from '../names/folding.ts';
import { indexedText } from '../names/search_index_text.ts';
import type { Known, KnownRow } from './known_row.ts';
import type { Naming } from './table_naming.ts';
import { wordIndex } from './word_index.ts';

/**
 * The indexes of names. `entity_fts` indexes names, former names and identifiers, with and without diacritics. Its
 * columns show the text of `_known`. `_name` has the names in the order in which searches compare
 * them. `_word` has the words of the names.
 */
export function nameIndex(db: Database, naming: Naming) {
  const table = naming('entity_fts');
  const insert = db.prepare<Entry>(
    `INSERT INTO ${table} (rowid, entity_id, name, former_names, identifiers) VALUES (?, ?, ?, ?, ?)`,
  );
  // FTS5 needs the old values of a row to delete it from an index without content.
  const remove = db.prepare<Entry>(
    `INSERT INTO ${table} (${table}, rowid, entity_id, name, former_names, identifiers) VALUES ('delete', ?, ?, ?, ?, ?)`,
  );
  const insertName = db.prepare<[string, number]>(
    `INSERT INTO ${naming('_name')} (folded, known_id) VALUES (?, ?)`,
  );
  const removeName = db.prepare<[string, number]>(
    `DELETE FROM ${naming('_name')} WHERE folded = ? AND known_id = ?`,
  );
  const words = wordIndex(db, naming);
  const addText = (knownId: number, known: Known): void => {
    insert.run(...entryOf(knownId, known));
  };
  const addName = (knownId: number, { name }: Known): void => {
    if (name === null) return;
    insertName.run(folded(name), knownId);
    words.count(folded(name), 1);
  };
  const dropName = (knownId: number, { name }: Known): void => {
    if (name === null) return;
    removeName.run(folded(name), knownId);
    words.count(folded(name), -1);
  };
  return {
    add: (knownId: number, known: Known): void => {
      addText(knownId, known);
      addName(knownId, known);
    },
    replace: (before: KnownRow, after: KnownRow): void => {
      if (!isSameText(before, after)) {
        remove.run(...entryOf(before.knownId, before));
        addText(after.knownId, after);
      }
      // A record usually adds identifiers to a known name. An unchanged name is skipped, because its page of a large
      // index is not in memory.
      if (before.name !== after.name) {
        dropName(before.knownId, before);
        addName(after.knownId, after);
      }
    },
    words,
  };
}

type Entry = [rowId: number, entityId: string, ...indexedTexts: (string | null)[]];

function entryOf(knownId: number, { entityId, name, formerNames, identifiers }: Known): Entry {
  return [knownId, entityId, indexedText(name), indexedText(formerNames), indexedText(identifiers)];
}

function isSameText(before: Known, after: Known): boolean {
  return (
    before.name === after.name &&
    before.formerNames === after.formerNames &&
    before.identifiers === after.identifiers
  );
}
