import { expect, test } from 'vitest';
import { type SearchFacts, searchCost } from '../../src/estimate/search_cost.ts';

const FACTS: SearchFacts = {
  by: 'name prefix',
  missing: 400,
  size: 1_000,
  pageSize: 20,
  window: Infinity,
  perRecord: 1,
  expected: [8, 6, 4, 2, 0.5, 0.4],
  isReading: false,
  foundLately: 8,
  stopSearches: 10,
};

test('no search comes before records if the best one is not worth a record, although a later one is', () => {
  expect(searchCost({ ...FACTS, expected: [0.9, 4, 4] }).first).toBe(0);
});

test('without a registry count, the planned searches that are worth a record come before records', () => {
  expect(searchCost({ ...FACTS, missing: Infinity }).first).toBe(4);
});

test('while a listing is read, its next pages count as searches', () => {
  const reading = { ...FACTS, expected: [20, 0.5, 0.4], foundLately: 20 };
  const [planned, read] = [searchCost(reading), searchCost({ ...reading, isReading: true })];
  expect(read.first).toBeGreaterThan(4 * planned.first);
});

test('if each planned search is worth a record, the missing companies determine how many searches follow', () => {
  const [few, many] = [400, 40_000].map((missing) => searchCost({ ...FACTS, missing, expected: [20] }).first);
  expect(many).toBeGreaterThan(50 * (few ?? 0));
});

test('searches find fewer companies if the last ones found fewer, and never more than are missing', () => {
  const [lately, before] = [searchCost(FACTS), searchCost({ ...FACTS, foundLately: 0 })];
  expect(before.found(20)).toBeLessThan(lately.found(20) / 4);
  expect(lately.found(0)).toBe(0);
  expect(lately.found(1_000_000)).toBeLessThanOrEqual(400);
  expect(searchCost({ ...FACTS, missing: 0 }).found(10)).toBe(0);
});

test('the searches until none is due hardly depend on the number of missing companies', () => {
  const [few, many] = [100, 800].map((missing) => searchCost({ ...FACTS, missing }).all);
  expect(many).toBeLessThan(3 * (few ?? 0));
});
