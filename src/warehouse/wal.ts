import { statSync } from 'node:fs';
import Sqlite, { type Database } from 'better-sqlite3';

/** The WAL grows while readers use it. It is truncated to this size. */
export const WAL_LIMIT_BYTES = 64 * 1024 * 1024;

const WRITES_BETWEEN_CHECKS = 100;
/** The longest time that a writer waits for readers in order to truncate the WAL. */
const LONGEST_WAIT_MS = 20;
const LONG_BYTES = 4 * WAL_LIMIT_BYTES;

/**
 * Watches the WAL while this connection writes. SQLite resets the WAL at a commit without readers, so that a single
 * long reader needs no special treatment. Overlapping readers keep the WAL growing. Beyond the limit, a checkpoint
 * that waits briefly for the present readers truncates it.
 */
export function openWalMonitor(db: Database, limitBytes: number): { written(): void } {
  let writes = 0;
  return {
    written: () => {
      // The first write is checked too, because a run can end before the hundredth.
      const isCheckDue = writes++ % WRITES_BETWEEN_CHECKS === 0;
      if (isCheckDue && walBytes(db) > limitBytes) truncateWal(db);
    },
  };
}

export function walBytes(db: Database): number {
  return statSync(`${db.name}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

/** The remedy for a WAL that cannot shrink; null: its size is normal. */
export function walWarning(bytes: number): string | null {
  if (bytes < LONG_BYTES) return null;
  return (
    `The WAL of the warehouse has grown to ${Math.round(bytes / 1e6)} MB, because a reader keeps a transaction ` +
    'open. End that transaction; the WAL shrinks at the next write'
  );
}

/** Best effort. It gives up if readers remain. If the disk is full, the next write reports the error. */
function truncateWal(db: Database): void {
  const busyTimeoutMs = db.pragma('busy_timeout', { simple: true }) as number;
  db.pragma(`busy_timeout = ${LONGEST_WAIT_MS}`);
  try {
    db.pragma('wal_checkpoint(TRUNCATE)');
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError)) throw error;
  } finally {
    db.pragma(`busy_timeout = ${busyTimeoutMs}`);
  }
}
