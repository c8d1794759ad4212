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
  expectedLately: 8,
  areQueriesLong: false,
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
  const [few, many] = [100, 800].map((missing) => searchCost({ ...FACTS, missing }).all.low);
  expect(many).toBeLessThan(3 * (few ?? 0));
});

test('the searches until none is due include those after which the stop rule gives up, unless identifiers are searched', () => {
  const { low, high } = searchCost({ ...FACTS, missing: 4 }).all;
  expect(low).toBeLessThan(50);
  expect(high).toBeGreaterThan(200);
  expect(searchCost({ ...FACTS, missing: 4, by: 'identifiers' }).all.high).toBeLessThan(50);
});

test('if searches find less than half of what they were expected to find, more of them are needed at least', () => {
  const [expected, behind] = [8, 3].map((foundLately) => searchCost({ ...FACTS, foundLately }).all);
  expect(behind?.low).toBeGreaterThan(1.5 * (expected?.low ?? Infinity));
  expect(behind?.high).toBe(expected?.high);
});

test('if an upstream accepts no short query, more searches are needed', () => {
  const [short, long] = [false, true].map((areQueriesLong) => searchCost({ ...FACTS, areQueriesLong }).all);
  expect(long?.low).toBeGreaterThan(3 * (short?.low ?? Infinity));
});

test('few searches confirm a count that is reached', () => {
  expect(searchCost({ ...FACTS, missing: 0 }).all).toEqual({ low: 2, high: 13 });
});
