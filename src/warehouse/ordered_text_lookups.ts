import type { Database } from 'better-sqlite3';
import type { TextsInOrder, WordsInOrder, WordTotals } from '../names/ordered_texts.ts';
import { row, value } from '../sqlite/statements.ts';
import { areWordsCounted } from './word_index.ts';

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

/** Lookups in the words. Each of the first two reads one range of the index. */
export const WORD_LOOKUPS = {
  count: 'SELECT sum(companies) FROM _name_word WHERE word >= ? AND word < ? AND shared <= ?',
  at: 'SELECT word FROM _name_word WHERE word >= ? ORDER BY word LIMIT 1 OFFSET ?',
  ranked: `SELECT word, sum(companies) AS companies FROM _name_word
           GROUP BY word ORDER BY companies DESC, length(word), word LIMIT ?`,
  totals: `SELECT coalesce(sum(companies) FILTER (WHERE shared = 0), 0) AS companies, coalesce(sum(companies), 0) AS words,
             count(DISTINCT word) AS different FROM _name_word`,
} as const;

/** Opens lookups in the words that all companies have in their names. Returns null if words are not counted. */
export function openWordsInOrder(db: Database): WordsInOrder | null {
  if (!areWordsCounted(db)) return null;
  const ranked = db.prepare<[number], [string, number]>(WORD_LOOKUPS.ranked).raw();
  return {
    countBetween: (from, to, mostShared) =>
      value<number | null>(db, WORD_LOOKUPS.count, from, to, mostShared) ?? 0,
    at: (from, offset) => value<string>(db, WORD_LOOKUPS.at, from, offset) ?? null,
    ranked: (most) => ranked.all(most),
    totals: () => row<WordTotals>(db, WORD_LOOKUPS.totals) as WordTotals,
  };
}
