import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { isoTime } from '../clock.ts';
import { FailedError, UsageError } from '../errors.ts';
import { explainSqlite, reachDisk } from '../sqlite/database_file.ts';
import { copyDatabase } from './copy.ts';
import { openWarehouse } from './warehouse.ts';

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
  if (!existsSync(file))
    throw new UsageError(`there is no file ${file}`, { hint: 'Specify a file that `backup` created.' });
  if (existsSync(path) && isSameFile(file, path))
    throw new UsageError(`${file} is the warehouse itself`, {
      hint: 'Specify a file that `backup` created.',
    });
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
      throw new FailedError(`${file} is not a SQLite file`, {
        hint: 'Specify a file that `backup` created.',
      });
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

const PARTS = ['', '-wal', '-shm', '-journal'];
