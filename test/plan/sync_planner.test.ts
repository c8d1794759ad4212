import { describe, expect, it } from 'vitest';
import { type Call, type CallKind, targetOf } from '../../src/call.ts';
import type { LoadResult } from '../../src/knowledge.ts';
import { noChange } from '../../src/load_result.ts';
import { openSyncPlanner } from '../../src/plan/sync_planner.ts';
import type { MaxAge, PlanInput, Planner, PlannerSettings } from '../../src/planner.ts';
import { dialectOf } from '../support/simulation/discover.ts';
import { answer, MemoryMirror } from '../support/simulation/memory_knowledge.ts';
import { PLAIN, Registry, type RegistrySettings } from '../support/simulation/registry.ts';
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

  it.each(shapes)('lists every company that can be reached: %j', (profile) => {
    const registry = new Registry(syntheticCompanies(1500), { ...PLAIN, ...profile });
    const { mirror, calls } = run(registry, { kinds: new Set<CallKind>(['stats', 'search']) });
    // Without totals it cannot be told which text hides the last ones: they are given up after some 165 searches in vain.
    const least = { exact: 1500, clamped: 1490, none: 1470 }[totalsOf(profile)];
    expect(mirror.knownCount()).toBeGreaterThanOrEqual(least);
    expect(calls.length).toBeLessThan(1500);
  });

  it('asks nothing twice and nothing that is in flight, with sixteen lanes', () => {
    const registry = new Registry(syntheticCompanies(800), { ...PLAIN, window: 40 });
    const { calls } = run(registry, { lanes: 16 });
    const asked = calls.map((call) => `${call.kind} ${targetOf(call)}`);
    expect(new Set(asked).size).toBe(asked.length);
  });

  it('fetches each record once, and is then done', () => {
    const registry = new Registry(syntheticCompanies(300), PLAIN);
    const { calls, planner, mirror } = run(registry, {});
    expect(calls.filter((call) => call.kind === 'entity')).toHaveLength(300);
    expect(planner.next(ask(mirror.nowMs))).toEqual({ calls: [], wakeAtMs: null, drift: null });
  });
});

describe('a search in flight', () => {
  // By identifier prefixes with a cap, each search depends on the response to the one before.
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

  it('delays records that are worth less, if the calls do not suffice for every record', () => {
    expect(withSearchInFlight().call).toBeUndefined();
  });

  it('delays no record if the calls suffice for every record', () => {
    const { mirror, planner } = withSearchInFlight();
    expect(planner.next({ ...ask(mirror.nowMs), most: 1 }).calls).toMatchObject([{ kind: 'entity' }]);
  });
});

describe('a later run', () => {
  it('sends nothing while nothing is due', () => {
    const registry = new Registry(syntheticCompanies(300), PLAIN);
    const { mirror } = run(registry, {});
    const planner = open(registry, mirror, {});
    expect(planner.next(ask(mirror.nowMs + DAY_MS)).calls).toEqual([]);
  });

  it('lists summaries again, and fetches records again, when they are due', () => {
    const registry = new Registry(syntheticCompanies(300), PLAIN);
    const { mirror } = run(registry, {});
    mirror.nowMs += 100 * DAY_MS;
    const later = run(registry, { mirror });
    expect(later.calls.filter((call) => call.kind === 'entity')).toHaveLength(300);
    expect(later.calls.filter((call) => call.kind === 'search').length).toBeGreaterThan(10);
  });

  it('takes up the listing where another process stopped', () => {
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
    'fetches the statistics, each page and each record once: %j',
    (profile) => {
      const registry = new Registry(syntheticCompanies(400), { ...PLAIN, ...profile });
      const first = run(registry, { maxAge, stopAfter: 5_000 });
      expect(repeated(first.calls)).toEqual([]);
      first.mirror.nowMs += DAY_MS;
      const second = run(registry, { mirror: first.mirror, maxAge, stopAfter: 5_000 });
      expect(repeated(second.calls)).toEqual([]);
      expect(second.calls.filter(({ kind }) => kind === 'stats')).toHaveLength(1);
      expect(second.calls.filter(({ kind }) => kind === 'entity')).toHaveLength(400);
      expect(second.calls.filter(({ kind }) => kind === 'search').length).toBeGreaterThan(10);
    },
  );

  it.each([
    [{ window: 40 }, 10],
    [{ semantics: 'token_prefix' as const }, 10],
    [{ identifiers: 'prefix' as const, window: 40 }, 40],
    [{ identifiers: 'prefix' as const }, 10],
  ])('fetches nothing twice when the registry has grown since the last run: %j', (profile, lanes) => {
    const companies = syntheticCompanies(440);
    const { mirror } = run(new Registry(companies.slice(0, 400), { ...PLAIN, ...profile }), { maxAge });
    mirror.nowMs += DAY_MS;
    const grown = new Registry(companies, { ...PLAIN, ...profile });
    const { calls } = run(grown, { mirror, maxAge, lanes, stopAfter: 5_000 });
    expect(repeated(calls)).toEqual([]);
    expect(mirror.knownCount()).toBe(440);
  });

  it('leaves a record that it has fetched, although a listing shows a change afterwards', () => {
    const registry = new Registry(syntheticCompanies(5), PLAIN);
    const { mirror, planner } = run(registry, { maxAge });
    const [one] = mirror.companies.values();
    Object.assign(one ?? {}, { flagged: true });
    expect(planner.next(ask(mirror.nowMs + DAY_MS)).calls).toEqual([]);
    const next = open(registry, mirror, { startedAtMs: mirror.nowMs + 1 });
    expect(next.next(ask(mirror.nowMs + 1)).calls).toMatchObject([{ entityId: one?.entityId }]);
  });

  it('still retries statistics that failed', () => {
    const registry = new Registry(syntheticCompanies(5), PLAIN);
    const mirror = new MemoryMirror(NOW_MS);
    const planner = open(registry, mirror, { kinds: new Set<CallKind>(['stats']), maxAge });
    const [call] = planner.next(ask(NOW_MS)).calls;
    planner.learn(broken(call as Call, NOW_MS + 20_000));
    expect(planner.next(ask(NOW_MS + 10_000))).toMatchObject({ calls: [], wakeAtMs: NOW_MS + 20_000 });
    const [retry] = planner.next(ask(NOW_MS + 20_000)).calls;
    expect(retry).toMatchObject({ kind: 'stats' });
    planner.learn(answer(mirror, registry, retry as Call, NOW_MS + 20_000));
    expect(planner.next(ask(NOW_MS + DAY_MS)).calls).toEqual([]);
  });

  it('fetches nothing twice after the clock was set back', () => {
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
  it('take at most 2 % of an allowance for life', () => {
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

describe('what fails', () => {
  it('waits for the retry that load names, and wakes for it', () => {
    const registry = new Registry(syntheticCompanies(5), PLAIN);
    const { mirror } = run(registry, { kinds: new Set<CallKind>(['search']) });
    const planner = open(registry, mirror, { kinds: new Set<CallKind>(['entity']) });
    const { calls } = planner.next(ask(mirror.nowMs));
    for (const call of calls) planner.learn(broken(call, mirror.nowMs + 5000));
    expect(planner.next(ask(mirror.nowMs))).toMatchObject({ calls: [], wakeAtMs: mirror.nowMs + 5000 });
    expect(planner.next(ask(mirror.nowMs + 5000)).calls).toHaveLength(5);
  });

  it('plans a released call again', () => {
    const registry = new Registry(syntheticCompanies(5), PLAIN);
    const planner = open(registry, new MemoryMirror(NOW_MS), {});
    const first = planner.next({ ...ask(NOW_MS), most: 1 }).calls;
    for (const call of first) planner.release(call);
    expect(planner.next({ ...ask(NOW_MS), most: 1 }).calls).toEqual(first);
  });

  it('stops record calls after three known ids in a row answered 404, and a witness too', () => {
    const planner = withThreeMissing();
    const [witness, ...others] = planner.next(ask(NOW_MS)).calls;
    expect(others).toEqual([]);
    planner.learn(missing(witness as Call));
    const plan = planner.next(ask(NOW_MS));
    expect(plan.calls).toEqual([]);
    expect(plan.drift).toMatch(/404/);
  });

  it('goes on when the witness answers: three neighbours were struck off together', () => {
    const planner = withThreeMissing();
    const [witness] = planner.next(ask(NOW_MS)).calls;
    planner.learn(silent(witness as Call));
    const plan = planner.next(ask(NOW_MS));
    expect(plan.drift).toBeNull();
    expect(plan.calls.length).toBeGreaterThan(40);
  });

  it('asks one witness when a 404 is the last word of a run', () => {
    const registry = new Registry(syntheticCompanies(5), PLAIN);
    const { mirror } = run(registry, { kinds: new Set<CallKind>(['search']) });
    const planner = open(registry, mirror, { kinds: new Set<CallKind>(['entity']) });
    const { calls } = planner.next(ask(mirror.nowMs));
    for (const call of calls) {
      const isLast = call === calls.at(-1);
      planner.learn(isLast ? missing(call) : answer(mirror, registry, call, mirror.nowMs));
      if (isLast) answer(mirror, registry, call, mirror.nowMs);
    }
    const [witness, ...others] = planner.next(ask(mirror.nowMs)).calls;
    expect(others).toEqual([]);
    expect(witness).toMatchObject({ kind: 'entity', reason: expect.stringMatching(/^witness/) });
    planner.learn(silent(witness as Call));
    expect(planner.next(ask(mirror.nowMs)).calls).toEqual([]);
  });

  it('asks for an id that cannot exist when the proof of a deletion needs it', () => {
    const registry = new Registry(syntheticCompanies(50), PLAIN);
    const { mirror } = run(registry, { kinds: new Set<CallKind>(['search']) });
    mirror.needsControl = true;
    const planner = open(registry, mirror, { kinds: new Set<CallKind>(['entity']) });
    const [control] = planner.next({ ...ask(mirror.nowMs), most: 1 }).calls;
    expect(control).toMatchObject({ kind: 'entity', entityId: '999999' });
    expect(planner.next({ ...ask(mirror.nowMs), most: 1 }).calls).not.toContainEqual(control);
  });
});

function withThreeMissing(): Planner {
  const registry = new Registry(syntheticCompanies(50), PLAIN);
  const { mirror } = run(registry, { kinds: new Set<CallKind>(['search']) });
  const planner = open(registry, mirror, { kinds: new Set<CallKind>(['entity']) });
  for (const call of planner.next({ ...ask(mirror.nowMs), most: 3 }).calls) planner.learn(missing(call));
  return planner;
}

interface RunOptions {
  readonly mirror?: MemoryMirror;
  readonly kinds?: ReadonlySet<CallKind>;
  readonly lanes?: number;
  readonly stopAfter?: number;
  readonly startedAtMs?: number;
  readonly maxAge?: MaxAge;
}

/** Plans, answers and learns until nothing is due; answers land in the order of sending, `lanes` later. */
function totalsOf({ totals = 'exact' }: Partial<RegistrySettings>): 'exact' | 'clamped' | 'none' {
  return typeof totals === 'string' ? totals : 'clamped';
}

function run(registry: Registry, options: RunOptions) {
  const mirror = options.mirror ?? new MemoryMirror(NOW_MS);
  const planner = open(registry, mirror, options);
  const calls: Call[] = [];
  const flying: Call[] = [];
  const stopAfter = options.stopAfter ?? 100_000;
  for (;;) {
    const free = Math.min((options.lanes ?? 1) - flying.length, stopAfter - calls.length);
    const planned = free > 0 ? planner.next({ ...ask(mirror.nowMs), most: free }).calls : [];
    calls.push(...planned);
    flying.push(...planned);
    const landed = flying.shift();
    if (landed === undefined) return { mirror, planner, calls };
    mirror.nowMs += 1000;
    planner.learn(answer(mirror, registry, landed, mirror.nowMs));
  }
}

function open(registry: Registry, mirror: MemoryMirror, options: RunOptions): Planner {
  const settings: PlannerSettings = {
    startedAtMs: options.startedAtMs ?? mirror.nowMs,
    maxAge: options.maxAge ?? { statsMs: 7 * DAY_MS, summariesMs: 30 * DAY_MS, recordsMs: 90 * DAY_MS },
    focus: 'coverage',
    kinds: options.kinds ?? new Set<CallKind>(['stats', 'search', 'entity']),
    scope: { of: 'whole' },
  };
  return openSyncPlanner({ knowledge: mirror, dialect: dialectOf(registry.settings), settings });
}

function ask(nowMs: number): PlanInput {
  return { nowMs, left: { calls: Number.POSITIVE_INFINITY, lifetimeLimit: null }, most: 100 };
}

/** Targets that were called more than once. */
function repeated(calls: readonly Call[]): string[] {
  const targets = calls.map((call) => `${call.kind} ${targetOf(call)}`);
  return targets.filter((target, at) => targets.indexOf(target) < at);
}

function broken(call: Call, nextTryAtMs: number): LoadResult {
  const failure = { kind: call.kind, target: targetOf(call), tries: 1, nextTryAtMs, why: 'HTTP 500' };
  return { ...silent(call), verdict: 'broken', failure };
}

function missing(call: Call): LoadResult {
  return { ...silent(call), verdict: 'absent', missing: true };
}

function silent(call: Call): LoadResult {
  return noChange({ call, verdict: { is: 'ok' } });
}
