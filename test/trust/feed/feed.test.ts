import { expect, test } from 'vitest';
import { liveHistory, type Step } from './history.ts';

// `npm run trust feed` lives 10,000 histories.
const HISTORIES = 60;

test('a consumer of the change feed has the tables of a full export', { timeout: 120_000 }, async () => {
  const seen = new Set<Step>();
  for (let seed = 1; seed <= HISTORIES; seed++)
    for (const step of (await liveHistory(seed)).keys()) seen.add(step);
  expect(seen.size).toBe(12);
});
