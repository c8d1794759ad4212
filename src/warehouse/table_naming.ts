import type { Database } from 'better-sqlite3';

/**
 * How SQL text names a derived table. `live` is what readers see; while `reprocess` rebuilds, the same
 * statements write to shadow tables beside the live ones, which take their place when they are whole.
 */
export type Naming = (table: string) => string;

export const SHADOW_PREFIX = '_next_';

export const live: Naming = (table) => quoted(table);

export const shadow: Naming = (table) => quoted(SHADOW_PREFIX + table);

/** How many times the derived tables were rebuilt before these. */
export function generationOf(db: Database, naming: Naming): number {
  const rebuilt = db
    .prepare("SELECT CAST(value AS INTEGER) FROM _meta WHERE key = 'generation'")
    .pluck()
    .get();
  return ((rebuilt as number | undefined) ?? 0) + (naming === live ? 0 : 1);
}

/** An SQL identifier, always quoted: payload keys end up here. */
export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}
