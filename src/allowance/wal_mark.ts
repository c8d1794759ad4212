import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type Database from 'better-sqlite3';

/**
 * A mark in the header of the ledger file. It shows that the WAL can contain calls that the file does not contain yet.
 * After a kill, only the WAL contains the latest calls. If the WAL is then deleted, SQLite opens the file without an
 * error, and without these calls. The mark reveals this loss.
 */
export interface WalMark {
  /** Sets the mark. Call this method in the transaction of each debit. */
  set(): void;
  /** Copies a new mark from the WAL to the file. Call this method after each debit, before its call is sent. */
  copyToFile(): void;
  /** Removes the mark, because SQLite empties the WAL when the last process closes the file. */
  clear(): void;
}

export function openWalMark(db: Database.Database): WalMark {
  const read = db.prepare('SELECT application_id FROM pragma_application_id').pluck();
  let isInFile = false;
  return {
    set: () => {
      if (read.get() === MARK) return;
      isInFile = false;
      db.pragma(`application_id = ${MARK}`);
    },
    copyToFile: () => {
      if (!isInFile) isInFile = copyWal(db);
    },
    clear: () => {
      if (read.get() !== MARK) return;
      // After a complete copy, SQLite writes the WAL from its beginning, so that a full disk cannot prevent the write.
      copyWal(db);
      db.pragma('application_id = 0');
    },
  };
}

/** Returns false if a reader of an older state prevented a complete copy. */
function copyWal(db: Database.Database): boolean {
  const [{ log, checkpointed }] = db.pragma('wal_checkpoint(PASSIVE)') as [
    { log: number; checkpointed: number },
  ];
  return log === checkpointed;
}

/** Does the file bear the mark although its WAL is missing or empty? */
export function hasLostWal(path: string): boolean {
  // Another process can open or close the file between the two readings. The loss is certain if it is seen repeatedly.
  for (let reading = 0; reading < READINGS; reading++) {
    if (reading > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    if (!isMarked(path) || walBytes(path) > 0) return false;
  }
  return true;
}

function isMarked(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(4);
    return readSync(file, bytes, 0, 4, APPLICATION_ID_AT) === 4 && bytes.readInt32BE() === MARK;
  } finally {
    closeSync(file);
  }
}

function walBytes(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

// "RMLW" in ASCII.
const MARK = 0x52_4d_4c_57;
// https://www.sqlite.org/fileformat.html#the_database_header
const APPLICATION_ID_AT = 68;
const READINGS = 5;
const PAUSE_MS = 10;
