import { expect, test } from 'vitest';
import type { SearchQuery } from '../../../src/call.ts';
import type { QueryState } from '../../../src/knowledge.ts';
import { KeySpace } from '../../../src/plan/discovery/key_space.ts';
import { isTooShort } from '../../../src/plan/discovery/short_queries.ts';
import { dialectOf, discover } from '../../support/simulation/discover.ts';
import { MemoryMirror } from '../../support/simulation/memory_knowledge.ts';
import { PLAIN, Registry } from '../../support/simulation/registry.ts';
import { syntheticCompanies } from '../../support/simulation/synthetic_registries.ts';

/** A registry that returns nothing for queries with only one character. */
class SilentRegistry extends Registry {
  override matches(query: SearchQuery): readonly number[] {
    return [...query.text].length < 2 ? [] : super.matches(query);
  }
}

test.each(['prefix', 'token_prefix', 'substring'] as const)(
  'discovery sends longer queries if the upstream returns nothing for short ones (%s)',
  (semantics) => {
    const registry = new SilentRegistry(syntheticCompanies(200), { ...PLAIN, semantics });
    const dialect = dialectOf({ ...registry.settings, minLength: 2 });
    const { mirror } = discover(registry, { mostCalls: 1_000, enough: 5, dialect });
    discover(registry, { mostCalls: 1_000, enough: 150, mirror });
    expect(mirror.knownCount()).toBeGreaterThanOrEqual(150);
  },
);

test.each(['prefix', 'token_prefix', 'substring'] as const)(
  'so it does if the query rule is unknown (%s)',
  (semantics) => {
    const registry = new SilentRegistry(syntheticCompanies(200), { ...PLAIN, semantics });
    const known = dialectOf({ ...registry.settings, minLength: 2 });
    const { mirror } = discover(registry, { mostCalls: 1_000, enough: 5, dialect: known });
    const { search, ...others } = dialectOf(registry.settings);
    const dialect = { ...others, search: { ...search, matches: 'unknown' as const } };
    discover(registry, { mostCalls: 1_000, enough: 150, mirror, dialect });
    expect(mirror.knownCount()).toBeGreaterThanOrEqual(150);
  },
);

test.each([
  ['only whole words', 2, true],
  ['the beginnings of words too', 3, false],
])('a query is too short if the others of its length found %s', (_, rows, tooShort) => {
  const keySpace = new KeySpace('name', 'token_prefix', 1, new MemoryMirror());
  for (const name of ['amber trading co', 'heritage foods co', 'cove marine']) keySpace.add(name);
  const state = (text: string, found: number) =>
    ({ query: { by: 'name', text }, status: 'complete', rows: found }) as QueryState;
  const sent = [state('co', rows), state('he', 0)];
  const evidence = { keySpace, semantics: 'token_prefix', sent: () => sent } as const;
  expect(isTooShort(state('he', 0), evidence)).toBe(tooShort);
});

test('discovery stops sending short queries after twelve of one length were rejected', () => {
  const registry = new Registry(syntheticCompanies(200), { ...PLAIN, minLength: 3 });
  const dialect = dialectOf({ ...registry.settings, minLength: 1 });
  const { calls, mirror } = discover(registry, { mostCalls: 1_000, enough: 150, dialect });
  const lengths = calls.flatMap((call) => (call.kind === 'search' ? [[...call.query.text].length] : []));
  expect(lengths.filter((length) => length < 3).length).toBeLessThanOrEqual(2 * 12 + 4);
  expect(mirror.knownCount()).toBeGreaterThanOrEqual(150);
});

test('discovery sends no word below the min query length, although names have such words', () => {
  const companies = syntheticCompanies(200).map(({ id, name }) => ({ id, name: `${name} C.I.C.` }));
  const settings = { ...PLAIN, semantics: 'token', minLength: 2 } as const;
  const { calls } = discover(new Registry(companies, settings), { mostCalls: 300, enough: 200 });
  const texts = calls.flatMap((call) => (call.kind === 'search' ? [call.query.text] : []));
  expect(texts.filter((text) => [...text].length < 2)).toEqual([]);
});
