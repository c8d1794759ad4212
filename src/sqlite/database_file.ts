import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { FailedError } from '../errors.ts';

/**
 * Creates a folder and its parents. Node's recursive mode is not used, because it never returns if the file system
 * (such as /proc) reports "no such file" when a folder is created.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // In the meantime, another process may have created the folder.
    if (!existsSync(path)) throw error;
  }
}

/** Flushes a file or a folder to the disk. */
export function reachDisk(path: string): void {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
}

/**
 * Converts an SQLite error to a FailedError that names the file and states the remedy. Returns other errors unchanged.
 */
export function explainSqlite(error: unknown, file: string): unknown {
  if (!(error instanceof Sqlite.SqliteError)) return error;
  const { message, code } = error;
  return new FailedError(`${file} failed: ${message} (${code})`, { hint: remedyFor(code), cause: error });
}

/**
 * Returns the remedy for a result code. An extended result code starts with its primary code
 * (https://www.sqlite.org/rescode.html).
 */
function remedyFor(code: string): string {
  const remedy = REMEDIES.find(([primary]) => code.startsWith(primary));
  return remedy?.[1] ?? 'Run the command again. If it fails again, report it with this message.';
}

const REMEDIES: readonly (readonly [string, string])[] = [
  ['SQLITE_FULL', 'Free space on that disk and run the command again. Stored data are intact.'],
  [
    'SQLITE_CORRUPT',
    'The file is corrupt. Move it away and restore the latest backup (docs/reliability.md). Keep the ledger, which is a separate file.',
  ],
  [
    'SQLITE_NOTADB',
    'The file is not a SQLite file. Move it away and restore the latest backup (docs/reliability.md).',
  ],
  ['SQLITE_READONLY', 'Make the file and its folder writable for this user, then run the command again.'],
  ['SQLITE_PERM', 'Make the file and its folder writable for this user, then run the command again.'],
  ['SQLITE_CANTOPEN', 'Check that the file and its folder exist and that this user may read them.'],
  ['SQLITE_BUSY', 'Another program has locked the file. End that program, or run the command again later.'],
  ['SQLITE_LOCKED', 'Another program has locked the file. End that program, or run the command again later.'],
  [
    'SQLITE_IOERR',
    'The disk could not be read or written. Check the system log. Data stored earlier are intact.',
  ],
];
