import { expect, test } from 'vitest';
import { discover } from '../../bench/discovery/discover.ts';
import { inventedCompanies } from '../../bench/simulation/invented.ts';
import { PLAIN, Registry } from '../../bench/simulation/registry.ts';

test.each(['prefix', 'token'] as const)(
  'names lead to identifiers of a form that nobody guesses: %s',
  (semantics) => {
    const companies = inventedCompanies(600).map(({ name }, at) => ({
      id: at % 5 === 0 ? `XQ${String(at).padStart(6, '0')}` : `00${String(at).padStart(6, '0')}`,
      name,
    }));
    const shape = { ...PLAIN, semantics, identifiers: 'prefix', totals: 'none', minLength: 2 } as const;
    const registry = new Registry(companies, { ...shape, pageSize: 50 });
    const { mirror, calls } = discover(registry, { mostCalls: 10_000, enough: Number.POSITIVE_INFINITY });
    expect(mirror.knownCount()).toBe(companies.length);
    // 20 in vain, and what lists them.
    expect(calls.length).toBeLessThan(80);
  },
);
