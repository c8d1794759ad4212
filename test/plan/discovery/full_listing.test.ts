import { describe, expect, it } from 'vitest';
import { type Call, type CallKind, type SearchCall, targetOf } from '../../../src/call.ts';
import { noChange } from '../../../src/load_result.ts';
import { sizeOf } from '../../../src/plan/registry_size.ts';
import { openSyncPlanner } from '../../../src/plan/sync_planner.ts';
import type { Planner } from '../../../src/planner.ts';
import { dialectOf, discover } from '../../support/simulation/discover.ts';
import { answer, MemoryMirror } from '../../support/simulation/memory_knowledge.ts';
import { PLAIN, Registry, type RegistrySettings } from '../../support/simulation/registry.ts';
import { inventedCompanies } from '../../support/simulation/synthetic_registries.ts';

const COMPANIES = inventedCompanies(607);
const LISTING: RegistrySettings = { ...PLAIN, minLength: 0 };
const UNTIL_NOTHING_IS_DUE = { mostCalls: 5_000, enough: Number.POSITIVE_INFINITY };
const PAGES = Math.ceil(COMPANIES.length / PLAIN.pageSize);
const DAY_MS = 86_400_000;

describe('where a search without a text lists everything', () => {
  const shapes: Partial<RegistrySettings>[] = [
    { semantics: 'prefix', order: 'name' },
    { semantics: 'token' },
    { semantics: 'token_prefix', order: 'per_query' },
    { semantics: 'substring', totals: 'none' },
    { semantics: 'prefix', totals: { clampedAt: 100 } },
    { semantics: 'prefix', identifiers: 'prefix' },
    { semantics: 'token', identifiers: 'prefix', totals: 'none' },
  ];

  it.each(shapes)('its pages are read, and nothing else: %j', (profile) => {
    const { mirror, calls } = discovered({ ...LISTING, ...profile });
    expect(mirror.knownCount()).toBe(COMPANIES.length);
    expect(searchesIn(calls).map(targetOf)).toEqual(
      Array.from({ length: PAGES }, (_, page) => (page === 0 ? 'name:' : `name:#${page}`)),
    );
  });

  it.each(shapes)('and without statistics: %j', (profile) => {
    const { mirror, calls } = withoutStatistics({ ...LISTING, ...profile });
    expect(mirror.knownCount()).toBe(COMPANIES.length);
    expect(calls.length).toBeLessThanOrEqual(PAGES + 1);
  });

  it('nothing else is asked while one of its pages is on its way', () => {
    const { calls } = withoutStatistics(LISTING, { lanes: 8 });
    expect(calls).toHaveLength(PAGES);
  });

  it('is read on where another process stopped', () => {
    const registry = new Registry(COMPANIES, LISTING);
    const first = discover(registry, { ...UNTIL_NOTHING_IS_DUE, mostCalls: 12 });
    const second = discover(registry, { ...UNTIL_NOTHING_IS_DUE, mirror: first.mirror });
    const asked = [...first.calls, ...second.calls].map(targetOf);
    expect(first.mirror.knownCount()).toBe(COMPANIES.length);
    expect(new Set(asked).size).toBe(asked.length);
    expect(asked).toHaveLength(1 + PAGES);
  });

  it('is begun by a mirror that knows most of it only where that pays', () => {
    const { mirror } = discovered(PLAIN);
    expect(discover(new Registry(COMPANIES, LISTING), { ...UNTIL_NOTHING_IS_DUE, mirror }).calls).toEqual([]);
  });

  it('is not searched for by identifier', () => {
    const { calls } = discovered({ ...LISTING, identifiers: 'prefix', window: 40 });
    expect(searchesIn(calls).filter(({ query }) => query.text === '' && query.by === 'identifier')).toEqual(
      [],
    );
  });
});

describe('a listing of everything that is cut off', () => {
  it.each([
    { semantics: 'prefix', window: 100 },
    { semantics: 'prefix', window: 400 },
    { semantics: 'token_prefix', window: 400 },
    { semantics: 'prefix', identifiers: 'prefix', window: 100 },
    { semantics: 'prefix', window: 100, totals: 'none' },
  ] as const)('shows a page, and is split as soon as that is cheaper: %j', (profile) => {
    const { mirror, calls } = discovered({ ...LISTING, ...profile });
    const split = discovered({ ...PLAIN, ...profile });
    expect(mirror.knownCount()).toBeGreaterThanOrEqual(split.mirror.knownCount());
    expect(listingIn(calls).length).toBeGreaterThan(0);
    // What the first page shows decides what is searched first: some calls more or fewer.
    expect(calls.length).toBeLessThanOrEqual(1.15 * split.calls.length);
  });

  it('is read as far as it goes where no text would tell the rest apart', () => {
    const alike = Array.from({ length: 300 }, (_, at) => ({ id: `${1000 + at}`, name: 'Same' }));
    const { mirror } = discover(new Registry(alike, { ...LISTING, window: 200 }), UNTIL_NOTHING_IS_DUE);
    expect(mirror.knownCount()).toBe(200);
  });
});

describe('an upstream that lists everything not after all', () => {
  it('is searched as any other where it refuses', () => {
    const { mirror, calls } = discovered({ ...LISTING, refusesAbove: 200 });
    expect(mirror.knownCount()).toBe(COMPANIES.length);
    expect(listingIn(calls)).toHaveLength(1);
  });

  it('is searched as any other where it finds nothing', () => {
    const registry = new FindingNothing(COMPANIES, LISTING);
    for (const run of [discover(registry, UNTIL_NOTHING_IS_DUE), exhaust(registry)]) {
      expect(run.mirror.knownCount()).toBeGreaterThanOrEqual(COMPANIES.length - 6);
      expect(listingIn(run.calls)).toHaveLength(1);
    }
  });

  it('is searched meanwhile where it fails', () => {
    const registry = new Registry(COMPANIES, LISTING);
    const mirror = new MemoryMirror();
    const planner = plannerOver(mirror, LISTING);
    const [listing] = planner.next(askAt(0)).calls;
    expect(listing).toMatchObject({ kind: 'search', query: { text: '' } });
    planner.learn(broken(listing as Call, DAY_MS));
    for (let searches = 0; searches < 5; searches++) {
      const [call] = planner.next(askAt(1)).calls;
      expect(call).toMatchObject({ kind: 'search' });
      expect(targetOf(call as Call)).not.toBe('name:');
      planner.learn(answer(mirror, registry, call as Call, 1));
    }
    const asked: string[] = [];
    for (;;) {
      const [call] = planner.next(askAt(DAY_MS)).calls;
      if (call === undefined) break;
      asked.push(targetOf(call));
      planner.learn(answer(mirror, registry, call, DAY_MS));
    }
    expect(asked).toContain('name:');
    expect(mirror.knownCount()).toBe(COMPANIES.length);
  });

  it('is not taken for one by what somebody else has asked', () => {
    const { mirror } = discovered(LISTING);
    const { calls } = discover(new Registry(inventedCompanies(900), PLAIN), {
      ...UNTIL_NOTHING_IS_DUE,
      mirror: atOnce(mirror, 20),
    });
    expect(listingIn(calls)).toEqual([]);
  });
});

describe('the size of a registry without statistics', () => {
  it('is known after one page of everything', () => {
    const { mirror } = withoutStatistics(LISTING, { mostCalls: 1 });
    expect(mirror.knownCount()).toBe(PLAIN.pageSize);
    expect(sizeOf(mirror, dialectOf(LISTING))).toEqual({ low: 607, high: 607, by: 'totals' });
  });

  it('is one of at least as many where the total is clamped, and as many once all were listed', () => {
    const settings: RegistrySettings = { ...LISTING, totals: { clampedAt: 100 } };
    const begun = withoutStatistics(settings, { mostCalls: 1 });
    expect(sizeOf(begun.mirror, dialectOf(settings))).toEqual({ low: 100, high: null, by: 'totals' });
    const done = withoutStatistics(settings);
    expect(sizeOf(done.mirror, dialectOf(settings))).toEqual({ low: 607, high: 607, by: 'totals' });
  });

  it('is doubted where the total is as round as a limit that nobody has stated', () => {
    // As search engines count by default: to 10,000 and no further.
    const registry = new Registry(inventedCompanies(1_307), { ...LISTING, totals: { clampedAt: 1_000 } });
    const { mirror, calls } = exhaust(registry, { dialect: dialectOf(LISTING) });
    expect(mirror.knownCount()).toBe(1_307);
    expect(listingIn(calls)).toHaveLength(66);
  });
});

class FindingNothing extends Registry {
  override search(query: SearchCall['query'], pageIndex: number) {
    return super.search(query.text === '' ? { by: 'name', text: 'zzzz' } : query, pageIndex);
  }
}

interface RunOptions {
  readonly lanes?: number;
  readonly mostCalls?: number;
  readonly dialect?: ReturnType<typeof dialectOf>;
}

function discovered(settings: RegistrySettings) {
  return discover(new Registry(COMPANIES, settings), UNTIL_NOTHING_IS_DUE);
}

function withoutStatistics(settings: RegistrySettings, options: RunOptions = {}) {
  return exhaust(new Registry(COMPANIES, settings), options);
}

/** Searches only, until no more is wanted; several are asked before the first is answered where there are lanes. */
function exhaust(registry: Registry, { lanes = 1, mostCalls = 5_000, dialect }: RunOptions = {}) {
  const mirror = new MemoryMirror();
  const planner = plannerOver(mirror, registry.settings, dialect);
  const calls: Call[] = [];
  while (calls.length < mostCalls) {
    const batch = planner.next({ ...askAt(mirror.nowMs), most: lanes }).calls;
    if (batch.length === 0) break;
    calls.push(...batch);
    for (const call of batch) planner.learn(answer(mirror, registry, call, mirror.nowMs++));
  }
  return { mirror, calls };
}

function plannerOver(
  knowledge: MemoryMirror,
  settings: RegistrySettings,
  dialect = dialectOf(settings),
): Planner {
  return openSyncPlanner({
    knowledge,
    dialect,
    settings: {
      startedAtMs: knowledge.nowMs,
      maxAge: { statsMs: DAY_MS, summariesMs: 3000 * DAY_MS, recordsMs: 9000 * DAY_MS },
      focus: 'coverage',
      kinds: new Set<CallKind>(['search']),
      scope: { of: 'whole' },
    },
  });
}

/** A mirror that knows some of the companies, and all queries of another. */
function atOnce(from: MemoryMirror, companies: number): MemoryMirror {
  const mirror = new MemoryMirror();
  for (const { entityId: id, name } of [...from.companies.values()].slice(0, companies))
    mirror.add({ id, name });
  for (const [key, state] of from.queryStates) mirror.queryStates.set(key, state);
  return mirror;
}

function askAt(nowMs: number) {
  return { nowMs, left: { calls: Number.POSITIVE_INFINITY, lifetimeLimit: null }, most: 1 };
}

function broken(call: Call, nextTryAtMs: number) {
  const failure = { kind: call.kind, target: targetOf(call), tries: 1, nextTryAtMs, why: 'HTTP 500' };
  return { ...noChange({ call, verdict: { is: 'broken' } }), failure };
}

function searchesIn(calls: readonly Call[]): SearchCall[] {
  return calls.filter((call) => call.kind === 'search');
}

function listingIn(calls: readonly Call[]): SearchCall[] {
  return searchesIn(calls).filter(({ query }) => query.by === 'name' && query.text === '');
}
