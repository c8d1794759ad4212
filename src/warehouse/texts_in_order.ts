import type { Database } from 'better-sqlite3';
import type { TextsInOrder } from '../plan/texts_in_order.ts';

const NAMES = { text: 'folded', table: '_name' } as const;
const IDENTIFIERS = { text: 'upper(entity_id)', table: '_known' } as const;

/** The names, or the identifiers, of all known companies as their index holds them. */
export function openTextsInOrder(db: Database, by: 'name' | 'identifier'): TextsInOrder {
  const { text, table } = by === 'name' ? NAMES : IDENTIFIERS;
  const count = db
    .prepare<[string, string], number>(`SELECT count(*) FROM ${table} WHERE ${text} >= ? AND ${text} < ?`)
    .pluck();
  const at = db
    .prepare<[string, number], string>(
      `SELECT ${text} FROM ${table} WHERE ${text} >= ? ORDER BY ${text} LIMIT 1 OFFSET ?`,
    )
    .pluck();
  const all = db.prepare<[], string>(`SELECT ${text} FROM ${table} ORDER BY ${text}`).pluck();
  return {
    all: () => all.iterate(),
    countBetween: (from, to) => count.get(from, to) ?? 0,
    at: (from, places) => at.get(from, places) ?? null,
  };
}
