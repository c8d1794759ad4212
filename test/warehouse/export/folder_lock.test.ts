import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FailedError } from '../../../src/errors.ts';
import { lockFolder } from '../../../src/warehouse/export/folder_lock.ts';
import { temporaryFolder } from '../../support/loader.ts';

test('exporting into a locked folder fails after the maximum wait', () => {
  const folder = temporaryFolder();
  const unlock = lockFolder(folder);
  expect(() => lockFolder(folder, 20)).toThrow(FailedError);
  unlock();
  lockFolder(folder, 20)();
  expect(readdirSync(folder)).toEqual([]);
});
