import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { backUp } from '../../src/warehouse/backup.ts';
import { bench, temporaryFolder } from '../support/loader.ts';

test('a backup of a corrupt warehouse fails its check and is deleted', async () => {
  const { warehouse, record } = bench();
  record('C1', { id: 'C1' });
  // The corruption makes two tables share their pages.
  warehouse.db.unsafeMode(true);
  warehouse.db.exec(`
    PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = '_call')
     WHERE name = '_quarantine'`);
  const folder = temporaryFolder();
  await expect(backUp(warehouse, join(folder, 'copy.db'))).rejects.toThrow(/the copy is corrupt/);
  expect(readdirSync(folder)).toEqual([]);
});
