import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type Database from 'better-sqlite3';

/**
 * A mark in the header of the ledger file. It shows that the WAL contains calls that the file does not contain. After a
 * kill, only the WAL contains the latest calls. If the WAL is then deleted, SQLite opens the file without an error, and
 * without these calls. The mark reveals this loss.
 *
 * The mark is copied to the file, and then replaced in the WAL. If any program copies the whole WAL to the file, the
 * file therefore loses the mark.
 */
export interface WalMark {
  /** Sets the mark if it is not in the file. Call this method in the transaction of each debit. */
  set(): void;
  /** Copies a new mark from the WAL to the file. Call this method after each debit, before its call is sent. */
  copyToFile(): void;
  /** Removes the mark, because SQLite empties the WAL when the last process closes the file. */
  clear(): void;
}

export function openWalMark(db: Database.Database): WalMark {
  const read = db.prepare('SELECT application_id FROM pragma_application_id').pluck();
  const write = (mark: number) => db.pragma(`application_id = ${mark}`);
  let isInFile = false;
  let debits = 0;
  // SQLite would copy the WAL to the file without the mark.
  db.pragma('wal_autocheckpoint = 0');
  return {
    set: () => {
      debits += 1;
      if (isInFile && debits <= DEBITS_PER_COPY && read.get() === MARK_REPLACED) return;
      isInFile = false;
      write(MARK);
    },
    copyToFile: () => {
      if (isInFile || !copyWal(db)) return;
      write(MARK_REPLACED);
      isInFile = true;
      debits = 0;
    },
    clear: () => {
      if (read.get() === NO_MARK) return;
      // After a complete copy, SQLite writes the WAL from its beginning, so that a full disk cannot prevent the write.
      copyWal(db);
      write(NO_MARK);
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

const NO_MARK = 0;
// "RMLW" and "RMLR" in ASCII.
const MARK = 0x52_4d_4c_57;
const MARK_REPLACED = 0x52_4d_4c_52;
// Limits the WAL to some megabytes.
const DEBITS_PER_COPY = 200;
// https://www.sqlite.org/fileformat.html#the_database_header
const APPLICATION_ID_AT = 68;
const READINGS = 5;
const PAUSE_MS = 10;
