import type { Database } from 'better-sqlite3';
import type { CompaniesWith, TextsInOrder, WordsInOrder, WordTotals } from '../names/ordered_texts.ts';
import { row, value } from '../sqlite/statements.ts';

/** Lookups in names or identifiers. Each lookup reads only an index. */
export const TEXT_LOOKUPS = {
  name: lookupsOf('_name'),
  identifier: lookupsOf('_identifier'),
} as const;

/** Opens the lookups in the names (or identifiers) of all known companies. */
export function openTextsInOrder(db: Database, by: keyof typeof TEXT_LOOKUPS): TextsInOrder {
  const sql = TEXT_LOOKUPS[by];
  const countBetween = (from: string, to: string) => value<number>(db, sql.count, from, to) ?? 0;
  const entryAt = (from: string, offset: number) => value<string>(db, sql.at, from, offset) ?? null;
  return {
    all: () => db.prepare<[], string>(sql.all).pluck().iterate(),
    containing: (part) => db.prepare<[string], string>(sql.containing).pluck().iterate(part),
    countBetween,
    at: entryAt,
  };
}

function lookupsOf(table: '_name' | '_identifier') {
  return {
    count: `SELECT count(*) FROM ${table} WHERE folded >= ? AND folded < ?`,
    at: `SELECT folded FROM ${table} WHERE folded >= ? ORDER BY folded LIMIT 1 OFFSET ?`,
    all: `SELECT folded FROM ${table} ORDER BY folded`,
    containing: `SELECT folded FROM ${table} WHERE instr(folded, ?) > 0 ORDER BY folded`,
  };
}

/** Returns the SQL query that counts the companies that have a word within a range. */
export function companiesBetween(table: string): string {
  return `SELECT sum(companies) FROM ${table} WHERE set_id = ? AND word >= ? AND word < ? AND shared <= ?`;
}

/** Lookups in a set's words. Each of the first two reads one range of the index. */
export const WORD_LOOKUPS = {
  count: companiesBetween('_word'),
  at: 'SELECT word FROM _word WHERE set_id = ? AND word >= ? ORDER BY word LIMIT 1 OFFSET ?',
  ranked: `SELECT word, sum(companies) AS companies FROM _word WHERE set_id = ?
           GROUP BY word ORDER BY companies DESC, length(word), word LIMIT ?`,
  totals: `SELECT coalesce(sum(companies) FILTER (WHERE shared = 0), 0) AS companies, coalesce(sum(companies), 0) AS words,
             count(DISTINCT word) AS different FROM _word WHERE set_id = ?`,
} as const;

/**
 * Opens lookups in the words that a set of companies have in their names. Returns null if this set's words are not
 * counted.
 */
export function openWordsInOrder(db: Database, { beside, isWhole }: CompaniesWith): WordsInOrder | null {
  const bySet = 'SELECT set_id FROM _word_set WHERE beside = ? AND is_whole = ?';
  const setId = value<number>(db, bySet, beside, Number(isWhole));
  if (setId === undefined) return null;
  const ranked = db.prepare<[number, number], [string, number]>(WORD_LOOKUPS.ranked).raw();
  const entryAt = (from: string, offset: number) =>
    value<string>(db, WORD_LOOKUPS.at, setId, from, offset) ?? null;
  return {
    countBetween: (from, to, mostShared) =>
      value<number | null>(db, WORD_LOOKUPS.count, setId, from, to, mostShared) ?? 0,
    at: entryAt,
    ranked: (most) => ranked.all(setId, most),
    totals: () => row<WordTotals>(db, WORD_LOOKUPS.totals, setId) as WordTotals,
  };
}
