import { statSync } from 'node:fs';
import Sqlite, { type Database } from 'better-sqlite3';

/** The write-ahead log beside the file grows for as long as readers hold it back, and is cut back to this. */
export const WAL_LIMIT_BYTES = 64 * 1024 * 1024;

const WRITES_BETWEEN_LOOKS = 100;
/** Readers that last no longer than this cannot hold the log back by taking turns; a writer loses so much. */
const LONGEST_WAIT_MS = 20;
const LONG_BYTES = 4 * WAL_LIMIT_BYTES;

/**
 * Watches the log while it is written. SQLite itself empties it as soon as a commit finds no reader in it, so
 * that one long reader needs no more than its end. Readers that overlap without a gap keep it growing all the
 * same: beyond the limit it is cut off by a checkpoint that waits for the readers of the moment, now and then
 * and briefly.
 */
export function openWalKeeper(db: Database, limitBytes: number): { written(): void } {
  let writes = 0;
  return {
    written: () => {
      // The first too: a run may end before the hundredth.
      const isTimeToLook = writes++ % WRITES_BETWEEN_LOOKS === 0;
      if (isTimeToLook && walBytes(db) > limitBytes) cutBack(db);
    },
  };
}

export function walBytes(db: Database): number {
  return statSync(`${db.name}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

/** What to do about a log that is kept from shrinking; null: it is in order. */
export function walWarning(bytes: number): string | null {
  if (bytes < LONG_BYTES) return null;
  return (
    `The write-ahead log of the warehouse has grown to ${Math.round(bytes / 1e6)} MB, because a reader has kept ` +
    'one transaction open for long; end it, and the log shrinks with the next write'
  );
}

/** Best effort: it gives up where readers go on, and a full disk fails whatever needs room, not this. */
function cutBack(db: Database): void {
  const patienceMs = db.pragma('busy_timeout', { simple: true }) as number;
  db.pragma(`busy_timeout = ${LONGEST_WAIT_MS}`);
  try {
    db.pragma('wal_checkpoint(TRUNCATE)');
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError)) throw error;
  } finally {
    db.pragma(`busy_timeout = ${patienceMs}`);
  }
}
