import type { Database } from 'better-sqlite3';
import { value } from '../sqlite/statements.ts';

/** The number of characters in a term of `entity_fts`. Shorter texts cannot be found in the index. */
export const TRIGRAM = 3;

/**
 * Returns a function that counts how many companies have a trigram in their indexed texts. It creates a temporary table
 * on this connection.
 */
export function trigramCounts(db: Database): (trigram: string) => number {
  db.exec('CREATE VIRTUAL TABLE IF NOT EXISTS temp.name_trigrams USING fts5vocab(main, entity_fts, row)');
  const sql = 'SELECT doc FROM temp.name_trigrams WHERE term = ?';
  return (trigram) => value<number>(db, sql, trigram) ?? 0;
}

/** Returns a function that tests whether a trigram occurs in any indexed text. It reads no list of companies. */
export function trigramTest(db: Database): (trigram: string) => boolean {
  db.exec(
    'CREATE VIRTUAL TABLE IF NOT EXISTS temp.name_instances USING fts5vocab(main, entity_fts, instance)',
  );
  const sql = 'SELECT 1 FROM temp.name_instances WHERE term = ? LIMIT 1';
  return (trigram) => value(db, sql, trigram) === 1;
}

/** Returns the distinct trigrams within a word. A word of fewer than three characters has none. */
export function trigramsWithin(word: string): string[] {
  const characters = [...word];
  const found = new Set<string>();
  for (let at = 0; at + TRIGRAM <= characters.length; at++)
    found.add(characters.slice(at, at + TRIGRAM).join(''));
  return [...found];
}

/** Returns a full-text query for texts that contain this text. */
export function phrase(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
