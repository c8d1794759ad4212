import type { Database } from 'better-sqlite3';
import { folded } from '../names/folding.ts';
import type { CompaniesWith } from '../names/ordered_texts.ts';
import { indexedText } from '../names/search_index_text.ts';
import { metaTable } from './meta.ts';
import type { Known, KnownRow } from './tables.ts';
import { wordIndex } from './word_index.ts';

/** A company's indexed fields. */
type IndexedCompany = Pick<KnownRow, 'knownId' | 'entityId' | 'name' | 'formerNames' | 'identifiers'>;

/**
 * The name indexes.
 *
 * - `entity_fts` indexes names, former names and identifiers, with and without diacritics. Its columns return the
 *   original text from `_company`.
 * - `_name` stores the names in the order in which searches compare them.
 * - `_word` counts the words in the names.
 *
 * Only the planner reads `_name` and `_word`. `indexNames` adds new companies to both tables in sorted groups, because
 * almost every name belongs on a different page of the file. In a sorted group, each page is written only once.
 * `_meta.named_until` stores the last indexed company, so a killed process loses nothing.
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
  const removeName = db.prepare<[string, number]>(`DELETE FROM _name WHERE folded = ? AND known_id = ?`);
  const namesAfter = db.prepare<[number], { knownId: number; name: string | null }>(
    `SELECT known_id AS knownId, name FROM _company WHERE known_id > ? ORDER BY known_id`,
  );
  const meta = metaTable(db);
  const words = wordIndex(db);
  /** Cached for one transaction; null if it has not been read yet. */
  let cachedNamedUntil: number | null = null;
  let latestAdded = 0;
  // FTS5 keeps its row counts in memory until the commit. If a column is added to any table after such a write, SQLite
  // drops these counts. The index is therefore written only after the transaction has added all its columns.
  const pendingTexts: { readonly write: typeof insert; readonly entry: Entry }[] = [];

  const namedUntil = (): number => {
    cachedNamedUntil ??= Number(meta.get('named_until') ?? 0);
    return cachedNamedUntil;
  };
  const addText = (company: IndexedCompany): void => {
    pendingTexts.push({ write: insert, entry: entryOf(company) });
  };
  const removeText = (company: IndexedCompany): void => {
    pendingTexts.push({ write: remove, entry: entryOf(company) });
  };
  const addName = (name: string, knownId: number): void => {
    insertName.run(name, knownId);
    words.count(name, 1);
  };
  const dropName = ({ knownId, name }: IndexedCompany): void => {
    if (name === null || knownId > namedUntil()) return;
    removeName.run(folded(name), knownId);
    words.count(folded(name), -1);
  };
  const indexNames = (): void => {
    const added = namesAfter.all(namedUntil());
    const last = added.at(-1);
    if (last === undefined) return;
    const names = added.flatMap(({ knownId, name }) =>
      name === null ? [] : [{ knownId, name: folded(name) }],
    );
    names.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const { knownId, name } of names) addName(name, knownId);
    cachedNamedUntil = last.knownId;
    meta.set('named_until', String(last.knownId));
  };

  return {
    add: (company: IndexedCompany): void => {
      addText(company);
      const { knownId, name } = company;
      // SQLite reuses a forgotten company's id if it was the largest.
      if (knownId > namedUntil()) latestAdded = knownId;
      else if (name !== null) addName(folded(name), knownId);
    },
    replace: (before: KnownRow, after: KnownRow): void => {
      if (!isSameText(before, after)) {
        removeText(before);
        addText(after);
      }
      // Most records add identifiers but do not change the name. An unchanged name is not written again, because its
      // page in a large index is rarely in memory.
      if (before.name === after.name) return;
      dropName(before);
      if (after.name !== null && after.knownId <= namedUntil()) addName(folded(after.name), after.knownId);
    },
    /** Removes a company from all indexes. Call `save` afterwards. */
    remove: (company: IndexedCompany): void => {
      removeText(company);
      dropName(company);
    },
    /** Indexes all names that are not indexed yet. */
    indexNames,
    /**
     * Writes the pending texts and counts, and the pending names if there are many. Call this function in the
     * transaction that writes the rows.
     */
    save: (): void => {
      for (const { write, entry } of pendingTexts.splice(0)) write.run(...entry);
      if (latestAdded - namedUntil() >= MAX_PENDING) indexNames();
      words.save();
      cachedNamedUntil = null;
    },
    /** Starts counting the words in the names of these companies. */
    countWords: (wanted: readonly CompaniesWith[]): void => {
      indexNames();
      words.begin(wanted);
    },
    keepOnlyWords: words.keepOnly,
    isFrequentWord: (word: string): boolean => {
      indexNames();
      return words.isFrequent(word);
    },
  };
}

export type NameIndex = ReturnType<typeof nameIndex>;

/** Indexes nothing. A rebuild uses it, because the names are indexed when its result is merged. */
export const NO_NAME_INDEX: NameIndex = {
  add: () => {},
  replace: () => {},
  remove: () => {},
  indexNames: () => {},
  save: () => {},
  countWords: () => {},
  keepOnlyWords: () => {},
  isFrequentWord: () => false,
};

type Entry = [rowId: number, ...indexedTexts: (string | null)[], entityId: string];

function entryOf({ knownId, entityId, name, formerNames, identifiers }: IndexedCompany): Entry {
  const indexed = [name, identifiers ?? entityId, formerNames].map((text) => indexedText(text));
  return [knownId, ...indexed, entityId];
}

function isSameText(before: Known, after: Known): boolean {
  return (
    before.name === after.name &&
    before.formerNames === after.formerNames &&
    before.identifiers === after.identifiers
  );
}

/** New companies' names are indexed once there are this many, or earlier if a search needs them. */
const MAX_PENDING = 5000;
