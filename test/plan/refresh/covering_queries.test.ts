import { expect, it } from 'vitest';
import type { QueryState } from '../../../src/knowledge.ts';
import { coveringQueries } from '../../../src/plan/refresh/covering_queries.ts';
import { listed } from '../../support/estimate_knowledge.ts';

it('a query is not repeated if a complete listing of a shorter query covers it', () => {
  expect(textsOf([listed('name', 'a', 9), listed('name', 'ab', 4), listed('name', 'b', 3)])).toEqual([
    'a',
    'b',
  ]);
});

it('a query is covered by each of its prefixes, and by no other query', () => {
  const all = ['a', 'abcd', 'b', 'bb', 'bcd'].map((text) => listed('name', text, 3));
  expect(textsOf(all)).toEqual(['a', 'b']);
  expect(textsOf([listed('identifier', '0', 3), listed('name', '00', 3)])).toEqual(['0', '00']);
});

it('a listing without companies is not repeated', () => {
  expect(textsOf([listed('name', 'a', 9), listed('name', 'b', 0)])).toEqual(['a']);
});

it('a query that covers a longer query is repeated only if its own listing is complete', () => {
  expect(textsOf([capped(listed('name', 'a', 9)), listed('name', 'abc', 4)])).toEqual(['abc']);
  expect(
    textsOf([listed('name', 'a', 9), capped(listed('name', 'ab', 9)), listed('name', 'abc', 4)]),
  ).toEqual(['a']);
});

it('a complete listing of every company covers all name and identifier queries', () => {
  expect(textsOf([listed('name', '', 20), listed('name', 'a', 9), listed('identifier', '00', 4)])).toEqual([
    '',
  ]);
});

it('a truncated listing of every company is replaced by the longer queries', () => {
  expect(textsOf([capped(listed('name', '', 20)), listed('name', 'a', 9)])).toEqual(['a']);
  expect(textsOf([capped(listed('name', '', 20))])).toEqual(['']);
});

it('a listing that was the first to show no company is repeated only if the registry is not counted', () => {
  const states = [listed('name', 'a', 9), redundant(listed('name', 'b', 4))];
  expect(textsOf(states, 12)).toEqual(['a']);
  expect(textsOf(states, null)).toEqual(['a', 'b']);
});

it('a redundant listing covers no longer query, but replaces a truncated shorter one', () => {
  const below = redundant(listed('name', 'ab', 4));
  expect(textsOf([redundant(listed('name', 'a', 9)), listed('name', 'ab', 4)], 12)).toEqual(['ab']);
  expect(textsOf([capped(listed('name', 'a', 9)), below, listed('name', 'ac', 4)], 12)).toEqual(['ab', 'ac']);
});

function textsOf(states: readonly QueryState[], total: number | null = null): string[] {
  const knowledge = { queries: () => states, latestStats: () => ({ observedAtMs: 0, total }) };
  return coveringQueries(knowledge).map(({ query }) => query.text);
}

function redundant(state: QueryState): QueryState {
  return { ...state, isRedundant: true };
}

function capped(state: QueryState): QueryState {
  return { ...state, status: 'capped' };
}
