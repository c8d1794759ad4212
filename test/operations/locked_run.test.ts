import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { exclusively } from '../../src/operations/locked_run.ts';
import { acquireLock } from '../../src/warehouse/lock.ts';
import { temporaryWarehouse } from '../support/loader.ts';

test('an exclusive command that fails records its error, ends its run and releases the lock', async () => {
  const warehouse = temporaryWarehouse();
  const failing = exclusively({ warehouse, clock: systemClock, command: 'reprocess' }, () => {
    throw new Error('the disk is full');
  });
  await expect(failing).rejects.toThrow('the disk is full');
  const runs = warehouse.db
    .prepare('SELECT command, ended, ended_at IS NULL AS isOpen, error FROM _run')
    .all();
  expect(runs).toEqual([{ command: 'reprocess', ended: 'failed', isOpen: 0, error: 'the disk is full' }]);
  const request = { owner: 'next', pid: 1, host: 'here', nowMs: systemClock.now(), isAlive: () => true };
  expect(acquireLock(warehouse.db, request).taken).toBe(true);
});
