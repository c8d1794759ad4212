import { statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';

/** What tells whether the file is in order. */
export interface Health {
  readonly bytes: number;
  readonly walBytes: number;
  /** Calls loaded that cost a unit. */
  readonly calls: number;
  readonly schemaVersion: string | null;
}

export function readHealth(db: Database): Health {
  const size = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return {
    bytes: size(db.name),
    walBytes: size(`${db.name}-wal`),
    calls: db.prepare("SELECT count(*) FROM _call WHERE outcome <> 'unsent'").pluck().get() as number,
    schemaVersion:
      (db.prepare("SELECT value FROM _meta WHERE key = 'schema_version'").pluck().get() as
        | string
        | undefined) ?? null,
  };
}

/** Reads the whole file; null: nothing is wrong with it, else what SQLite found first. */
export function integrityFault(db: Database): string | null {
  const found = db.pragma('quick_check(1)', { simple: true }) as string;
  return found === 'ok' ? null : found;
}
