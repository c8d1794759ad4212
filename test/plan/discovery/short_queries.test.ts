import { expect, test } from 'vitest';
import type { SearchQuery } from '../../../src/call.ts';
import { dialectOf, discover } from '../../support/simulation/discover.ts';
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
