import { expect, test } from 'vitest';
import { RuleEvidence } from '../../../src/plan/discovery/rule_evidence.ts';
import { latinCompanies } from '../../bench/simulation/first_characters.ts';
import { dialectOf, discover } from '../../support/simulation/discover.ts';
import { PLAIN, Registry, type RegistrySettings, type Semantics } from '../../support/simulation/registry.ts';

const UNTIL_NOTHING_IS_DUE = { mostCalls: 10_000, enough: Number.POSITIVE_INFINITY };
const FIRSTS = ['#', '(', '@', '1'];

test.each([
  { semantics: 'prefix', window: null },
  { semantics: 'prefix', window: 100 },
  { semantics: 'substring', window: null },
  { semantics: 'substring', window: 100 },
] as const)('a registry with an unknown rule ends complete: %j', (profile) => {
  for (const size of [300, 1_000]) {
    const registry = new Registry(latinCompanies(size, FIRSTS), { ...PLAIN, ...profile });
    const hints = discover(registry, UNTIL_NOTHING_IS_DUE);
    const untold = discover(registry, { ...UNTIL_NOTHING_IS_DUE, dialect: withoutRule(registry.settings) });
    expect(untold.mirror.knownCount()).toBe(size);
    expect(untold.calls.length).toBeLessThanOrEqual(1.3 * hints.calls.length);
  }
});

test('a new process takes the rule from the queries of the one before', () => {
  const registry = new Registry(latinCompanies(1_000, FIRSTS), PLAIN);
  const options = { ...UNTIL_NOTHING_IS_DUE, dialect: withoutRule(registry.settings) };
  const { mirror, calls } = discover(registry, { ...options, mostCalls: 60 });
  let last = calls.length;
  while (last > 0) last = discover(registry, { ...options, mostCalls: 20, mirror }).calls.length;
  expect(mirror.knownCount()).toBe(1_000);
});

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
])('complete responses show the rule: %s', (rule, queries) => {
  const evidence = new RuleEvidence();
  for (const [asPrefix, asWordPrefix, asWord] of queries) {
    const rows = { prefix: asPrefix, token_prefix: asWordPrefix, token: asWord, substring: 0 }[rule];
    evidence.answered({ text: 'ab', rows, asPrefix, asWordPrefix, asWord });
  }
  expect(evidence.rule).toBe(rule);
});

test('matches inside a word show a substring search', () => {
  const evidence = new RuleEvidence();
  for (const text of ['me', 'ol', 'in']) evidence.showed(text, ['acme holdings']);
  expect(evidence.rule).toBe('substring');
});

test('responses that fit several rules show none', () => {
  const evidence = new RuleEvidence();
  for (let times = 0; times < 9; times++)
    evidence.answered({ text: 'ab', rows: 3, asPrefix: 3, asWordPrefix: 3, asWord: 0 });
  expect(evidence.rule).toBeNull();
});

function withoutRule(settings: RegistrySettings) {
  const hints = dialectOf(settings);
  return { ...hints, search: { ...hints.search, matches: 'unknown' as const } };
}
