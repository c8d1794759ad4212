import { describe, expect, it } from 'vitest';
import type { Call, SearchCall } from '../../../src/call.ts';
import type { ListedCompany } from '../../../src/knowledge.ts';
import { IdentifierRule } from '../../../src/plan/discovery/identifier_rule.ts';
import { SCRIPT_LEGAL_FORMS, SCRIPT_WORDS } from '../../../src/plan/discovery/seeds.ts';
import { listed } from '../../support/estimate_knowledge.ts';
import { type DiscoverOptions, dialectOf, discover } from '../../support/simulation/discover.ts';
import { MemoryMirror } from '../../support/simulation/memory_knowledge.ts';
import { PLAIN, Registry, type RegistrySettings } from '../../support/simulation/registry.ts';
import { searchesThatFound } from '../../support/simulation/searches_that_found.ts';
import { syntheticCompanies } from '../../support/simulation/synthetic_registries.ts';

const COMPANIES = syntheticCompanies(300).map(({ name }, at) => ({ id: `${400_000 + 37 * at}`, name }));
const UNTIL_NOTHING_IS_DUE = { mostCalls: 10_000, enough: Number.POSITIVE_INFINITY };
const WORDS = { ...PLAIN, semantics: 'token' } as const;

describe('discovery with an unknown rule for identifiers', () => {
  it('discovery searches identifiers by prefix once a search has shown that this works', () => {
    const { calls, mirror } = discoverWithoutRule({ ...WORDS, identifiers: 'prefix' });
    const byRule = discover(
      new Registry(COMPANIES, { ...WORDS, identifiers: 'prefix' }),
      UNTIL_NOTHING_IS_DUE,
    );
    expect(mirror.knownCount()).toBe(COMPANIES.length);
    expect(calls.length).toBeLessThanOrEqual(byRule.calls.length + 5);
  });

  it.each(['exact', 'none'] as const)(
    'discovery sends one search by identifier if it finds nothing: %s',
    (identifiers) => {
      const settings = { ...PLAIN, identifiers };
      const { calls, mirror } = discoverWithoutRule(settings, { mostCalls: 10 });
      expect(byIdentifier(calls)).toHaveLength(1);
      expect(byIdentifier(discoverWithoutRule(settings, { mirror }).calls)).toEqual([]);
      expect(mirror.knownCount()).toBe(COMPANIES.length);
    },
  );

  it.each([
    [10, true],
    [0, false],
  ] as const)(
    'after a rejection, discovery sends one longer prefix: with more than %d matches',
    (refusesAbove, isFound) => {
      const registry = new Registry(COMPANIES, { ...PLAIN, identifiers: 'prefix' });
      const rejecting = new Registry(COMPANIES, { ...registry.settings, refusesAbove });
      const search = registry.search.bind(registry);
      registry.search = (query, page) =>
        query.by === 'name' ? search(query, page) : rejecting.search(query, page);
      const options = { ...UNTIL_NOTHING_IS_DUE, dialect: unknownRule(registry.settings) };
      const { calls, mirror } = discover(registry, options);
      const lengths = byIdentifier(calls).map(({ query }) => query.text.length);
      expect(lengths.slice(0, 2)).toEqual([3, 5]);
      expect(lengths.length > 2).toBe(isFound);
      expect(byIdentifier(discover(registry, { ...options, mirror }).calls)).toEqual([]);
      expect(mirror.knownCount()).toBe(COMPANIES.length);
    },
  );

  it('a new process infers the rule from the stored query', () => {
    const settings = { ...WORDS, identifiers: 'prefix' } as const;
    const { calls, mirror } = discoverWithoutRule(settings, { mostCalls: 5 });
    expect(reasons(calls)).toContain(TRIAL);
    const further = discoverWithoutRule(settings, { mirror });
    expect(reasons(further.calls)).not.toContain(TRIAL);
    expect(byIdentifier(further.calls).length).toBeGreaterThan(5);
    expect(mirror.knownCount()).toBe(COMPANIES.length);
  });

  it('discovery sends no search by identifier while the empty query lists every company', () => {
    const settings = { ...PLAIN, identifiers: 'prefix', minLength: 0 } as const;
    const { calls, mirror } = discoverWithoutRule(settings);
    expect(mirror.knownCount()).toBe(COMPANIES.length);
    expect(byIdentifier(calls.slice(0, COMPANIES.length / PLAIN.pageSize))).toEqual([]);
  });

  it('discovery learns the rule even if it has given up on names', () => {
    const mirror = mirrorAfter({ emptySearches: 1000 });
    // All companies with the first prefix are known.
    expect(discoverWithoutRule({ ...WORDS, identifiers: 'prefix' }, { mirror, mostCalls: 1 }).known).toEqual([
      100,
    ]);
    const resumed = mirrorAfter({ emptySearches: 1000 });
    discoverWithoutRule({ ...WORDS, identifiers: 'prefix' }, { mirror: resumed });
    expect(resumed.knownCount()).toBe(COMPANIES.length);
  });

  it('the search that shows the rule is not counted as an empty search', () => {
    // For 200 missing companies, the limit is 120 + 10 · √200 = 261.4.
    const callsAfter = (emptySearches: number) =>
      discoverWithoutRule(
        { ...WORDS, minLength: 2 },
        { mirror: mirrorAfter({ emptySearches }), mostCalls: 2 },
      ).calls;
    expect(callsAfter(261)).toHaveLength(2);
    expect(callsAfter(262)).toHaveLength(1);
  });
});

describe('the rule for identifiers', () => {
  it('rows that match by name are no evidence for the prefix rule', () => {
    const named = [row('A1', '4000 Coffee'), row('A2', 'Route 4000')];
    expect(isPrefixAfter(named)).toBe(false);
    expect(isPrefixAfter([...named, row('40007', 'Acme')])).toBe(true);
    expect(isPrefixAfter([...named, row('40007', 'Acme'), row('A3', 'Baker')])).toBe(false);
    expect(isPrefixAfter([row('40007', 'Acme 4000')])).toBe(false);
    expect(isPrefixAfter([])).toBe(false);
  });

  it('stored rows are evidence for the prefix rule unless names explain them', () => {
    const isPrefixWith = (rows: number, ...companies: [id: string, name: string][]) => {
      const mirror = mirrorOf(companies);
      mirror.queryStates.set('identifier:4000', listed('identifier', '4000', rows));
      const rule = new IdentifierRule(mirror, unknownRule(PLAIN));
      expect(rule.isUnknown).toBe(false);
      return rule.isPrefix;
    };
    expect(isPrefixWith(2, ['40001', 'Acme'], ['40002', 'Baker'])).toBe(true);
    expect(isPrefixWith(0, ['40001', 'Acme'], ['40002', 'Baker'])).toBe(false);
    expect(isPrefixWith(1, ['40001', 'Acme'], ['40002', 'Baker'], ['5', '4000 Coffee'])).toBe(false);
    expect(isPrefixWith(3, ['40001', 'Acme'], ['40002', 'Baker'], ['5', 'Coffee'])).toBe(false);
  });

  it('a stored search for a complete identifier is no evidence', () => {
    const mirror = mirrorOf([['de40001', 'Acme']]);
    mirror.queryStates.set('identifier:de40001', listed('identifier', 'de40001', 1));
    expect(new IdentifierRule(mirror, unknownRule(PLAIN)).isUnknown).toBe(true);
  });

  it('the prefix is the most frequent one of the shortest length at which the identifiers differ', () => {
    expect(trialOf(['123', '124', '125'])).toBeNull();
    expect(trialOf(['1230', '1231'])).toBeNull();
    expect(trialOf(['1230', '1231', '1240'])).toEqual({ text: '123', share: 2 / 3 });
    expect(trialOf(['00001230', '00001231', '00001240'])).toEqual({ text: '0000123', share: 2 / 3 });
    expect(trialOf(['1230', '1231', '1240'], 4)).toBeNull();
    // A prefix without a digit can be a word in names.
    expect(trialOf(['abc1', 'abc2', 'abd1', 'ab31'])).toEqual({ text: 'AB3', share: 1 / 4 });
    // A prefix that is a complete identifier is found by the exact rule, too.
    expect(trialOf(['123', '1230', '1240', '1231'])).toEqual({ text: '124', share: 1 / 4 });
  });
});

const TRIAL = 'shows whether identifiers are searched by prefix';

function discoverWithoutRule(settings: RegistrySettings, options: Partial<DiscoverOptions> = {}) {
  const dialect = unknownRule(settings);
  return discover(new Registry(COMPANIES, settings), { ...UNTIL_NOTHING_IS_DUE, dialect, ...options });
}

/** A mirror of the first 100 companies, after searches that found none and that included all due words. */
function mirrorAfter({ emptySearches }: { readonly emptySearches: number }): MemoryMirror {
  const mirror = new MemoryMirror();
  for (const company of COMPANIES.slice(0, 100)) mirror.add(company);
  mirror.loadStats({ kind: 'stats', reason: '', expected: 0 }, COMPANIES.length, mirror.nowMs);
  for (const word of [...SCRIPT_WORDS, ...SCRIPT_LEGAL_FORMS])
    mirror.queryStates.set(`name:${word}`, listed('name', word, 0));
  mirror.latestSearches = () => searchesThatFound(Array<number>(emptySearches).fill(0));
  return mirror;
}

function unknownRule(settings: RegistrySettings) {
  const dialect = dialectOf(settings);
  return { ...dialect, search: { ...dialect.search, identifiers: 'unknown' as const } };
}

function byIdentifier(calls: readonly Call[]): SearchCall[] {
  return calls.filter((call) => call.kind === 'search').filter(({ query }) => query.by === 'identifier');
}

function reasons(calls: readonly Call[]): string[] {
  return calls.map(({ reason }) => reason);
}

function row(entityId: string, name: string): ListedCompany {
  return { entityId, name, isNew: true, changed: false };
}

function isPrefixAfter(rows: readonly ListedCompany[]): boolean {
  const rule = new IdentifierRule(new MemoryMirror(), unknownRule(PLAIN));
  const isLearned = rule.learn(listed('identifier', '4000', rows.length), rows);
  expect(rule.isPrefix).toBe(isLearned);
  expect(rule.isUnknown).toBe(false);
  return isLearned;
}

function trialOf(ids: readonly string[], minLength = 1) {
  const mirror = mirrorOf(ids.map((id) => [id, 'Acme']));
  return new IdentifierRule(mirror, unknownRule({ ...PLAIN, minLength })).trial;
}

function mirrorOf(companies: readonly (readonly [id: string, name: string])[]): MemoryMirror {
  const mirror = new MemoryMirror();
  for (const [id, name] of companies) mirror.add({ id, name });
  return mirror;
}
