import Database from 'better-sqlite3';

/**
 * Converts a ledger to the first version's format, without a users table and without the columns of later versions.
 */
export function makeOlder(path: string): void {
  const db = new Database(path);
  db.exec('DROP TABLE IF EXISTS user; DROP TABLE IF EXISTS identity');
  const columns = db.pragma('table_info(account)') as { name: string }[];
  for (const { name } of columns)
    if (LATER_COLUMNS.has(name)) db.exec(`ALTER TABLE account DROP COLUMN ${name}`);
  db.pragma('user_version = 1');
  db.close();
}

const LATER_COLUMNS = new Set([
  'debits',
  'spaced_at_ms',
  'starts',
  'doubted_target',
  'boot_id',
  'booted_ms',
  'reported_left',
  'reported_at_ms',
  'reported_until_ms',
  'reported_spacing_ms',
]);
