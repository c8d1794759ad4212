import { statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { isoTime } from '../clock.ts';
import { walBytes } from './wal.ts';

export interface FileSizes {
  readonly bytes: number;
  /** Of the write-ahead log beside it. */
  readonly walBytes: number;
}

/** What tells whether the file is in order. */
export interface Health extends FileSizes {
  /** Calls loaded that cost a unit. */
  readonly calls: number;
  readonly schemaVersion: string | null;
}

export function readHealth(db: Database): Health {
  return {
    ...fileSizes(db),
    calls: db.prepare("SELECT count(*) FROM _call WHERE outcome <> 'unsent'").pluck().get() as number,
    schemaVersion:
      (db.prepare("SELECT value FROM _meta WHERE key = 'schema_version'").pluck().get() as
        | string
        | undefined) ?? null,
  };
}

export function fileSizes(db: Database): FileSizes {
  return { bytes: statSync(db.name, { throwIfNoEntry: false })?.size ?? 0, walBytes: walBytes(db) };
}

/** Reads the whole file; null: nothing is wrong with it, else what SQLite found first. */
export function integrityFault(db: Database): string | null {
  const found = db.pragma('quick_check(1)', { simple: true }) as string;
  return found === 'ok' ? null : found;
}

/** Targets that failed and wait for another try. */
export function waitingCount(db: Database, nowMs: number): number {
  return db
    .prepare('SELECT count(*) FROM _failure WHERE next_try_at > ?')
    .pluck()
    .get(isoTime(nowMs)) as number;
}
