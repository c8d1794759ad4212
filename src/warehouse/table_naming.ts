import type { Database } from 'better-sqlite3';

/**
 * Returns a derived table's SQL name. `live` returns the name of the table that readers see. A rebuild uses `shadow`,
 * so that the same statements write to shadow tables, which later replace the live tables.
 */
export type Naming = (table: string) => string;

export const SHADOW_PREFIX = '_next_';

export const live: Naming = (table) => quoted(table);

export const shadow: Naming = (table) => quoted(SHADOW_PREFIX + table);

/** Returns how many rebuilds preceded these tables. */
export function generationOf(db: Database, naming: Naming): number {
  const rebuilt = db
    .prepare("SELECT CAST(value AS INTEGER) FROM _meta WHERE key = 'generation'")
    .pluck()
    .get();
  return ((rebuilt as number | undefined) ?? 0) + (naming === live ? 0 : 1);
}

/** Quotes an SQL identifier. All identifiers are quoted, because they can include payload keys. */
export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}
