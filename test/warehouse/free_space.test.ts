import { expect, test } from 'vitest';
import { FailedError } from '../../src/errors.ts';
import { openSpaceCheck } from '../../src/warehouse/free_space.ts';
import { temporaryFolder } from '../support/loader.ts';

test('a disk has enough space only if it can hold all responses in flight', () => {
  const path = `${temporaryFolder()}/warehouse.db`;
  openSpaceCheck(path, { count: 4, maxBodyBytes: 1000 })();
  const tooMuch = openSpaceCheck(path, { count: 4, maxBodyBytes: 1e18 });
  expect(tooMuch).toThrow(FailedError);
  expect(tooMuch).toThrow(/the disk of the warehouse .* is nearly full: .* MB are free/);
});

test.runIf(process.platform === 'linux')('a file system that reports no size does not stop a run', () => {
  openSpaceCheck('/proc/warehouse.db', { count: 4, maxBodyBytes: 1e18 })();
});
