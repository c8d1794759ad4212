import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { FailedError } from '../errors.ts';

/**
 * Makes a folder and those above it. Step by step: Node's own recursive mode never returns where the file
 * system (such as /proc) answers "no such file" to making one.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path);
}

/** What SQLite could not do, as an error that names the file and the remedy. Any other error stays as it is. */
export function explainSqlite(error: unknown, file: string): unknown {
  if (!(error instanceof Sqlite.SqliteError)) return error;
  const { message, code } = error;
  return new FailedError(`${file} failed: ${message} (${code})`, { hint: remedyFor(code), cause: error });
}

/** By the primary code; the extended ones begin with it (https://www.sqlite.org/rescode.html). */
function remedyFor(code: string): string {
  const found = REMEDIES.find(([primary]) => code.startsWith(primary));
  return found?.[1] ?? 'Run the command again; if it fails again, please report it with this message.';
}

const REMEDIES: readonly (readonly [string, string])[] = [
  [
    'SQLITE_FULL',
    'Make room on that disk and run the command again: it goes on where it stopped. What was stored is intact.',
  ],
  [
    'SQLITE_CORRUPT',
    'The file is damaged. Set it aside and restore the latest backup (docs/reliability.md); the ledger is a file of its own and stays.',
  ],
  [
    'SQLITE_NOTADB',
    'The file is no SQLite file. Set it aside and restore the latest backup (docs/reliability.md).',
  ],
  ['SQLITE_READONLY', 'The file and its folder must be writable by this user; then run the command again.'],
  ['SQLITE_PERM', 'The file and its folder must be writable by this user; then run the command again.'],
  ['SQLITE_CANTOPEN', 'The file and its folder must exist and be open to this user.'],
  ['SQLITE_BUSY', 'Another program holds the file locked: end that program, or run the command again later.'],
  [
    'SQLITE_LOCKED',
    'Another program holds the file locked: end that program, or run the command again later.',
  ],
  [
    'SQLITE_IOERR',
    "The disk could not be read or written: look into the system's log. What was stored before is intact.",
  ],
];
