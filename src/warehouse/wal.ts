import { statSync } from 'node:fs';
import Sqlite, { type Database } from 'better-sqlite3';
import { FailedError } from '../errors.ts';

/** The size at which the WAL is truncated. It can grow beyond this size while readers use it. */
export const WAL_LIMIT_BYTES = 64 * 1024 * 1024;

/** The longest time that a writer waits for readers before it truncates the WAL. */
const LONGEST_WAIT_MS = 20;
const LONG_BYTES = 4 * WAL_LIMIT_BYTES;

/**
 * Truncates the WAL if it is larger than the limit. SQLite resets the WAL at the first commit without readers. If readers
 * overlap all the time, that commit never comes, and the WAL keeps growing. A checkpoint therefore waits briefly for the
 * current readers.
 */
export function limitWal(db: Database, limitBytes: number): void {
  if (walBytes(db) > limitBytes) truncateWal(db, LONGEST_WAIT_MS);
}

/**
 * Moves everything in the WAL to the file itself, and waits for readers.
 *
 * @throws FailedError if a reader keeps the WAL open.
 */
export function emptyWal(db: Database): void {
  const [{ busy } = { busy: 1 }] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
  if (busy !== 0)
    throw new FailedError('another program is reading the warehouse', {
      hint: 'Close that program, then run the command again.',
    });
}

export function walBytes(db: Database): number {
  return statSync(`${db.name}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

/** Describes a WAL that cannot shrink. Returns null if its size is normal. */
export function longWal(bytes: number): { readonly cause: string; readonly remedy: string } | null {
  if (bytes < LONG_BYTES) return null;
  return {
    cause: `The warehouse's WAL has grown to ${Math.round(bytes / 1e6)} MB, because a reader keeps a transaction open.`,
    remedy: 'End that transaction. The WAL shrinks at the next write.',
  };
}

/**
 * Moves everything in the WAL to the file and truncates it. Returns false if there are still readers after `waitMs`. If
 * the disk is full, the next write reports the error.
 */
export function truncateWal(db: Database, waitMs: number): boolean {
  const busyTimeoutMs = db.pragma('busy_timeout', { simple: true }) as number;
  db.pragma(`busy_timeout = ${waitMs}`);
  try {
    const [result] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
    return result?.busy === 0;
  } catch (error) {
    if (error instanceof Sqlite.SqliteError) return false;
    throw error;
  } finally {
    db.pragma(`busy_timeout = ${busyTimeoutMs}`);
  }
}
