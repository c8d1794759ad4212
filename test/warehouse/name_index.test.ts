import { expect, test } from 'vitest';
import { forget } from '../../src/load/forget.ts';
import { reprocess } from '../../src/load/reprocess.ts';
import { type Bench, bench, dialectWith, START_MS } from '../support/loader.ts';

const BY_WORDS = { search: { matches: 'token_prefix' } };

/** The names and the words that the planner finds. */
function indexed({ all }: Bench) {
  return {
    names: all('SELECT folded FROM _name ORDER BY folded').map(({ folded }) => folded),
    words: all('SELECT word, companies FROM _name_word ORDER BY word').map(
      ({ word, companies }) => `${word} ${companies}`,
    ),
  };
}

/** A mirror with two companies that no search has returned. */
function fetched(): Bench {
  const mirror = bench({ dialect: BY_WORDS });
  mirror.record('C1', { id: 'C1', name: 'Acme Limited' });
  mirror.record('C2', { id: 'C2', name: 'Beta Limited' });
  return mirror;
}

const BOTH = { names: ['acme limited', 'beta limited'], words: ['acme 1', 'beta 1', 'limited 2'] };

test("a fetched company's name and its words are indexed when its record is loaded", () => {
  expect(indexed(fetched())).toEqual(BOTH);
});

test('a rebuild keeps the indexed names and words', async () => {
  const mirror = fetched();
  await reprocess({ warehouse: mirror.warehouse, dialect: dialectWith(BY_WORDS) });
  expect(indexed(mirror)).toEqual(BOTH);
});

test('a renamed company has only one index entry', () => {
  const mirror = fetched();
  mirror.record('C1', { id: 'C1', name: 'Gamma' });
  mirror.record('C2', { id: 'C2', name: 'Delta' });
  expect(indexed(mirror)).toEqual({ names: ['delta', 'gamma'], words: ['delta 1', 'gamma 1'] });
});

test('a forgotten company leaves no name, even if its row id is reused', () => {
  const mirror = fetched();
  forget({
    warehouse: mirror.warehouse,
    dialect: dialectWith(BY_WORDS),
    entityIds: ['C2'],
    nowMs: START_MS,
  });
  const later = mirror.reopen();
  later.record('C3', { id: 'C3', name: 'Gamma Limited' });
  expect(indexed(later)).toEqual({
    names: ['acme limited', 'gamma limited'],
    words: ['acme 1', 'gamma 1', 'limited 2'],
  });
});
