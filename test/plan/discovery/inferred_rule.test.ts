import { expect, test } from 'vitest';
import { latinCompanies } from '../../bench/simulation/first_characters.ts';
import { dialectOf, discover } from '../../support/simulation/discover.ts';
import { PLAIN, Registry, type RegistrySettings } from '../../support/simulation/registry.ts';

const UNTIL_NOTHING_IS_DUE = { mostCalls: 10_000, enough: Number.POSITIVE_INFINITY };
const FIRSTS = ['#', '(', '@', '1'];

test.each([
  { semantics: 'prefix', window: null },
  { semantics: 'prefix', window: 100 },
  { semantics: 'substring', window: null },
  { semantics: 'substring', window: 100 },
] as const)('the planner lists a whole registry without knowing its query rule: %j', (profile) => {
  for (const size of [300, 1_000]) {
    const registry = new Registry(latinCompanies(size, FIRSTS), { ...PLAIN, ...profile });
    const withRule = discover(registry, UNTIL_NOTHING_IS_DUE);
    const inferred = discover(registry, {
      ...UNTIL_NOTHING_IS_DUE,
      dialect: withoutRule(registry.settings),
    });
    expect(inferred.mirror.knownCount()).toBe(size);
    expect(inferred.calls.length).toBeLessThanOrEqual(1.3 * withRule.calls.length);
  }
});

test('a new process infers the query rule from stored queries', () => {
  const registry = new Registry(latinCompanies(1_000, FIRSTS), PLAIN);
  const options = { ...UNTIL_NOTHING_IS_DUE, dialect: withoutRule(registry.settings) };
  const { mirror, calls } = discover(registry, { ...options, mostCalls: 60 });
  let last = calls.length;
  while (last > 0) last = discover(registry, { ...options, mostCalls: 20, mirror }).calls.length;
  expect(mirror.knownCount()).toBe(1_000);
});

function withoutRule(settings: RegistrySettings) {
  const dialect = dialectOf(settings);
  return { ...dialect, search: { ...dialect.search, matches: 'unknown' as const } };
}
