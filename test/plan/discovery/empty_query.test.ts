import { describe, expect, it } from 'vitest';
import { type Call, type SearchCall, type SearchQuery, targetOf } from '../../../src/call.ts';
import { sizeOf } from '../../../src/plan/registry_size.ts';
import { failedCall } from '../../support/failed_call.ts';
import { type DiscoverOptions, dialectOf, discover, plannerFor } from '../../support/simulation/discover.ts';
import { answer, MemoryMirror } from '../../support/simulation/memory_knowledge.ts';
import { type Page, PLAIN, Registry, type RegistrySettings } from '../../support/simulation/registry.ts';
import { syntheticCompanies } from '../../support/simulation/synthetic_registries.ts';

const COMPANIES = syntheticCompanies(607);
const LISTING: RegistrySettings = { ...PLAIN, minLength: 0 };
const UNTIL_NOTHING_IS_DUE = { mostCalls: 5_000, enough: Number.POSITIVE_INFINITY };
const PAGES = Math.ceil(COMPANIES.length / PLAIN.pageSize);
/** The largest number of searches that confirm the listing without a query. */
const CONFIRMING = 13;
const DAY_MS = 86_400_000;

describe('an empty query that lists every company', () => {
  const overrides: Partial<RegistrySettings>[] = [
    { semantics: 'prefix', order: 'name' },
    { semantics: 'token' },
    { semantics: 'token_prefix', order: 'per_query' },
    { semantics: 'substring', totals: 'none' },
    { semantics: 'prefix', totals: { clampedAt: 100 } },
    { semantics: 'prefix', identifiers: 'prefix' },
    { semantics: 'token', identifiers: 'prefix', totals: 'none' },
  ];

  it.each(overrides)('the planner sends only the empty query if it lists every company: %j', (override) => {
    const { mirror, calls } = discovered({ ...LISTING, ...override });
    expect(mirror.knownCount()).toBe(COMPANIES.length);
    expect(searchesIn(calls).map(targetOf)).toEqual(
      Array.from({ length: PAGES }, (_, page) => (page === 0 ? 'name:' : `name:#${page}`)),
    );
  });

  it.each(overrides)('without statistics, a few searches confirm the whole listing: %j', (override) => {
    const { mirror, calls } = withoutStatistics({ ...LISTING, ...override });
    expect(mirror.knownCount()).toBe(COMPANIES.length);
    expect(listingIn(calls.slice(0, PAGES))).toHaveLength(PAGES);
    expect(calls.length).toBeLessThanOrEqual(PAGES + CONFIRMING);
  });

  it('the planner finds companies that the listing without a query hides', () => {
    const { mirror } = exhaust(new HidingRegistry(COMPANIES, { ...LISTING, semantics: 'token_prefix' }));
    expect(mirror.knownCount()).toBeGreaterThan(0.98 * COMPANIES.length);
  });

  it('the planner sends no other call while a page of the empty query is in flight', () => {
    const { calls } = withoutStatistics(LISTING, { connections: 8 });
    expect(listingIn(calls.slice(0, PAGES))).toHaveLength(PAGES);
  });

  it("a new process continues the empty query's listing", () => {
    const registry = new Registry(COMPANIES, LISTING);
    const first = discover(registry, { ...UNTIL_NOTHING_IS_DUE, mostCalls: 12 });
    const second = discover(registry, { ...UNTIL_NOTHING_IS_DUE, mirror: first.mirror });
    const sent = [...first.calls, ...second.calls].map(targetOf);
    expect(first.mirror.knownCount()).toBe(COMPANIES.length);
    expect(new Set(sent).size).toBe(sent.length);
    expect(sent).toHaveLength(1 + PAGES);
  });

  it('the planner sends no empty query if every company is known', () => {
    const { mirror } = discovered(PLAIN);
    expect(discover(new Registry(COMPANIES, LISTING), { ...UNTIL_NOTHING_IS_DUE, mirror }).calls).toEqual([]);
  });

  it('the planner never sends the empty query as an identifier', () => {
    const { calls } = discovered({ ...LISTING, identifiers: 'prefix', window: 40 });
    expect(searchesIn(calls).filter(({ query }) => query.text === '' && query.by === 'identifier')).toEqual(
      [],
    );
  });
});

describe('a truncated empty query', () => {
  it.each([
    { semantics: 'prefix', window: 100 },
    { semantics: 'prefix', window: 400 },
    { semantics: 'token_prefix', window: 400 },
    { semantics: 'prefix', identifiers: 'prefix', window: 100 },
    { semantics: 'prefix', window: 100, totals: 'none' },
  ] as const)(
    'the planner splits a truncated empty query if that is cheaper than its next page: %j',
    (override) => {
      const { mirror, calls } = discovered({ ...LISTING, ...override });
      const split = discovered({ ...PLAIN, ...override });
      expect(mirror.knownCount()).toBeGreaterThanOrEqual(split.mirror.knownCount());
      expect(listingIn(calls).length).toBeGreaterThan(0);
      // The number of calls varies slightly, because the first page affects the order of later calls.
      expect(calls.length).toBeLessThanOrEqual(1.15 * split.calls.length);
    },
  );

  it('the planner lists a truncated empty query up to the cap if no query can distinguish the remaining companies', () => {
    const alike = Array.from({ length: 300 }, (_, at) => ({ id: `${1000 + at}`, name: 'Same' }));
    const { mirror } = discover(new Registry(alike, { ...LISTING, window: 200 }), UNTIL_NOTHING_IS_DUE);
    expect(mirror.knownCount()).toBe(200);
  });
});

describe('an empty query that does not list every company', () => {
  it('the planner sends the empty query only once if the upstream refuses it', () => {
    const { mirror, calls } = discovered({ ...LISTING, refusesAbove: 200 });
    expect(mirror.knownCount()).toBe(COMPANIES.length);
    expect(listingIn(calls)).toHaveLength(1);
  });

  it('the planner sends the empty query only once if it matches nothing', () => {
    const registry = new EmptyQueryMatchesNothing(COMPANIES, LISTING);
    for (const run of [discover(registry, UNTIL_NOTHING_IS_DUE), exhaust(registry)]) {
      expect(run.mirror.knownCount()).toBeGreaterThanOrEqual(COMPANIES.length - 6);
      expect(listingIn(run.calls)).toHaveLength(1);
    }
  });

  it('the planner retries a failed empty query, and sends other queries while it waits', () => {
    const registry = new Registry(COMPANIES, LISTING);
    const mirror = new MemoryMirror();
    const planner = plannerFor(mirror, { dialect: dialectOf(LISTING), kinds: new Set(['search']) });
    const [listing] = planner.next(inputAt(0)).calls;
    expect(listing).toMatchObject({ kind: 'search', query: { text: '' } });
    planner.learn(failedCall(listing as Call, DAY_MS));
    for (let searches = 0; searches < 5; searches++) {
      const [call] = planner.next(inputAt(1)).calls;
      expect(call).toMatchObject({ kind: 'search' });
      expect(targetOf(call as Call)).not.toBe('name:');
      planner.learn(answer(mirror, registry, call as Call, 1));
    }
    const sent: string[] = [];
    for (;;) {
      const [call] = planner.next(inputAt(DAY_MS)).calls;
      if (call === undefined) break;
      sent.push(targetOf(call));
      planner.learn(answer(mirror, registry, call, DAY_MS));
    }
    expect(sent).toContain('name:');
    expect(mirror.knownCount()).toBe(COMPANIES.length);
  });

  it('the planner sends no empty query if the dialect excludes it, even if an earlier run sent it', () => {
    const { mirror } = discovered(LISTING);
    const { calls } = discover(new Registry(syntheticCompanies(900), PLAIN), {
      ...UNTIL_NOTHING_IS_DUE,
      mirror: withSomeCompanies(mirror, 20),
    });
    expect(listingIn(calls)).toEqual([]);
  });
});

describe("a registry's size without statistics", () => {
  it("a registry's size is known after the empty query's first page", () => {
    const { mirror } = withoutStatistics(LISTING, { mostCalls: 1 });
    expect(mirror.knownCount()).toBe(PLAIN.pageSize);
    expect(sizeOf(mirror, dialectOf(LISTING))).toEqual({ low: 607, high: 607, by: 'totals' });
  });

  it("a registry's size is a lower bound while the total is clamped, and exact after the listing", () => {
    const settings: RegistrySettings = { ...LISTING, totals: { clampedAt: 100 } };
    const first = withoutStatistics(settings, { mostCalls: 1 });
    expect(sizeOf(first.mirror, dialectOf(settings))).toEqual({ low: 100, high: null, by: 'totals' });
    const complete = withoutStatistics(settings);
    expect(sizeOf(complete.mirror, dialectOf(settings))).toEqual({ low: 607, high: 607, by: 'totals' });
  });

  it("a registry's size is uncertain if the total is so round that it may be clamped", () => {
    // Many search engines clamp totals by default, often at 10,000.
    const registry = new Registry(syntheticCompanies(1_307), { ...LISTING, totals: { clampedAt: 1_000 } });
    const { mirror, calls } = exhaust(registry, { dialect: dialectOf(LISTING) });
    expect(mirror.knownCount()).toBe(1_307);
    expect(listingIn(calls)).toHaveLength(66);
  });
});

/** A registry in which the empty query matches nothing. */
class EmptyQueryMatchesNothing extends Registry {
  override search(query: SearchCall['query'], pageIndex: number) {
    return super.search(query.text === '' ? { by: 'name', text: 'zzzz' } : query, pageIndex);
  }
}

function discovered(settings: RegistrySettings) {
  return discover(new Registry(COMPANIES, settings), UNTIL_NOTHING_IS_DUE);
}

/** A registry whose listing without a query hides one company in four. */
class HidingRegistry extends Registry {
  readonly #shown: Registry;

  constructor(companies: typeof COMPANIES, settings: RegistrySettings) {
    super(companies, settings);
    this.#shown = new Registry(
      companies.filter((_, at) => at % 4 !== 0),
      settings,
    );
  }

  override search(query: SearchQuery, pageIndex: number): Page {
    return query.text === '' ? this.#shown.search(query, pageIndex) : super.search(query, pageIndex);
  }
}

function withoutStatistics(settings: RegistrySettings, options: Partial<DiscoverOptions> = {}) {
  return exhaust(new Registry(COMPANIES, settings), options);
}

/** Sends searches until the planner has no more. */
function exhaust(registry: Registry, options: Partial<DiscoverOptions> = {}) {
  return discover(registry, { ...UNTIL_NOTHING_IS_DUE, isCounted: false, ...options });
}

/** A mirror that has some of another mirror's companies and all of its queries. */
function withSomeCompanies(from: MemoryMirror, companies: number): MemoryMirror {
  const mirror = new MemoryMirror();
  for (const { entityId: id, name } of [...from.companies.values()].slice(0, companies))
    mirror.add({ id, name });
  for (const [key, state] of from.queryStates) mirror.queryStates.set(key, state);
  return mirror;
}

function inputAt(nowMs: number) {
  return { nowMs, left: { calls: Number.POSITIVE_INFINITY, lifetimeLimit: null }, most: 1 };
}

function searchesIn(calls: readonly Call[]): SearchCall[] {
  return calls.filter((call) => call.kind === 'search');
}

function listingIn(calls: readonly Call[]): SearchCall[] {
  return searchesIn(calls).filter(({ query }) => query.by === 'name' && query.text === '');
}
