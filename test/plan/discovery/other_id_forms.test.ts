import { expect, test } from 'vitest';
import { discover } from '../../support/simulation/discover.ts';
import { PLAIN, Registry } from '../../support/simulation/registry.ts';
import { inventedCompanies } from '../../support/simulation/synthetic_registries.ts';

test.each(['prefix', 'token'] as const)(
  'names lead to identifiers of a form that nobody guesses: %s',
  (semantics) => {
    const companies = inventedCompanies(600).map(({ name }, at) => ({
      id: at % 5 === 0 ? `XQ${String(at).padStart(6, '0')}` : `00${String(at).padStart(6, '0')}`,
      name,
    }));
    const profile = { ...PLAIN, semantics, identifiers: 'prefix', totals: 'none', minLength: 2 } as const;
    const registry = new Registry(companies, { ...profile, pageSize: 50 });
    const { mirror, calls } = discover(registry, { mostCalls: 10_000, enough: Number.POSITIVE_INFINITY });
    expect(mirror.knownCount()).toBe(companies.length);
    // 20 in vain, and what lists them.
    expect(calls.length).toBeLessThan(80);
  },
);
