import { describe, expect, it } from 'vitest';
import type { CallKind } from '../../src/call.ts';
import { type Budget, simulateSearches } from '../../src/estimate/search_simulation.ts';
import { estimateSync } from '../../src/estimate/sync_estimate.ts';
import type { Knowledge, LoadResult } from '../../src/knowledge.ts';
import { openSyncPlanner } from '../../src/plan/sync_planner.ts';
import { dialectOf, discover, START_MS } from '../support/simulation/discover.ts';
import { MemoryMirror } from '../support/simulation/memory_knowledge.ts';
import { PLAIN, Registry } from '../support/simulation/registry.ts';
import { syntheticCompanies } from '../support/simulation/synthetic_registries.ts';

const SIZE = 3_000;
const ENDLESS: Budget = { searches: 12_000, usedShare: () => 0 };

describe('the budget for simulations', () => {
  it("the budget bounds the simulations' work for a large registry at any coverage", () => {
    const registry = new Registry(syntheticCompanies(SIZE), { ...PLAIN, window: 100 });
    for (const enough of [500, SIZE / 2]) {
      const mirror = mirrored(registry, enough);
      const counted = counting(registry, mirror);
      simulateSearches(counted.ask(ENDLESS, [SIZE]));
      expect(counted.calls()).toBeLessThanOrEqual(ENDLESS.searches);
      // A simulated registry has 2,000 companies. Each of the six simulations finds each company at most once.
      expect(counted.found()).toBeLessThanOrEqual(6 * 2_000);
    }
  });

  it('the budget stops the simulations before they exceed its number of searches', () => {
    const registry = new Registry(syntheticCompanies(1_000), { ...PLAIN, window: 100 });
    const mirror = mirrored(registry, 100);
    for (const searches of [5, 50]) {
      const counted = counting(registry, mirror);
      simulateSearches(counted.ask({ searches, usedShare: () => 0 }, [1_000]));
      // When the budget ends a simulation, the last search is planned but not sent.
      expect(counted.calls()).toBeLessThanOrEqual(searches);
    }
  });

  it('if no simulation finishes within the budget, the estimate has no upper end', () => {
    const registry = new Registry(syntheticCompanies(1_000), { ...PLAIN, window: 100 });
    const mirror = mirrored(registry, 100);
    const cut = priced(registry, mirror, { searches: 12_000, usedShare: () => 1 });
    const whole = priced(registry, mirror, ENDLESS);
    expect(cut.total.high).toBeNull();
    expect(cut.total.low).toBeLessThanOrEqual(whole.total.low);
    expect(whole.total.high).not.toBeNull();
  });

  it('the budget reports the share of finished work, which never exceeds 1', () => {
    const registry = new Registry(syntheticCompanies(800), PLAIN);
    const shares: number[] = [];
    const onProgress = (share: number) => shares.push(share);
    simulateSearches(counting(registry, mirrored(registry, 80)).ask({ ...ENDLESS, onProgress }, [800]));
    expect(shares.length).toBeGreaterThanOrEqual(6);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.at(-1)).toBeGreaterThan(0.5);
  });
});

function mirrored(registry: Registry, enough: number): MemoryMirror {
  return discover(registry, { mostCalls: 5_000, enough }).mirror;
}

/** Counts how often the simulations call the planner. */
function counting(registry: Registry, mirror: MemoryMirror) {
  const dialect = dialectOf(registry.settings);
  let [calls, found] = [0, 0];
  const openCounted = (knowledge: Knowledge) => {
    const planner = openOver(registry, knowledge, mirror.nowMs);
    return {
      ...{ next: planner.next.bind(planner), release: planner.release.bind(planner) },
      learn: (result: LoadResult) => {
        calls++;
        found += result.rows.filter(({ isNew }) => isNew).length;
        planner.learn(result);
      },
    };
  };
  const nothing = new MemoryMirror(START_MS);
  return {
    calls: () => calls,
    found: () => found,
    ask: (budget: Budget, totals: readonly number[]) => ({
      ...{ knowledge: mirror, nothing, dialect, openPlanner: openCounted, totals, budget },
      nowMs: mirror.nowMs,
    }),
  };
}

function priced(registry: Registry, mirror: MemoryMirror, budget: Budget) {
  return estimateSync({
    ...{ knowledge: mirror, nothing: new MemoryMirror(START_MS), dialect: dialectOf(registry.settings) },
    ...{ recordsDue: 0, isStatsDue: false, isSearchNext: true, budget, nowMs: mirror.nowMs },
    openPlanner: (knowledge) => openOver(registry, knowledge, mirror.nowMs),
  });
}

function openOver(registry: Registry, knowledge: Knowledge, startedAtMs: number) {
  const ageMs = 1e12;
  return openSyncPlanner({
    knowledge,
    dialect: dialectOf(registry.settings),
    settings: {
      ...{ startedAtMs, focus: 'coverage', kinds: new Set<CallKind>(['search']), scope: { of: 'whole' } },
      maxAge: { statsMs: ageMs, summariesMs: ageMs, recordsMs: ageMs },
    },
  });
}
