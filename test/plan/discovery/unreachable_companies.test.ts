import { expect, test } from 'vitest';
import { SCRIPT_LEGAL_FORMS, SCRIPT_WORDS } from '../../../src/plan/discovery/seeds.ts';
import { discover, START_MS } from '../../support/simulation/discover.ts';
import { MemoryMirror } from '../../support/simulation/memory_knowledge.ts';
import { type Company, PLAIN, Registry, type RegistrySettings } from '../../support/simulation/registry.ts';
import { syntheticCompanies } from '../../support/simulation/synthetic_registries.ts';

const DAY_MS = 86_400_000;
const COMPANIES = syntheticCompanies(400);
const UNTIL_NOTHING_IS_DUE = { mostCalls: 10_000, enough: Number.POSITIVE_INFINITY };
// How many empty searches the stop rule permits while 20 companies are missing.
const MAX_EMPTY_SEARCHES = Math.ceil(120 + 10 * Math.sqrt(20));

/** A registry that reports 20 more companies than its queries match. */
class OvercountingRegistry extends Registry {
  override get size(): number {
    return super.size + 20;
  }
}

const RULES: Partial<RegistrySettings>[] = [
  { semantics: 'prefix', window: 40 },
  { semantics: 'token_prefix', window: 40 },
  { semantics: 'token', window: 100 },
  { semantics: 'substring', window: 100 },
];

test.each(RULES)(
  'the planner gives up on unreachable companies, and a new process does not search for them again: %j',
  (override) => {
    const registry = overcounting(COMPANIES, override);
    const { mirror, known } = discover(registry, UNTIL_NOTHING_IS_DUE);
    expect(mirror.knownCount()).toBe(COMPANIES.length);
    // Words in other scripts are exempt from the limit.
    const most = MAX_EMPTY_SEARCHES + SCRIPT_WORDS.length + SCRIPT_LEGAL_FORMS.length;
    expect(known.length - 1 - known.indexOf(COMPANIES.length)).toBeLessThanOrEqual(most);
    expect(discover(registry, { ...UNTIL_NOTHING_IS_DUE, mirror }).calls).toEqual([]);
  },
);

test('the planner sends no further search until the registry count changes', () => {
  const registry = overcounting(COMPANIES, { window: 40 });
  const { mirror, known } = discover(registry, UNTIL_NOTHING_IS_DUE);
  let emptySearches = known.length - 1 - known.indexOf(COMPANIES.length);
  for (let week = 0; week < 4; week++) {
    mirror.nowMs += 8 * DAY_MS;
    const { calls } = discover(registry, { ...UNTIL_NOTHING_IS_DUE, mirror });
    emptySearches += calls.filter(({ kind }) => kind === 'search').length;
  }
  expect(emptySearches).toBe(MAX_EMPTY_SEARCHES);
});

test('a listing below the cap is read to the end, however many searches found nothing', () => {
  // No query distinguishes the last ten companies. Their common word's listing shows all other companies first, on 300
  // pages.
  const companies = [
    ...Array.from({ length: 3000 }, (_, at) => ({ id: `${100_000 + at}`, name: 'Ab Bc' })),
    ...Array.from({ length: 10 }, (_, at) => ({ id: `${900_000 + at}`, name: 'Bc' })),
  ];
  const registry = new Registry(companies, { ...PLAIN, semantics: 'token_prefix', pageSize: 10 });
  const { mirror } = discover(registry, UNTIL_NOTHING_IS_DUE);
  expect(mirror.knownCount()).toBe(companies.length);
});

test('a new registry count makes the planner search for missing companies again', () => {
  const { mirror } = discover(overcounting(COMPANIES, {}), UNTIL_NOTHING_IS_DUE);
  const founded = { id: '999999', name: 'Acme Foundlings Limited' };
  mirror.nowMs += 8 * DAY_MS;
  discover(overcounting([...COMPANIES, founded], {}), { ...UNTIL_NOTHING_IS_DUE, mirror });
  expect(mirror.companies.has(founded.id)).toBe(true);
});

test.each([
  { semantics: 'prefix', window: 40 },
  { semantics: 'token_prefix', window: 100 },
] as const)("finding new companies takes at most 42% of the first sweep's calls: %j", (override) => {
  const settings = { ...PLAIN, ...override, order: 'name' as const };
  let [sweep, later] = [0, 0];
  for (const before of [1500, 1562, 1624]) {
    const all = syntheticCompanies(before + 20);
    const mirror = new MemoryMirror(START_MS);
    const registry = new Registry(all.slice(0, before), settings);
    sweep += discover(registry, { ...UNTIL_NOTHING_IS_DUE, mirror }).calls.length;
    expect(mirror.knownCount()).toBe(before);

    mirror.nowMs += 8 * DAY_MS;
    later += discover(new Registry(all, settings), { ...UNTIL_NOTHING_IS_DUE, mirror }).calls.length;
    expect(mirror.knownCount()).toBe(all.length);
  }
  expect(later).toBeLessThan(0.42 * sweep);
});

function overcounting(companies: readonly Company[], override: Partial<RegistrySettings>): Registry {
  return new OvercountingRegistry(companies, { ...PLAIN, ...override });
}
