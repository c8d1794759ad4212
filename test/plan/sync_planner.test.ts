import { describe, expect, it, test } from 'vitest';
import { type Call, type CallKind, targetOf } from '../../src/call.ts';
import { openSyncPlanner } from '../../src/plan/sync_planner.ts';
import type { MaxAge, PlanInput, Planner, PlannerSettings } from '../../src/planner.ts';
import { failedCall } from '../support/failed_call.ts';
import { dialectOf } from '../support/simulation/discover.ts';
import { answer, MemoryMirror } from '../support/simulation/memory_knowledge.ts';
import { PLAIN, Registry, type RegistrySettings } from '../support/simulation/registry.ts';
import { searchesThatFound } from '../support/simulation/searches_that_found.ts';
import { syntheticCompanies } from '../support/simulation/synthetic_registries.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 0, 1);

describe('a first run', () => {
  const shapes: Partial<RegistrySettings>[] = [
    { semantics: 'prefix' },
    { semantics: 'prefix', window: 40 },
    { semantics: 'prefix', window: 40, totals: 'none' },
    { semantics: 'prefix', refusesAbove: 200 },
    { semantics: 'prefix', totals: { clampedAt: 100 }, window: 100 },
    { semantics: 'prefix', minLength: 2 },
    { semantics: 'token_prefix' },
    { semantics: 'token_prefix', window: 400 },
    { semantics: 'substring' },
    { semantics: 'substring', window: 600 },
    { semantics: 'token', identifiers: 'prefix', window: 40 },
    { semantics: 'token' },
  ];

  it.each(shapes)('a first run lists every reachable company: %j', (profile) => {
    const registry = new Registry(syntheticCompanies(1500), { ...PLAIN, ...profile });
    const { mirror, calls } = run(registry, { kinds: new Set<CallKind>(['stats', 'search']) });
    // Without totals, no query has an unseen count. The stop rule ends discovery after about 165 searches without a new
    // company.
    const least = { exact: 1500, clamped: 1490, none: 1470 }[totalsOf(profile)];
    expect(mirror.knownCount()).toBeGreaterThanOrEqual(least);
    expect(calls.length).toBeLessThan(1500);
  });

  it('a first run with sixteen connections plans no duplicate of a call, in flight or not', () => {
    const registry = new Registry(syntheticCompanies(800), { ...PLAIN, window: 40 });
    const { calls } = run(registry, { connections: 16 });
    const asked = calls.map((call) => `${call.kind} ${targetOf(call)}`);
    expect(new Set(asked).size).toBe(asked.length);
  });

  it('a first run fetches each record once and ends', () => {
    const registry = new Registry(syntheticCompanies(300), PLAIN);
    const { calls, planner, mirror } = run(registry, {});
    expect(calls.filter((call) => call.kind === 'entity')).toHaveLength(300);
    expect(planner.next(ask(mirror.nowMs))).toEqual({ calls: [], wakeAtMs: null, drift: null });
  });
});

test.each([
  { title: 'as many companies have joined as have left', counted: 300, pages: 300 / PLAIN.pageSize },
  { title: 'companies have only left', counted: 290, pages: 0 },
])('after $title, the statistics are due and then $pages pages of the listing', ({ counted, pages }) => {
  const companies = syntheticCompanies(310);
  const settings = { ...PLAIN, minLength: 0 };
  const { mirror } = run(new Registry(companies.slice(0, 300), settings), {});
  mirror.existingCount = () => mirror.knownCount() - 10;
  mirror.nowMs += DAY_MS;
  const later = new Registry(companies.slice(310 - counted), settings);
  const { calls } = run(later, { mirror, kinds: new Set<CallKind>(['stats', 'search']) });
  expect(calls.slice(0, 1 + pages).map(({ kind }) => kind)).toEqual([
    'stats',
    ...Array(pages).fill('search'),
  ]);
  const isListing = (call: Call) => call.kind === 'search' && call.query.text === '';
  expect(calls.filter(isListing)).toHaveLength(pages);
  expect(mirror.knownCount()).toBe(pages === 0 ? 300 : 310);
});

test('searches that confirm the count in the statistics come after the due records', () => {
  const companies = syntheticCompanies(60);
  const mirror = new MemoryMirror();
  for (const company of companies) mirror.add(company);
  mirror.stats = { observedAtMs: mirror.nowMs, total: 60 };
  mirror.latestSearches = () => searchesThatFound([60]);
  const { calls } = run(new Registry(companies, PLAIN), { mirror });
  const kinds = [...Array(60).fill('entity'), ...Array(10).fill('search')];
  expect(calls.map(({ kind }) => kind)).toEqual(kinds);
});

describe('a search in flight', () => {
  // If identifier prefixes are searched and a cap applies, each search depends on the last response.
  const registry = new Registry(syntheticCompanies(1500), { ...PLAIN, identifiers: 'prefix', window: 40 });
  const withSearchInFlight = () => {
    const { mirror, planner } = run(registry, { stopAfter: 6 });
    for (;;) {
      const [call] = planner.next({
        ...ask(mirror.nowMs),
        left: { calls: 5, lifetimeLimit: null },
        most: 1,
      }).calls;
      if (call?.kind !== 'search') return { mirror, planner, call };
    }
  };

  it('a search in flight delays less valuable records if the quota does not cover every record', () => {
    expect(withSearchInFlight().call).toBeUndefined();
  });

  it('a search in flight delays no record if the quota covers every record', () => {
    const { mirror, planner } = withSearchInFlight();
    expect(planner.next({ ...ask(mirror.nowMs), most: 1 }).calls).toMatchObject([{ kind: 'entity' }]);
  });
});

describe('a later run', () => {
  it('a later run sends nothing while nothing is due', () => {
    const registry = new Registry(syntheticCompanies(300), PLAIN);
    const { mirror } = run(registry, {});
    const planner = open(registry, mirror, {});
    expect(planner.next(ask(mirror.nowMs + DAY_MS)).calls).toEqual([]);
  });

  it('a later run repeats listings and fetches records again when they are due', () => {
    const registry = new Registry(syntheticCompanies(300), PLAIN);
    const { mirror } = run(registry, {});
    mirror.nowMs += 100 * DAY_MS;
    const later = run(registry, { mirror });
    expect(later.calls.filter((call) => call.kind === 'entity')).toHaveLength(300);
    expect(later.calls.filter((call) => call.kind === 'search').length).toBeGreaterThan(10);
  });

  it('a later run resumes a listing that another process started', () => {
    const registry = new Registry(syntheticCompanies(1500), { ...PLAIN, window: 100 });
    const kinds = new Set<CallKind>(['stats', 'search']);
    const first = run(registry, { kinds, stopAfter: 40 });
    const second = run(registry, { kinds, mirror: first.mirror });
    const asked = [...first.calls, ...second.calls].map((call) => targetOf(call));
    expect(first.mirror.knownCount()).toBe(1500);
    expect(new Set(asked).size).toBe(asked.length);
  });
});

describe('a run that takes longer than the maximum ages', () => {
  const maxAge = { statsMs: 5_000, summariesMs: 5_000, recordsMs: 5_000 };

  it.each([{}, { window: 40 }, { identifiers: 'prefix' as const, window: 40 }])(
    'a run longer than the maximum ages fetches the statistics, each page and each record once: %j',
    (profile) => {
      const registry = new Registry(syntheticCompanies(400), { ...PLAIN, ...profile });
      const first = run(registry, { maxAge, stopAfter: 5_000 });
      expect(repeated(first.calls)).toEqual([]);
      first.mirror.nowMs += DAY_MS;
      const second = run(registry, { mirror: first.mirror, maxAge, stopAfter: 5_000 });
      expect(repeated(second.calls)).toEqual([]);
      expect(second.calls.filter(({ kind }) => kind === 'stats')).toHaveLength(1);
      expect(second.calls.filter(({ kind }) => kind === 'entity')).toHaveLength(400);
      const listed = second.calls.flatMap((call) => answer(new MemoryMirror(), registry, call, 0).rows);
      expect(new Set(listed.map(({ entityId }) => entityId)).size).toBe(400);
    },
  );

  it.each([
    [{ window: 40 }, 10],
    [{ semantics: 'token_prefix' as const }, 10],
    [{ identifiers: 'prefix' as const, window: 40 }, 40],
    [{ identifiers: 'prefix' as const }, 10],
  ])(
    'a run fetches nothing twice, even if the registry has grown since the last run: %j',
    (profile, connections) => {
      const companies = syntheticCompanies(440);
      const { mirror } = run(new Registry(companies.slice(0, 400), { ...PLAIN, ...profile }), { maxAge });
      mirror.nowMs += DAY_MS;
      const grown = new Registry(companies, { ...PLAIN, ...profile });
      const { calls } = run(grown, { mirror, maxAge, connections, stopAfter: 5_000 });
      expect(repeated(calls)).toEqual([]);
      expect(mirror.knownCount()).toBe(440);
    },
  );

  it('due listings find the companies that have joined, and at most ten other searches confirm the count', () => {
    const companies = syntheticCompanies(410);
    const profile = { ...PLAIN, semantics: 'token_prefix' as const };
    const { mirror } = run(new Registry(companies.slice(0, 400), profile), { maxAge });
    const listings = [...mirror.queries()].filter(({ rows }) => rows > 0);
    mirror.nowMs += DAY_MS;
    const { calls } = run(new Registry(companies, profile), { mirror, maxAge });
    expect(mirror.knownCount()).toBe(410);
    const searched = new Set(calls.flatMap((call) => (call.kind === 'search' ? [call.query.text] : [])));
    const others = [...searched].filter((text) => !listings.some(({ query }) => query.text === text));
    expect(others.length).toBeLessThanOrEqual(10);
  });

  it.each([0, 10])(
    'a registry without queries is listed again when its count changes, if the count includes %i others',
    (others) => {
      const companies = syntheticCompanies(310);
      const mirror = new MemoryMirror(NOW_MS);
      const searchesFor = (size: number) => {
        const registry = new WithoutQueries(companies.slice(0, size), others);
        const { calls } = run(registry, { mirror, hasQueries: false, kinds: new Set(['stats', 'search']) });
        mirror.nowMs += 8 * DAY_MS;
        return calls.filter(({ kind }) => kind === 'search').length;
      };
      expect([300, 300, 310, 310].map(searchesFor)).toEqual([15, 0, 16, 0]);
      expect(mirror.knownCount()).toBe(310);
    },
  );

  it('a run does not fetch a record again if a later listing flags it', () => {
    const registry = new Registry(syntheticCompanies(5), PLAIN);
    const { mirror, planner } = run(registry, { maxAge });
    const [one] = mirror.companies.values();
    Object.assign(one ?? {}, { flagged: true });
    expect(planner.next(ask(mirror.nowMs + DAY_MS)).calls).toEqual([]);
    const next = open(registry, mirror, { startedAtMs: mirror.nowMs + 1 });
    expect(next.next(ask(mirror.nowMs + 1)).calls).toMatchObject([{ entityId: one?.entityId }]);
  });

  it('a run retries failed statistics', () => {
    const registry = new Registry(syntheticCompanies(5), PLAIN);
    const mirror = new MemoryMirror(NOW_MS);
    const planner = open(registry, mirror, { kinds: new Set<CallKind>(['stats']), maxAge });
    const [call] = planner.next(ask(NOW_MS)).calls;
    planner.learn(failedCall(call as Call, NOW_MS + 20_000));
    expect(planner.next(ask(NOW_MS + 10_000))).toMatchObject({ calls: [], wakeAtMs: NOW_MS + 20_000 });
    const [retry] = planner.next(ask(NOW_MS + 20_000)).calls;
    expect(retry).toMatchObject({ kind: 'stats' });
    planner.learn(answer(mirror, registry, retry as Call, NOW_MS + 20_000));
    expect(planner.next(ask(NOW_MS + DAY_MS)).calls).toEqual([]);
  });

  it('a run fetches nothing twice after the clock is set back', () => {
    const registry = new Registry(syntheticCompanies(50), PLAIN);
    const startedAtMs = NOW_MS + 30 * DAY_MS;
    const { calls } = run(registry, {
      maxAge: { ...maxAge, recordsMs: DAY_MS },
      startedAtMs,
      stopAfter: 500,
    });
    expect(repeated(calls.filter(({ kind }) => kind === 'entity'))).toEqual([]);
  });
});

describe('statistics', () => {
  it('the statistics take at most 2% of a total allowance', () => {
    const registry = new Registry(syntheticCompanies(50), PLAIN);
    const mirror = new MemoryMirror(NOW_MS);
    const calls: Call[] = [];
    for (let week = 0; week < 52; week++) {
      const planner = open(registry, mirror, {
        kinds: new Set<CallKind>(['stats']),
        startedAtMs: NOW_MS + week * 8 * DAY_MS,
      });
      const left = { calls: 100 - calls.length, lifetimeLimit: 100 };
      for (const call of planner.next({ nowMs: NOW_MS + week * 8 * DAY_MS, left, most: 1 }).calls) {
        planner.learn(answer(mirror, registry, call, NOW_MS + week * 8 * DAY_MS));
        calls.push(call);
      }
    }
    expect(calls).toHaveLength(2);
  });
});

describe('failed calls', () => {
  it('a failed call waits until the retry time in its load result', () => {
    const registry = new Registry(syntheticCompanies(5), PLAIN);
    const { mirror } = run(registry, { kinds: new Set<CallKind>(['search']) });
    const planner = open(registry, mirror, { kinds: new Set<CallKind>(['entity']) });
    const { calls } = planner.next(ask(mirror.nowMs));
    for (const call of calls) planner.learn(failedCall(call, mirror.nowMs + 5000));
    expect(planner.next(ask(mirror.nowMs))).toMatchObject({ calls: [], wakeAtMs: mirror.nowMs + 5000 });
    expect(planner.next(ask(mirror.nowMs + 5000)).calls).toHaveLength(5);
  });

  it('a failed call is planned again after its release', () => {
    const registry = new Registry(syntheticCompanies(5), PLAIN);
    const planner = open(registry, new MemoryMirror(NOW_MS), {});
    const first = planner.next({ ...ask(NOW_MS), most: 1 }).calls;
    for (const call of first) planner.release(call);
    expect(planner.next({ ...ask(NOW_MS), most: 1 }).calls).toEqual(first);
  });
});

interface RunOptions {
  readonly mirror?: MemoryMirror;
  readonly kinds?: ReadonlySet<CallKind>;
  readonly connections?: number;
  readonly stopAfter?: number;
  readonly startedAtMs?: number;
  readonly maxAge?: MaxAge;
  /** Whether the registry has queries besides the one that lists all companies; default: true. */
  readonly hasQueries?: boolean;
}

/** A registry that can only list all companies, and whose count includes others. */
class WithoutQueries extends Registry {
  readonly #others: number;

  constructor(companies: ReturnType<typeof syntheticCompanies>, others: number) {
    super(companies, { ...PLAIN, minLength: 0 });
    this.#others = others;
  }

  override get size(): number {
    return super.size + this.#others;
  }
}

function totalsOf({ totals = 'exact' }: Partial<RegistrySettings>): 'exact' | 'clamped' | 'none' {
  return typeof totals === 'string' ? totals : 'clamped';
}

/** Runs the planner until nothing is due. Each response arrives after `connections` more calls have been sent. */
function run(registry: Registry, options: RunOptions) {
  const mirror = options.mirror ?? new MemoryMirror(NOW_MS);
  const planner = open(registry, mirror, options);
  const calls: Call[] = [];
  const inFlight: Call[] = [];
  const stopAfter = options.stopAfter ?? 100_000;
  for (;;) {
    const free = Math.min((options.connections ?? 1) - inFlight.length, stopAfter - calls.length);
    const planned = free > 0 ? planner.next({ ...ask(mirror.nowMs), most: free }).calls : [];
    calls.push(...planned);
    inFlight.push(...planned);
    const call = inFlight.shift();
    if (call === undefined) return { mirror, planner, calls };
    mirror.nowMs += 1000;
    planner.learn(answer(mirror, registry, call, mirror.nowMs));
  }
}

function open(registry: Registry, mirror: MemoryMirror, options: RunOptions): Planner {
  const settings: PlannerSettings = {
    startedAtMs: options.startedAtMs ?? mirror.nowMs,
    maxAge: options.maxAge ?? { statsMs: 7 * DAY_MS, summariesMs: 30 * DAY_MS, recordsMs: 90 * DAY_MS },
    focus: 'coverage',
    kinds: options.kinds ?? new Set<CallKind>(['stats', 'search', 'entity']),
  };
  const dialect = dialectOf(registry.settings);
  const search = options.hasQueries === false ? { ...dialect.search, query_param: null } : dialect.search;
  return openSyncPlanner({ knowledge: mirror, dialect: { ...dialect, search }, settings });
}

function ask(nowMs: number): PlanInput {
  return { nowMs, left: { calls: Number.POSITIVE_INFINITY, lifetimeLimit: null }, most: 100 };
}

/** The targets that received more than one call. */
function repeated(calls: readonly Call[]): string[] {
  const targets = calls.map((call) => `${call.kind} ${targetOf(call)}`);
  return targets.filter((target, at) => targets.indexOf(target) < at);
}
