import type { Database } from 'better-sqlite3';
import type { TextsInOrder, WordsInOrder, WordTotals } from '../names/ordered_texts.ts';
import { row, value } from '../sqlite/statements.ts';
import { areWordsCounted } from './name_index.ts';

/** Opens the lookups in the names (or identifiers) of all known companies. Each lookup reads only an index. */
export function openTextsInOrder(db: Database, by: 'name' | 'identifier'): TextsInOrder {
  const texts = `SELECT folded FROM _${by}`;
  const between = `SELECT count(*) FROM _${by} WHERE folded >= ? AND folded < ?`;
  const at = `${texts} WHERE folded >= ? ORDER BY folded LIMIT 1 OFFSET ?`;
  return {
    all: () => db.prepare<[], string>(`${texts} ORDER BY folded`).pluck().iterate(),
    containing: (part) => {
      const found = db.prepare<[string], string>(`${texts} WHERE instr(folded, ?) > 0 ORDER BY folded`);
      return found.pluck().iterate(part);
    },
    countBetween: (from, to) => value<number>(db, between, from, to) ?? 0,
    at: (from, offset) => value<string>(db, at, from, offset) ?? null,
  };
}

/** Opens lookups in the words that all companies have in their names. Returns null if words are not counted. */
export function openWordsInOrder(db: Database): WordsInOrder | null {
  if (!areWordsCounted(db)) return null;
  const ranked = db.prepare<[number], [string, number]>(RANKED_WORDS).raw();
  return {
    countBetween: (from, to, mostShared) =>
      value<number | null>(db, WORDS_BETWEEN, from, to, mostShared) ?? 0,
    at: (from, offset) => value<string>(db, WORD_AT, from, offset) ?? null,
    ranked: (most) => ranked.all(most),
    totals: () => row<WordTotals>(db, WORD_TOTALS) as WordTotals,
  };
}

// Each of the first two reads one range of the index.
const WORDS_BETWEEN = 'SELECT sum(companies) FROM _name_word WHERE word >= ? AND word < ? AND shared <= ?';
const WORD_AT = 'SELECT word FROM _name_word WHERE word >= ? ORDER BY word LIMIT 1 OFFSET ?';
const RANKED_WORDS = `
  SELECT word, sum(companies) AS companies FROM _name_word
  GROUP BY word ORDER BY companies DESC, length(word), word LIMIT ?`;
const WORD_TOTALS = `
  SELECT coalesce(sum(companies) FILTER (WHERE shared = 0), 0) AS companies, coalesce(sum(companies), 0) AS words,
    count(DISTINCT word) AS different FROM _name_word`;
