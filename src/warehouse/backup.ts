import { existsSync, statSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { UsageError } from '../errors.ts';
import { explainSqlite } from '../sqlite/database_file.ts';
import { copyDatabase } from './copy.ts';
import type { Warehouse } from './warehouse.ts';

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
