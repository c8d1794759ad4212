import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { backUp } from '../../src/warehouse/backup.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { bench, temporaryFolder } from '../support/loader.ts';

test('a corrupt warehouse is not backed up', () => {
  const { warehouse, record } = bench();
  record('C1', { id: 'C1' });
  // The corruption makes two tables share their pages.
  warehouse.db.unsafeMode(true);
  warehouse.db.exec(`
    PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = '_call')
     WHERE name = '_quarantine'`);
  const folder = temporaryFolder();
  using opened = openWarehouse({ path: warehouse.path, readonly: true, nowMs: 0 });
  expect(() => backUp(opened, join(folder, 'copy.db'))).toThrow(/is corrupt/);
  expect(readdirSync(folder)).toEqual([]);
});
