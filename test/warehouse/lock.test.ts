import { expect, test } from 'vitest';
import {
  acquireLock,
  heartbeat,
  LOCK_STALE_AFTER_MS,
  lockHolder,
  releaseLock,
} from '../../src/warehouse/lock.ts';
import { START_MS, temporaryWarehouse } from '../support/loader.ts';

const first = { owner: 'first', pid: 100, host: 'here', nowMs: START_MS, isAlive: () => true };
const second = { owner: 'second', pid: 200, host: 'here', nowMs: START_MS, isAlive: () => true };

test('only one run at a time can hold the lock', () => {
  const { db } = temporaryWarehouse();
  expect(acquireLock(db, first)).toEqual({ taken: true });
  expect(acquireLock(db, second)).toMatchObject({
    taken: false,
    holder: { owner: 'first', pid: 100, host: 'here' },
  });
  releaseLock(db, 'first');
  expect(acquireLock(db, second)).toEqual({ taken: true });
});

test('a lock held by a dead process on this host is taken over immediately', () => {
  const { db } = temporaryWarehouse();
  acquireLock(db, first);
  expect(acquireLock(db, { ...second, isAlive: () => false })).toEqual({ taken: true });
});

test('a lock that another host holds is not released because its process id is dead on this host', () => {
  const { db } = temporaryWarehouse();
  acquireLock(db, first);
  expect(acquireLock(db, { ...second, host: 'elsewhere', isAlive: () => false })).toMatchObject({
    taken: false,
  });
});

test('a lock without a recent heartbeat is taken over, and its owner notices the takeover', () => {
  const { db } = temporaryWarehouse();
  acquireLock(db, first);
  const nowMs = START_MS + LOCK_STALE_AFTER_MS;
  const elsewhere = { ...second, host: 'elsewhere' };
  expect(acquireLock(db, { ...elsewhere, nowMs })).toMatchObject({ taken: false });
  expect(acquireLock(db, { ...elsewhere, nowMs: nowMs + 1 })).toEqual({ taken: true });
  expect(heartbeat(db, 'first', nowMs + 2)).toBe(false);
  releaseLock(db, 'first');
  expect(lockHolder(db)?.owner).toBe('second');
});

test('a heartbeat prevents the lock from being taken over', () => {
  const { db } = temporaryWarehouse();
  acquireLock(db, first);
  expect(heartbeat(db, 'first', START_MS + 25_000)).toBe(true);
  expect(acquireLock(db, { ...second, nowMs: START_MS + 50_000 })).toMatchObject({ taken: false });
});

test('a living process on this host keeps the lock after a step of the clock, but not for more than an hour', () => {
  const { db } = temporaryWarehouse();
  acquireLock(db, first);
  expect(acquireLock(db, { ...second, nowMs: START_MS + 31_000 })).toMatchObject({ taken: false });
  expect(acquireLock(db, { ...second, nowMs: START_MS + 3_600_001 })).toEqual({ taken: true });
});
