import { expect, test } from 'vitest';
import { discover, START_MS } from '../../support/simulation/discover.ts';
import { MemoryMirror } from '../../support/simulation/memory_knowledge.ts';
import { type Company, PLAIN, Registry, type RegistrySettings } from '../../support/simulation/registry.ts';
import { inventedCompanies } from '../../support/simulation/synthetic_registries.ts';

const DAY_MS = 86_400_000;
const COMPANIES = inventedCompanies(400);
const UNTIL_NOTHING_IS_DUE = { mostCalls: 10_000, enough: Number.POSITIVE_INFINITY };
// 120, and 10 for each of the root of the 20 that are missing.
const MOST_IN_VAIN = Math.ceil(120 + 10 * Math.sqrt(20));

/** It counts 20 companies that no search finds. */
class SecretiveRegistry extends Registry {
  override get size(): number {
    return super.size + 20;
  }
}

const SHAPES: Partial<RegistrySettings>[] = [
  { semantics: 'prefix', window: 40 },
  { semantics: 'token_prefix', window: 40 },
  { semantics: 'token', window: 100 },
  { semantics: 'substring', window: 100 },
];

test.each(SHAPES)('companies out of reach are given up, and a new process looks for none: %j', (profile) => {
  const registry = secretive(COMPANIES, profile);
  const { mirror, known } = discover(registry, UNTIL_NOTHING_IS_DUE);
  expect(mirror.knownCount()).toBe(COMPANIES.length);
  expect(known.length - 1 - known.indexOf(COMPANIES.length)).toBeLessThanOrEqual(MOST_IN_VAIN);
  expect(discover(registry, { ...UNTIL_NOTHING_IS_DUE, mirror }).calls).toEqual([]);
});

test('as long as the registry counts the same, nothing more is spent on them', () => {
  const registry = secretive(COMPANIES, { window: 40 });
  const { mirror, known } = discover(registry, UNTIL_NOTHING_IS_DUE);
  let inVain = known.length - 1 - known.indexOf(COMPANIES.length);
  for (let week = 0; week < 4; week++) {
    mirror.nowMs += 8 * DAY_MS;
    const { calls } = discover(registry, { ...UNTIL_NOTHING_IS_DUE, mirror });
    inVain += calls.filter(({ kind }) => kind === 'search').length;
  }
  expect(inVain).toBe(MOST_IN_VAIN);
});

test('what a listing that can be read to its end still holds is not out of reach, however long it is looked for', () => {
  // No text tells the last ten apart: the listing of their word shows all the others first, on 300 pages.
  const companies = [
    ...Array.from({ length: 3000 }, (_, at) => ({ id: `${100_000 + at}`, name: 'Ab Bc' })),
    ...Array.from({ length: 10 }, (_, at) => ({ id: `${900_000 + at}`, name: 'Bc' })),
  ];
  const registry = new Registry(companies, { ...PLAIN, semantics: 'token_prefix', pageSize: 10 });
  const { mirror } = discover(registry, UNTIL_NOTHING_IS_DUE);
  expect(mirror.knownCount()).toBe(companies.length);
});

test('when the registry counts otherwise, it is looked again', () => {
  const { mirror } = discover(secretive(COMPANIES, {}), UNTIL_NOTHING_IS_DUE);
  const founded = { id: '999999', name: 'Acme Foundlings Limited' };
  mirror.nowMs += 8 * DAY_MS;
  discover(secretive([...COMPANIES, founded], {}), { ...UNTIL_NOTHING_IS_DUE, mirror });
  expect(mirror.companies.has(founded.id)).toBe(true);
});

test.each([
  { semantics: 'prefix', window: 40 },
  { semantics: 'token_prefix', window: 100 },
] as const)('new companies are found in two fifths of the calls of a sweep, or fewer: %j', (profile) => {
  const settings = { ...PLAIN, ...profile, order: 'name' as const };
  let [sweep, later] = [0, 0];
  for (const before of [1500, 1531, 1562, 1593, 1624, 1655]) {
    const all = inventedCompanies(before + 20);
    const mirror = new MemoryMirror(START_MS);
    const registry = new Registry(all.slice(0, before), settings);
    sweep += discover(registry, { ...UNTIL_NOTHING_IS_DUE, mirror }).calls.length;
    expect(mirror.knownCount()).toBe(before);

    mirror.nowMs += 8 * DAY_MS;
    later += discover(new Registry(all, settings), { ...UNTIL_NOTHING_IS_DUE, mirror }).calls.length;
    expect(mirror.knownCount()).toBe(all.length);
  }
  expect(later).toBeLessThan(0.4 * sweep);
});

function secretive(companies: readonly Company[], profile: Partial<RegistrySettings>): Registry {
  return new SecretiveRegistry(companies, { ...PLAIN, ...profile });
}
