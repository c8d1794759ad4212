import { randomUUID } from 'node:crypto';
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { FailedError, UsageError } from '../errors.ts';
import { explainSqlite, makeFolder, reachDisk } from '../sqlite/database_file.ts';
import type { Warehouse } from './warehouse.ts';

export interface Backup {
  readonly path: string;
  readonly bytes: number;
}

/**
 * Copies a consistent snapshot of the warehouse without stopping runs or readers. The copy is a single file without a
 * WAL. It appears at `path` only after it is complete and checked.
 *
 * @throws UsageError if the path exists or cannot be written to; FailedError if the copy is corrupt.
 */
export async function backUp({ db }: Warehouse, path: string): Promise<Backup> {
  if (existsSync(path))
    throw new UsageError(`${path} already exists`, {
      hint: 'A backup never replaces a file. Name another file, for example one whose name includes the date.',
    });
  const partial = join(dirname(path), `.${basename(path)}.${randomUUID()}.partial`);
  try {
    makeFolder(dirname(path));
    // Copy all pages in one step, because a copy in several steps restarts whenever another process writes.
    await db.backup(partial, { progress: () => ALL_PAGES });
    settle(partial);
    renameSync(partial, path);
    reachDisk(dirname(path));
  } catch (error) {
    throw explained(path, error);
  } finally {
    for (const file of ['', '-wal', '-shm', '-journal'].map((end) => partial + end))
      if (existsSync(file)) rmSync(file);
  }
  return { path, bytes: statSync(path).size };
}

const ALL_PAGES = 0x7fff_ffff;

/** Converts the copy to a single file without a WAL, checks it and flushes it to the disk. */
function settle(partial: string): void {
  const copy = new Sqlite(partial);
  try {
    copy.pragma('journal_mode = DELETE');
    const verdict = copy.pragma('quick_check(1)', { simple: true });
    if (verdict !== 'ok')
      throw new FailedError(`the copy is corrupt: ${String(verdict)}`, {
        hint: 'The warehouse may be corrupt. Restore an earlier backup (docs/reliability.md).',
      });
  } finally {
    copy.close();
  }
  reachDisk(partial);
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
