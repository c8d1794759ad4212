import { expect, test } from 'vitest';
import { liveHistory, type Step } from './history.ts';

// `npm run trust feed` simulates 10,000 histories.
const HISTORIES = 12;

test('a consumer of the change feed has the same tables as a full export', { timeout: 120_000 }, async () => {
  const seen = new Set<Step>();
  for (let seed = 1; seed <= HISTORIES; seed++)
    for (const step of (await liveHistory(seed)).keys()) seen.add(step);
  expect(seen.size).toBe(13);
});

test.each([
  [336, 'a record call that returns a reference to a company that was unknown'],
  [5477, 'a rebuild that turns a number into text with the same digits'],
  [5510, 'a deletion in a small index after a column was added'],
  [40_812, 'a rebuild that turns an integer into text with the same digits'],
  [5701, 'a cursor inside a company that loses a list'],
])("the change feed's history %i passes: %s", async (seed) => {
  await expect(liveHistory(seed, { rebuilds: true })).resolves.toBeInstanceOf(Map);
});
