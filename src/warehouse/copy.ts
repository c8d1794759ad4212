import { renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { FailedError } from '../errors.ts';
import { makeFolder, reachDisk } from '../sqlite/database_file.ts';
import { integrityFault } from './file_facts.ts';

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
