import { describe, expect, test } from 'vitest';
import { forget } from '../../src/load/forget.ts';
import { reprocess } from '../../src/load/reprocess.ts';
import { type Bench, bench, dialectWith, START_MS } from '../support/loader.ts';

const BY_WORDS = { search: { matches: 'token_prefix' } };

/** The names and the words that the planner finds. */
function indexed({ all }: Bench) {
  return {
    names: all('SELECT folded FROM _name ORDER BY folded').map(({ folded }) => folded),
    words: all('SELECT word, companies FROM _word ORDER BY word').map(
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

describe('indexing the names of fetched companies', () => {
  test("a fetched company's name is indexed with the next search", () => {
    const mirror = fetched();
    mirror.search('zeta', { total: 0, results: [] });
    expect(indexed(mirror)).toEqual(BOTH);
  });

  test("a fetched company's name is indexed at the end of the run", () => {
    const mirror = fetched();
    mirror.loader.finish();
    expect(indexed(mirror)).toEqual(BOTH);
  });

  test("a fetched company's name is indexed in the next run if the run was killed", () => {
    const mirror = fetched();
    expect(indexed(mirror.reopen())).toEqual(BOTH);
  });

  test('a rebuild indexes the names of fetched companies', async () => {
    const mirror = fetched();
    await reprocess({ warehouse: mirror.warehouse, dialect: dialectWith(BY_WORDS) });
    expect(indexed(mirror.reopen())).toEqual(BOTH);
  });

  test('names of fetched companies are indexed in groups of 5,000 if there is no search', () => {
    const { load, outcome, value } = bench();
    const records = Array.from({ length: 5001 }, (_, at) =>
      outcome(
        { kind: 'entity', entityId: `C${at}`, reason: 'test', expected: 1 },
        { id: `C${at}`, name: `N${at}` },
      ),
    );
    load(records.slice(0, 4999));
    expect(value('SELECT count(*) FROM _name')).toBe(0);
    load(records.slice(4999));
    expect(value('SELECT count(*) FROM _name')).toBe(5001);
  });
});

test('a company renamed before or after its name is indexed has only one index entry', () => {
  const mirror = fetched();
  mirror.record('C1', { id: 'C1', name: 'Gamma' });
  mirror.loader.finish();
  mirror.record('C2', { id: 'C2', name: 'Delta' });
  expect(indexed(mirror)).toEqual({ names: ['delta', 'gamma'], words: ['delta 1', 'gamma 1'] });
});

test.each([
  ['waits to be indexed', false],
  ['is indexed', true],
])('a company forgotten while its name %s leaves no name, even if its row id is reused', (_, isIndexed) => {
  const mirror = fetched();
  if (isIndexed) mirror.loader.finish();
  forget({
    warehouse: mirror.warehouse,
    dialect: dialectWith(BY_WORDS),
    entityIds: ['C2'],
    nowMs: START_MS,
  });
  const later = mirror.reopen();
  later.record('C3', { id: 'C3', name: 'Gamma Limited' });
  later.loader.finish();
  expect(indexed(later)).toEqual({
    names: ['acme limited', 'gamma limited'],
    words: ['acme 1', 'gamma 1', 'limited 2'],
  });
});
