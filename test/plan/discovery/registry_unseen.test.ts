import { expect, test } from 'vitest';
import type { KeySpace } from '../../../src/plan/discovery/key_space.ts';
import { type RegistryCount, RegistryUnseen } from '../../../src/plan/discovery/registry_unseen.ts';

const LIMITS = { pageSize: 20, window: 100 };

/** The estimate if `known` companies are known. */
function unseenOf(known: number, count: Partial<RegistryCount> = {}): RegistryUnseen {
  const keySpace = { companies: known } as KeySpace;
  const unseen = new RegistryUnseen(keySpace, LIMITS);
  unseen.setCount({ total: null, observedAtMs: 5, countAt: () => null, ...count });
  return unseen;
}

test("the registry's unseen count is the registry count minus the known companies", () => {
  expect(unseenOf(30, { total: 100 }).unseen).toBe(70);
  expect(unseenOf(100, { total: 100 })).toMatchObject({ unseen: 0, isCounted: true, observedAtMs: 5 });
});

test('the unseen count ignores a registry count far below the number of known companies', () => {
  const unseen = unseenOf(110, { total: 100 });
  expect(unseen.isCounted).toBe(false);
  expect(unseen.unseen).toBe(20);
});

test('a registry count just below the number of known companies leaves no company unseen', () => {
  expect(unseenOf(1_004, { total: 1_000 })).toMatchObject({ isCounted: false, unseen: 0 });
});

test('without a registry count, one page of companies counts as unseen', () => {
  expect(unseenOf(1000).unseen).toBe(20);
});

test('the gained share is the share of unseen companies that were registered after a listing', () => {
  const counts = new Map([
    [1, 60],
    [2, 90],
    [3, 20],
    [4, 99.9],
  ]);
  const unseen = unseenOf(50, { total: 100, countAt: (atMs) => counts.get(atMs) ?? null });
  expect([1, 2, 3, 4, 5].map((atMs) => unseen.gainedShare(atMs))).toEqual([0.8, 0.2, 1, 0.01, null]);
  expect(unseenOf(50, { countAt: () => 10 }).gainedShare(1)).toBeNull();
  expect(unseenOf(100, { total: 100, countAt: () => 10 }).gainedShare(1)).toBeNull();
});

test("the registry count at a listing's time is read once, and again only after the registry count changes", () => {
  let reads = 0;
  const countAt = () => {
    reads += 1;
    return 60;
  };
  const unseen = unseenOf(50, { total: 100, countAt });
  for (const atMs of [1, 1, 2]) unseen.gainedShare(atMs);
  expect(reads).toBe(2);
  expect(unseen.setCount({ total: 100, observedAtMs: 5, countAt })).toBe(false);
  unseen.gainedShare(1);
  expect(reads).toBe(2);
  expect(unseen.setCount({ total: 101, observedAtMs: 5, countAt })).toBe(true);
  unseen.gainedShare(1);
  expect(unseen.setCount({ total: 101, observedAtMs: 6, countAt })).toBe(true);
  unseen.gainedShare(1);
  expect(reads).toBe(4);
});
