import { describe, expect, it } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import type { CallKind } from '../../src/call.ts';
import { estimateSync, type SyncEstimate } from '../../src/estimate/sync_estimate.ts';
import type { Knowledge } from '../../src/knowledge.ts';
import { openSyncPlanner } from '../../src/plan/sync_planner.ts';
import { dialectOf, discover, START_MS } from '../support/simulation/discover.ts';
import { MemoryMirror } from '../support/simulation/memory_knowledge.ts';
import { PLAIN, Registry, type RegistrySettings } from '../support/simulation/registry.ts';

const SIZE = 800;
const DAY_MS = 86_400_000;

describe('the cost estimate of a whole registry', () => {
  const shapes: Partial<RegistrySettings>[] = [
    { identifiers: 'prefix', window: 40 },
    { semantics: 'token_prefix' },
    { semantics: 'prefix', window: 60 },
  ];

  it.each(shapes)(
    "the cost estimate's range contains the actual number of calls when a tenth is listed: %j",
    (profile) => {
      const registry = registryOf(profile);
      const { mirror } = discover(registry, { mostCalls: 1_000, enough: SIZE / 10 });
      const price = priceOf(registry, mirror);
      const known = mirror.knownCount();
      const { calls } = discover(registry, { mostCalls: 5_000, enough: SIZE, mirror });
      const truth = calls.length + mirror.knownCount() - known;
      expect(price.total.low).toBeLessThanOrEqual(truth);
      expect(price.total.high).toBeGreaterThanOrEqual(truth);
      expect((price.total.high ?? Infinity) / price.total.low).toBeLessThanOrEqual(1.5);
    },
  );

  it('the cost estimate is the number of remaining pages if the empty query lists every company', () => {
    const registry = registryOf({ minLength: 0, semantics: 'token' });
    const { mirror } = discover(registry, { mostCalls: 1_000, enough: SIZE / 10 });
    const { total } = priceOf(registry, mirror);
    const known = mirror.knownCount();
    const truth = (SIZE - known) / PLAIN.pageSize + SIZE - known;
    expect(total.low).toBeLessThanOrEqual(truth);
    expect(total.high).toBeGreaterThanOrEqual(truth);
    expect((total.high ?? Infinity) / total.low).toBeLessThanOrEqual(1.5);
  });

  it('the cost estimate counts records that are already due', () => {
    const registry = registryOf({}, 300);
    const { mirror } = discover(registry, { mostCalls: 1_000, enough: 30 });
    const [without, due] = [priceOf(registry, mirror), priceOf(registry, mirror, 500)];
    expect(due.entity.low - without.entity.low).toBe(500);
    // Without widening, the 500 certain calls would make the total's range too narrow.
    expect(due.total.low - without.total.low).toBeGreaterThan(400);
    expect(due.total.low - without.total.low).toBeLessThanOrEqual(500);
  });

  it("the cost estimate's range is no wider than the ranges for each kind of call added together", () => {
    const registry = registryOf({ identifiers: 'prefix' });
    const { mirror } = discover(registry, { mostCalls: 1_000, enough: SIZE / 2 });
    const { total, stats, search, entity } = priceOf(registry, mirror);
    expect(total.low).toBeGreaterThanOrEqual(stats.low + search.low + entity.low);
    expect(total.high).toBeLessThanOrEqual((stats.high ?? 0) + (search.high ?? 0) + (entity.high ?? 0));
  });

  it('the cost estimate is zero once every company is listed', () => {
    const registry = registryOf({});
    const { mirror } = discover(registry, { mostCalls: 5_000, enough: SIZE });
    expect(priceOf(registry, mirror).total).toEqual({ low: 0, high: 0 });
  });

  it("the cost estimate has no upper end if the registry's size is unknown", () => {
    const registry = registryOf({ totals: 'none' });
    const { mirror } = discover(registry, { mostCalls: 1_000, enough: SIZE / 10 });
    mirror.stats = { observedAtMs: START_MS, total: null };
    const { size, total } = priceOf(registry, mirror);
    expect(size.by).toBe('nothing');
    expect(total.high).toBeNull();
    expect(total.low).toBeGreaterThan(0);
  });
});

function registryOf(profile: Partial<RegistrySettings>, companies = SIZE): Registry {
  return new Registry([...generateRegistry({ companies, seed: 50 })], { ...PLAIN, ...profile });
}

function priceOf(registry: Registry, mirror: MemoryMirror, recordsDue = 0): SyncEstimate {
  const plain = dialectOf(registry.settings);
  // The simulated registry has separate parameters for names and identifiers.
  const dialect = { ...plain, search: { ...plain.search, identifier_param: 'id' } };
  const settings = {
    startedAtMs: mirror.nowMs,
    maxAge: { statsMs: 7 * DAY_MS, summariesMs: 3_000 * DAY_MS, recordsMs: 9_000 * DAY_MS },
    focus: 'coverage' as const,
    kinds: new Set<CallKind>(['search']),
    scope: { of: 'whole' as const },
  };
  return estimateSync({
    ...{ knowledge: mirror, nothing: new MemoryMirror(START_MS), dialect, recordsDue, nowMs: mirror.nowMs },
    openPlanner: (knowledge: Knowledge) => openSyncPlanner({ knowledge, dialect, settings }),
    ...{ isStatsDue: false, isSearchNext: null, budget: { searches: 12_000, usedShare: () => 0 } },
  });
}
