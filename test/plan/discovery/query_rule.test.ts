import { expect, test } from 'vitest';
import { RuleEvidence } from '../../../src/plan/discovery/query_rule.ts';
import type { Semantics } from '../../support/simulation/registry.ts';

test.each<[Semantics, readonly (readonly [number, number, number])[]]>([
  [
    'prefix',
    [
      [9, 20, 1],
      [4, 7, 0],
      [5, 5, 1],
      [6, 9, 2],
    ],
  ],
  [
    'token_prefix',
    [
      [2, 9, 1],
      [3, 4, 0],
      [1, 6, 2],
    ],
  ],
  [
    'token',
    [
      [2, 9, 1],
      [3, 4, 2],
      [1, 6, 3],
    ],
  ],
])('complete listings are evidence for the query rule: %s', (rule, queries) => {
  const evidence = new RuleEvidence();
  for (const [asPrefix, asWordPrefix, asWord] of queries) {
    const rows = { prefix: asPrefix, token_prefix: asWordPrefix, token: asWord, substring: 0 }[rule];
    evidence.addListing({ query: 'ab', rows, asPrefix, asWordPrefix, asWord });
  }
  expect(evidence.rule).toBe(rule);
});

test('matches inside a word are evidence of a substring search', () => {
  const evidence = new RuleEvidence();
  for (const query of ['me', 'ol', 'in']) evidence.addPage(query, ['acme holdings']);
  expect(evidence.rule).toBe('substring');
});

test('listings that fit several query rules are no evidence for any', () => {
  const evidence = new RuleEvidence();
  for (let times = 0; times < 9; times++)
    evidence.addListing({ query: 'ab', rows: 3, asPrefix: 3, asWordPrefix: 3, asWord: 0 });
  expect(evidence.rule).toBeNull();
});

test('a query rule is accepted after three votes, and only with more than twice as many as any other rule', () => {
  const evidence = new RuleEvidence();
  const vote = (rule: 'prefix' | 'token', times: number) => {
    const listing = { query: 'ab', rows: 4, asPrefix: 0, asWordPrefix: 0, asWord: 0 };
    for (let listings = 0; listings < times; listings++)
      evidence.addListing({ ...listing, [rule === 'prefix' ? 'asPrefix' : 'asWord']: 4 });
    return evidence.rule;
  };
  expect([vote('prefix', 2), vote('prefix', 1)]).toEqual([null, 'prefix']);
  expect([vote('token', 1), vote('token', 1)]).toEqual(['prefix', null]);
  expect([vote('prefix', 1), vote('prefix', 1)]).toEqual([null, 'prefix']);
});

test.each([
  ['the listing for a two-word query', { query: 'no w', rows: 2, asPrefix: 2 }],
  ['an empty listing for a query that begins no known word', { asWordPrefix: 0 }],
  ['an empty listing for a query that is a known word', { asWord: 1 }],
])('%s is no evidence for a query rule', (_title, listing) => {
  const evidence = new RuleEvidence();
  for (let times = 0; times < 9; times++)
    evidence.addListing({ query: 'no', rows: 0, asPrefix: 0, asWordPrefix: 3, asWord: 0, ...listing });
  expect(evidence.rule).toBeNull();
});

test.each([
  ['a page with a name that does not contain the query', ['acme', 'bank']],
  ['a page on which every match is at the start of a word', ['mega', 'north me']],
])('%s is no evidence of a substring search', (_title, names) => {
  const evidence = new RuleEvidence();
  for (let pages = 0; pages < 9; pages++) evidence.addPage('me', names);
  expect(evidence.rule).toBeNull();
});

test('queries that find nothing suggest that only whole words match, until other listings fit another rule', () => {
  const evidence = new RuleEvidence();
  for (const query of ['no', 'mi', 'co'])
    evidence.addListing({ query, rows: 0, asPrefix: 2, asWordPrefix: 3, asWord: 0 });
  expect(evidence.rule).toBe('token');
  for (let listing = 0; listing < 7; listing++)
    evidence.addListing({ query: 'north', rows: 4, asPrefix: 2, asWordPrefix: 4, asWord: 3 });
  expect(evidence.rule).toBe('token_prefix');
});
