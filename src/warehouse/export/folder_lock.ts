import { closeSync, fstatSync, openSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { FailedError } from '../../errors.ts';

const LOCK_FILE = '.export.lock';
const LONGEST_WAIT_MS = 600_000;

/**
 * Waits until no other export is writing to the folder, then locks the folder. The lock is an empty file that SQLite
 * has locked. The operating system releases it when the process ends, even if the process is killed.
 *
 * @returns a function that releases the lock.
 * @throws FailedError if another export is still writing to the folder after `waitMs`.
 */
export function lockFolder(folder: string, waitMs = LONGEST_WAIT_MS): () => void {
  const path = join(folder, LOCK_FILE);
  for (;;) {
    const file = openSync(path, 'a');
    const { ino } = fstatSync(file);
    const lock = new Sqlite(path, { timeout: waitMs });
    closeSync(file);
    const failure = exclusively(lock);
    // The lock's previous holder deletes the file, and a lock on a deleted file protects nothing.
    const isCurrent = statSync(path, { throwIfNoEntry: false })?.ino === ino;
    if (isCurrent && failure === null)
      return () => {
        rmSync(path, { force: true });
        lock.close();
      };
    lock.close();
    if (isCurrent) throw explained(failure, folder);
  }
}

function exclusively(lock: Sqlite.Database): unknown {
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return null;
  } catch (error) {
    return error;
  }
}

function explained(error: unknown, folder: string): unknown {
  if (!(error instanceof Sqlite.SqliteError) || !error.code.startsWith('SQLITE_BUSY')) return error;
  return new FailedError(`another export is still writing to ${folder}`, {
    hint: 'Wait until it ends, or name another folder with --out.',
    cause: error,
  });
}
