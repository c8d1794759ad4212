import { expect, test } from 'vitest';
import type { SearchQuery } from '../../../src/call.ts';
import { findsName } from '../../../src/names/query_matching.ts';
import { discover } from '../../support/simulation/discover.ts';
import { type Company, PLAIN, Registry } from '../../support/simulation/registry.ts';
import { syntheticCompanies } from '../../support/simulation/synthetic_registries.ts';

const CITIES = ['boston', 'seattle', 'reno', 'omaha', 'denver'];
const SIZE = 420;

/** A registry that also finds companies by their city, which is a word in a few names. */
class AddressRegistry extends Registry {
  readonly #companies: readonly Company[];

  constructor(companies: readonly Company[]) {
    super(companies, { ...PLAIN, semantics: 'token', window: 20, minLength: 0 });
    this.#companies = companies;
  }

  override matches({ text }: SearchQuery): readonly number[] {
    const words = text.toLowerCase().split(' ').filter(Boolean);
    return this.#companies.flatMap(({ name }, at) => {
      const searched = `${name} ${CITIES[at % CITIES.length]}`.toLowerCase();
      return words.every((word) => findsName('token', word, searched)) ? [at] : [];
    });
  }
}

test('searches that also match addresses do not end discovery while companies are missing', () => {
  const companies = syntheticCompanies(SIZE).map(({ id, name }, at) => ({
    id,
    name: at < 20 * CITIES.length ? `${name} ${CITIES[at % CITIES.length]}` : name,
  }));
  const { mirror } = discover(new AddressRegistry(companies), {
    mostCalls: 5_000,
    enough: Number.POSITIVE_INFINITY,
  });
  expect(mirror.existingCount()).toBeGreaterThanOrEqual(SIZE - 1);
});
