import { expect, test } from 'vitest';
import { dialectOf, discover } from '../../support/simulation/discover.ts';
import { type Company, PLAIN, Registry, type RegistrySettings } from '../../support/simulation/registry.ts';

const WORDS = 'alpha beta gamma delta harbour north river stone wood silver green ocean trade union'.split(
  ' ',
);

test('discovery finds companies that only clamped queries match, even if the dialect defines no clamp', () => {
  const companies = [...Array.from({ length: 900 }, named), ...Array.from({ length: 5 }, light)];
  const registry = registryOf(companies, { totals: { clampedAt: 400 } });
  const { mirror } = discover(registry, {
    mostCalls: 10_000,
    enough: Number.POSITIVE_INFINITY,
    dialect: dialectOf({ ...registry.settings, totals: 'exact' }),
  });
  expect(mirror.knownCount()).toBe(companies.length);
});

function registryOf(companies: readonly Company[], settings: Partial<RegistrySettings>): Registry {
  return new Registry(companies, { ...PLAIN, semantics: 'token_prefix', pageSize: 50, ...settings });
}

function named(_: unknown, at: number): Company {
  return { id: `${100_000 + at}`, name: `${WORDS[at % 15]} ${WORDS[Math.floor(at / 15) % 15]} ltd` };
}

function light(_: unknown, at: number): Company {
  return { id: `${900_000 + at}`, name: 'light' };
}
