import { expect, test } from 'vitest';
import { discover } from '../../support/simulation/discover.ts';
import { PLAIN, Registry } from '../../support/simulation/registry.ts';
import { syntheticCompanies } from '../../support/simulation/synthetic_registries.ts';

test.each(['prefix', 'token'] as const)(
  'a name search also finds companies whose identifiers have an unexpected form: %s',
  (semantics) => {
    const companies = syntheticCompanies(600).map(({ name }, at) => ({
      id: at % 5 === 0 ? `XQ${String(at).padStart(6, '0')}` : `00${String(at).padStart(6, '0')}`,
      name,
    }));
    const settings = { ...PLAIN, semantics, identifiers: 'prefix', totals: 'none', minLength: 2 } as const;
    const registry = new Registry(companies, { ...settings, pageSize: 50 });
    const { mirror, calls } = discover(registry, { mostCalls: 10_000, enough: Number.POSITIVE_INFINITY });
    expect(mirror.knownCount()).toBe(companies.length);
    // The limit permits the listing by names and about 20 searches without a new company.
    expect(calls.length).toBeLessThan(80);
  },
);
