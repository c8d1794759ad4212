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

function textsOf(states: readonly QueryState[]): string[] {
  return coveringQueries(states).map(({ query }) => query.text);
}

function capped(state: QueryState): QueryState {
  return { ...state, status: 'capped' };
}
