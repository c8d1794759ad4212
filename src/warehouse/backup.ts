import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Database } from 'better-sqlite3';
import Sqlite from 'better-sqlite3';
import { isoTime } from '../clock.ts';
import { FailedError, UsageError } from '../errors.ts';
import { explainSqlite, makeFolder, reachDisk } from '../sqlite/database_file.ts';
import { integrityFault } from './file_facts.ts';
import { openWarehouse, type Warehouse } from './warehouse.ts';

/**
 * Copies a consistent snapshot of an open database to a single file without a WAL and without free pages. Writers and
 * readers continue. The file appears at `path` only after it is complete.
 *
 * @throws FailedError if the database is corrupt.
 */
export function copyDatabase(db: Database, path: string): void {
  const fault = integrityFault(db);
  if (fault !== null)
    throw new FailedError(`${db.name} is corrupt: ${fault}`, {
      hint: 'Restore an earlier backup (docs/reliability.md).',
    });
  const partial = join(dirname(path), `.${basename(path)}.partial`);
  try {
    makeFolder(dirname(path));
    rmSync(partial, { force: true });
    db.prepare('VACUUM INTO ?').run(partial);
    reachDisk(partial);
    renameSync(partial, path);
    reachDisk(dirname(path));
  } finally {
    rmSync(partial, { force: true });
  }
}

interface Backup {
  readonly path: string;
  readonly bytes: number;
}

/**
 * Copies the warehouse without stopping runs or readers.
 *
 * @throws UsageError if the path exists or cannot be written to; FailedError if the warehouse is corrupt.
 */
export function backUp({ db }: Warehouse, path: string): Backup {
  if (existsSync(path))
    throw new UsageError(`${path} already exists`, {
      hint: 'A backup never replaces a file. Name another file, for example one whose name includes the date.',
    });
  try {
    copyDatabase(db, path);
  } catch (error) {
    throw explained(path, error);
  }
  return { path, bytes: statSync(path).size };
}

function explained(path: string, error: unknown): unknown {
  if (!isOfThePath(error)) return explainSqlite(error, `the backup ${path}`);
  return new UsageError(`${path} cannot be written: ${error.message}`, {
    hint: 'Name a file in a folder that this user may write to.',
    cause: error,
  });
}

function isOfThePath(error: unknown): error is Error {
  if (error instanceof Sqlite.SqliteError) return error.code.startsWith('SQLITE_CANTOPEN');
  return error instanceof Error && 'syscall' in error;
}

/** A checked copy of a backup, beside the warehouse and ready to replace it. */
interface Replacement {
  readonly bytes: number;
  /** Puts the copy in place. Returns the new name of the old file, or null if there was none. */
  replace(nowMs: number): string | null;
  /** Deletes the copy if it is not in place. */
  discard(): void;
}

/**
 * Copies a backup into the same folder as the warehouse at `path`, migrates the copy and checks it. The warehouse stays
 * unchanged until `replace` is called.
 *
 * @throws UsageError if the file is missing or is not a warehouse; FailedError if it is corrupt or a newer program
 * wrote it.
 */
export function prepareReplacement(file: string, target: string, nowMs: number): Replacement {
  // Replace the file itself, not a symbolic link to it.
  const path = existsSync(target) ? realpathSync(target) : target;
  if (!existsSync(file)) throw new UsageError(`there is no file ${file}`, OTHER_FILE);
  if (existsSync(path) && isSameFile(file, path))
    throw new UsageError(`${file} is the warehouse itself`, OTHER_FILE);
  const copy = join(dirname(path), `.${basename(path)}.${randomUUID()}.partial`);
  const discard = () => {
    for (const part of PARTS) rmSync(copy + part, { force: true });
  };
  try {
    copyFile(file, copy);
    const restored = openWarehouse({ path: copy, nowMs });
    // Delete the lock that a run held when the backup was made.
    restored.db.exec('DELETE FROM _lock');
    restored.close();
    reachDisk(copy);
  } catch (error) {
    discard();
    if (error instanceof Sqlite.SqliteError && error.code === 'SQLITE_NOTADB')
      throw new FailedError(`${file} is not a SQLite file`, OTHER_FILE);
    throw explainSqlite(error, `the backup ${file}`);
  }
  return { bytes: statSync(copy).size, replace: (atMs) => replace(copy, path, atMs), discard };
}

function copyFile(file: string, copy: string): void {
  const source = new Sqlite(file, { readonly: true });
  try {
    copyDatabase(source, copy);
  } finally {
    source.close();
  }
}

/**
 * Replaces the warehouse in one step. The old file first gets a second name, so that a complete warehouse exists at all
 * times. Its WAL is renamed too, because SQLite would otherwise apply it to the new file.
 */
function replace(copy: string, path: string, nowMs: number): string | null {
  const isNew = !existsSync(path);
  const kept = `${path}.replaced-${isoTime(nowMs).replaceAll(':', '')}`;
  if (!isNew) linkSync(path, kept);
  for (const part of ['-wal', '-shm']) if (existsSync(path + part)) renameSync(path + part, kept + part);
  renameSync(copy, path);
  reachDisk(dirname(path));
  return isNew ? null : kept;
}

function isSameFile(one: string, other: string): boolean {
  const [a, b] = [statSync(one), statSync(other)];
  return a.ino === b.ino && a.dev === b.dev;
}

const OTHER_FILE = { hint: 'Specify a file that `backup` created.' };
const PARTS = ['', '-wal', '-shm', '-journal'];
