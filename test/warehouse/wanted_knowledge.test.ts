import { expect, test } from 'vitest';
import { queryKey } from '../../src/call.ts';
import { DAY_MS, HOUR_MS } from '../../src/durations.ts';
import { openWatchKnowledge } from '../../src/warehouse/wanted_knowledge.ts';
import { type Bench, bench, dialectWith, resultPage, START_MS } from '../support/loader.ts';

const NOTHING = { total: 0, results: [] };
const FOUND = resultPage({ id: 'C1', name: 'Acme' });

function freshIn({ warehouse }: Bench, nowMs: number): string[] {
  const ages = { nowMs, summariesMs: 30 * DAY_MS, recordsMs: 30 * DAY_MS };
  const fresh = openWatchKnowledge(warehouse, dialectWith(), ages).freshQueries();
  return [...fresh].map(({ query }) => queryKey(query));
}

test('names that a run searched without finding any company are searched once more on the next day', () => {
  const loaded = bench();
  for (const name of ['a', 'b', 'c']) loaded.search(name, NOTHING);
  expect(freshIn(loaded, START_MS + HOUR_MS)).toHaveLength(3);
  expect(freshIn(loaded, START_MS + DAY_MS)).toEqual([]);
  const later = loaded.reopen();
  for (const name of ['a', 'b']) later.search(name, NOTHING);
  expect(freshIn(later, START_MS + 2 * DAY_MS)).toEqual(['name:a', 'name:b']);
});

test('a name that a search does not find is not doubted if a search near it in the same run finds a company', () => {
  const loaded = bench();
  loaded.search('acme', FOUND);
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) loaded.search(name, NOTHING);
  expect(freshIn(loaded, START_MS + DAY_MS)).toEqual(
    ['a', 'acme', 'b', 'c', 'd', 'e'].map((name) => `name:${name}`),
  );
});
