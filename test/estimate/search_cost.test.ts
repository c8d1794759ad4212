import { expect, test } from 'vitest';
import { type PlannedSearch, type SearchFacts, searchCost } from '../../src/estimate/search_cost.ts';

/** Returns searches with one page each. */
function each(...yields: readonly number[]): PlannedSearch[] {
  return yields.map((expected) => ({ expected, calls: 1 }));
}

const FACTS: SearchFacts = {
  by: 'name prefix',
  missing: 400,
  size: 1_000,
  pageSize: 20,
  window: Infinity,
  perRecord: 1,
  searches: each(8, 6, 4, 2, 0.5, 0.4),
  foundLately: 8,
  expectedLately: 8,
  areQueriesLong: false,
  stopSearches: 10,
};

test('no search comes before records if the best one is not worth a record, although a later one is', () => {
  expect(searchCost({ ...FACTS, searches: each(0.9, 4, 4) }).first).toBe(0);
});

test('without a registry count, the planned searches that are worth a record come before records', () => {
  expect(searchCost({ ...FACTS, missing: Infinity }).first).toBe(4);
});

test('the pages of each listing count as searches', () => {
  const searches = [{ expected: 20, calls: 12 }, ...each(15, 0.5)];
  expect(searchCost({ ...FACTS, searches }).first).toBe(13);
});

test('a search finds fewer companies if others were found before, and then no longer comes before a record', () => {
  const searches = [{ expected: 20, calls: 10 }, ...each(3), { expected: 1.5, calls: 10 }];
  const { first, found } = searchCost({ ...FACTS, searches });
  expect([found(0), found(5), found(10)]).toEqual([0, 100, 200]);
  expect(found(11)).toBe(200 + 3 * 0.5);
  expect(first).toBe(11);
});

test('searches after the planned ones find as many as the last of these, and never more than are missing', () => {
  const { found } = searchCost({ ...FACTS, searches: each(40, 20) });
  expect(found(3)).toBeCloseTo(40 + 2 * 18);
  expect(found(1_000_000)).toBe(400);
  expect(searchCost({ ...FACTS, missing: 0 }).found(10)).toBe(0);
});

test('the searches until none is due hardly depend on the number of missing companies', () => {
  const [few, many] = [100, 800].map((missing) => searchCost({ ...FACTS, missing }).all.low);
  expect(many).toBeLessThan(3 * (few ?? 0));
});

test('the searches until none is due include those after which the stop rule gives up, unless identifiers are searched', () => {
  const { low, high } = searchCost({ ...FACTS, missing: 4 }).all;
  expect(low).toBeLessThan(50);
  expect(high).toBeGreaterThan(180);
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
