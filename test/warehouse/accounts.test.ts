import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openAccountFile } from '../../src/warehouse/accounts.ts';
import { temporaryFolder } from '../support/loader.ts';

test('an accounts file without later columns keeps its accounts and gets the columns with their defaults', () => {
  const path = join(temporaryFolder(), 'accounts.db');
  openAccountFile(path).close();
  const older = new Sqlite(path);
  older.exec(`
    ALTER TABLE account DROP COLUMN used_in_minute; ALTER TABLE _lock DROP COLUMN yields; ALTER TABLE _lock DROP COLUMN wanted_at;
    INSERT INTO account (account_id, tier, created_at) VALUES ('own', 'free', '2026-01-01T00:00:00.000Z')`);
  older.close();
  using file = openAccountFile(path);
  expect(file.accounts()).toMatchObject([{ accountId: 'own', usedInMinute: 0, isSuspended: 0 }]);
  expect(file.db.pragma('table_info(_lock)')).toHaveLength(8);
});
