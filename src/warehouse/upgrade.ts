import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite, { type Database } from 'better-sqlite3';
import { explainSqlite } from '../sqlite/database_file.ts';
import { copyDatabase } from './backup.ts';
import { needsMigration } from './migrate.ts';
import { isEmpty, isWarehouse, openWarehouse } from './warehouse.ts';

/** A migrated warehouse. */
interface Upgrade {
  readonly path: string;
  /** The copy of the file as it was before. */
  readonly backup: string;
}

/**
 * Migrates a warehouse that an older version wrote, after a backup beside it. Returns null if no migration is needed,
 * or if this user may not write the file. Creates the tables of a file without tables, and returns null. An older program
 * that has the file open can store responses, but it cannot process them if a table was replaced.
 *
 * @throws FailedError if the backup cannot be written. The warehouse is then unchanged.
 */
export function upgradeWarehouse(path: string, nowMs: number): Upgrade | null {
  if (!isWarehouse(path) || !isWritable(path)) return null;
  const db = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS });
  let backup: string | null;
  try {
    if (!isOlder(db)) return null;
    // A process that was killed while it created the file left no tables, so there is nothing to back up.
    backup = isEmpty(db) ? null : copyBeside(db, path);
  } catch (error) {
    throw explainSqlite(error, `the backup of ${path}`);
  } finally {
    db.close();
  }
  openWarehouse({ path, nowMs }).close();
  return backup === null ? null : { path, backup };
}

/** Returns false for a file that is corrupt or newer, because the command that opens it explains this. */
function isOlder(db: Database): boolean {
  try {
    return needsMigration(db);
  } catch {
    return false;
  }
}

export function describeUpgrade({ path, backup }: Upgrade): string {
  return `Migrated ${path}, which an older version wrote. Its backup is ${backup}; delete it when you no longer need it.`;
}

/** Copies the file. The backup of an earlier upgrade stays, and the new one gets a number. */
function copyBeside(db: Database, path: string): string {
  const version = db.prepare("SELECT value FROM _meta WHERE key = 'schema_version'").pluck().get();
  const name = `${path}.schema-${String(version)}`;
  let backup = name;
  for (let number = 2; existsSync(backup); number++) backup = `${name}-${number}`;
  copyDatabase(db, backup);
  return backup;
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    accessSync(dirname(path), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

const BUSY_TIMEOUT_MS = 10_000;
