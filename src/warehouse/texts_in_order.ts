import type { Database } from 'better-sqlite3';
import { inOrder, nextAfter, type Stretch, type TextsInOrder } from '../plan/texts_in_order.ts';

/** What is asked of the texts, each answered from their index alone, however many there are. */
export const TEXT_LOOKUPS = {
  name: lookupsOf('folded', '_name'),
  identifier: lookupsOf('upper(entity_id)', '_known'),
} as const;

/** The names, or the identifiers, of all known companies as their index holds them. */
export function openTextsInOrder(db: Database, by: keyof typeof TEXT_LOOKUPS): TextsInOrder {
  const sql = TEXT_LOOKUPS[by];
  const count = db.prepare<[string, string], number>(sql.count).pluck();
  const at = db.prepare<[string, number], string>(sql.at).pluck();
  const neighbours = db.prepare<[string, number], string>(sql.neighbours).pluck();
  const all = db.prepare<[], string>(sql.all).pluck();
  const containing = db.prepare<[string], string>(sql.containing).pluck();
  const countBetween = (from: string, to: string) => count.get(from, to) ?? 0;
  const entryAt = (from: string, places: number) => at.get(from, places) ?? null;
  /** Walked once: as many as asked for, unless one more is the very same as the last. */
  const stretch = (from: string, to: string, { size }: { readonly size: number }): Stretch => {
    const [last, following] = neighbours.all(from, size - 1);
    const isWhole = following !== last;
    const next = (last === from && !isWhole ? entryAt(nextAfter(from), 0) : following) ?? null;
    if (next === null || inOrder(next, to) >= 0) return { shares: [countBetween(from, to)], next: null };
    return { shares: [isWhole ? size : countBetween(from, next)], next };
  };
  return {
    all: () => all.iterate(),
    containing: (part) => containing.iterate(part),
    countBetween,
    stretch,
    at: entryAt,
  };
}

function lookupsOf(text: string, table: string) {
  return {
    count: `SELECT count(*) FROM ${table} WHERE ${text} >= ? AND ${text} < ?`,
    at: `SELECT ${text} FROM ${table} WHERE ${text} >= ? ORDER BY ${text} LIMIT 1 OFFSET ?`,
    neighbours: `SELECT ${text} FROM ${table} WHERE ${text} >= ? ORDER BY ${text} LIMIT 2 OFFSET ?`,
    all: `SELECT ${text} FROM ${table} ORDER BY ${text}`,
    containing: `SELECT ${text} FROM ${table} WHERE instr(${text}, ?) > 0 ORDER BY ${text}`,
  };
}
