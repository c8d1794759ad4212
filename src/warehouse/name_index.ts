import type { Database } from 'better-sqlite3';
import { folded } from '../names/folding.ts';
import { indexedText } from '../names/search_index_text.ts';
import type { Known, KnownRow } from './tables.ts';
import { wordIndex } from './word_index.ts';

/** A company's indexed fields. */
type IndexedCompany = Pick<KnownRow, 'knownId' | 'entityId' | 'name' | 'formerNames' | 'identifiers'>;

/**
 * The name indexes.
 *
 * - `entity_fts` indexes names, former names and identifiers other than the id, with and without diacritics. Its columns
 *   return the original text from `_company`.
 * - `_name` stores the names in the order in which searches compare them.
 * - `_word` counts the words in the names.
 */
export function nameIndex(db: Database) {
  const insert = db.prepare<Entry>(
    `INSERT INTO entity_fts (rowid, name, identifiers, former_names, entity_id) VALUES (?, ?, ?, ?, ?)`,
  );
  // This FTS5 index does not store its content, so FTS5 needs a row's old values to delete the row.
  const remove = db.prepare<Entry>(
    `INSERT INTO entity_fts (entity_fts, rowid, name, identifiers, former_names, entity_id) VALUES ('delete', ?, ?, ?, ?, ?)`,
  );
  const insertName = db.prepare<[string, number]>(`INSERT INTO _name (folded, known_id) VALUES (?, ?)`);
  const deleteName = db.prepare<[string, number]>(`DELETE FROM _name WHERE folded = ? AND known_id = ?`);
  const words = wordIndex(db);
  // FTS5 keeps its row counts in memory until the commit. If a column is added to any table after such a write, SQLite
  // drops these counts. The index is therefore written only after the transaction has added all its columns.
  const pendingTexts: { readonly write: typeof insert; readonly entry: Entry }[] = [];

  const addText = (company: IndexedCompany): void => {
    pendingTexts.push({ write: insert, entry: entryOf(company) });
  };
  const removeText = (company: IndexedCompany): void => {
    pendingTexts.push({ write: remove, entry: entryOf(company) });
  };
  const addName = ({ knownId, name }: IndexedCompany): void => {
    if (name === null) return;
    insertName.run(folded(name), knownId);
    words.count(folded(name), 1);
  };
  const removeName = ({ knownId, name }: IndexedCompany): void => {
    if (name === null) return;
    deleteName.run(folded(name), knownId);
    words.count(folded(name), -1);
  };

  return {
    add: (company: IndexedCompany): void => {
      addText(company);
      addName(company);
    },
    replace: (before: KnownRow, after: KnownRow): void => {
      if (!isSameText(before, after)) {
        removeText(before);
        addText(after);
      }
      // Most records add identifiers but do not change the name. An unchanged name is not written again, because its
      // page in a large index is rarely in memory.
      if (before.name === after.name) return;
      removeName(before);
      addName(after);
    },
    /** Removes a company from all indexes. Call `save` afterwards. */
    remove: (company: IndexedCompany): void => {
      removeText(company);
      removeName(company);
    },
    /** Writes the pending texts and counts. Call this function in the transaction that writes the rows. */
    save: (): void => {
      for (const { write, entry } of pendingTexts.splice(0)) write.run(...entry);
      words.save();
    },
    /** Starts counting the words in the names of these companies. */
    countWords: words.begin,
    keepOnlyWords: words.keepOnly,
    isFrequentWord: words.isFrequent,
  };
}

export type NameIndex = ReturnType<typeof nameIndex>;

/** Indexes nothing. A rebuild uses it, because the names are indexed when its result is merged. */
export const NO_NAME_INDEX: NameIndex = {
  add: () => {},
  replace: () => {},
  remove: () => {},
  save: () => {},
  countWords: () => {},
  keepOnlyWords: () => {},
  isFrequentWord: () => false,
};

type Entry = [rowId: number, ...indexedTexts: (string | null)[], entityId: string];

function entryOf({ knownId, entityId, name, formerNames, identifiers }: IndexedCompany): Entry {
  const indexed = [name, identifiers, formerNames].map((text) => indexedText(text));
  return [knownId, ...indexed, entityId];
}

function isSameText(before: Known, after: Known): boolean {
  return (
    before.name === after.name &&
    before.formerNames === after.formerNames &&
    before.identifiers === after.identifiers
  );
}
