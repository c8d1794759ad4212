import { describe, expect, it } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import type { CallKind } from '../../src/call.ts';
import { estimateSync, type SyncEstimate, type SyncEstimateInput } from '../../src/estimate/sync_estimate.ts';
import { openSyncPlanner } from '../../src/plan/sync_planner.ts';
import { dialectOf, discover, START_MS } from '../support/simulation/discover.ts';
import type { MemoryMirror } from '../support/simulation/memory_knowledge.ts';
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
      const { total } = estimateOf(registry, mirror);
      const known = mirror.knownCount();
      const { calls } = discover(registry, { mostCalls: 5_000, enough: SIZE, mirror });
      const actual = calls.length + mirror.knownCount() - known;
      expect(total.low).toBeLessThanOrEqual(actual);
      expect(total.high).toBeGreaterThanOrEqual(actual);
      expect((total.high ?? Infinity) / total.low).toBeLessThanOrEqual(1.5);
    },
  );

  it('the cost estimate is the number of remaining pages if the empty query lists every company', () => {
    const registry = registryOf({ minLength: 0, semantics: 'token' });
    const { mirror } = discover(registry, { mostCalls: 1_000, enough: SIZE / 10 });
    const missing = SIZE - mirror.knownCount();
    const { search, entity } = estimateOf(registry, mirror);
    expect(search).toEqual({ low: missing / PLAIN.pageSize, high: missing / PLAIN.pageSize });
    expect(entity).toEqual({ low: missing, high: missing });
  });

  it('the cost estimate counts records that are already due', () => {
    const registry = registryOf({}, 300);
    const { mirror } = discover(registry, { mostCalls: 1_000, enough: 30 });
    const [without, due] = [estimateOf(registry, mirror), estimateOf(registry, mirror, { recordsDue: 500 })];
    expect(due.entity.low - without.entity.low).toBe(500);
    expect(due.total.low - without.total.low).toBeGreaterThan(400);
    expect(due.total.low - without.total.low).toBeLessThanOrEqual(500);
  });

  it("the cost estimate's range is no wider than the ranges for each kind of call added together", () => {
    const registry = registryOf({ identifiers: 'prefix' });
    const { mirror } = discover(registry, { mostCalls: 1_000, enough: SIZE / 2 });
    const { total, stats, search, entity } = estimateOf(registry, mirror);
    expect(total.low).toBeGreaterThanOrEqual(stats.low + search.low + entity.low);
    expect(total.high).toBeLessThanOrEqual((stats.high ?? 0) + (search.high ?? 0) + (entity.high ?? 0));
  });

  it('the cost estimate is zero once every company is listed', () => {
    const registry = registryOf({});
    const { mirror } = discover(registry, { mostCalls: 5_000, enough: SIZE });
    expect(estimateOf(registry, mirror).total).toEqual({ low: 0, high: 0 });
  });

  it("the cost estimate has no upper end if the registry's size is unknown", () => {
    const registry = registryOf({ totals: 'none' });
    const { mirror } = discover(registry, { mostCalls: 1_000, enough: SIZE / 10 });
    mirror.stats = { observedAtMs: START_MS, total: null };
    const { size, total } = estimateOf(registry, mirror);
    expect(size.by).toBe('nothing');
    expect(total.high).toBeNull();
    expect(total.low).toBeGreaterThan(0);
    const { calls, searches, records } = estimateOf(registry, mirror, { left: 1_000 }).nextRun;
    expect(calls.low).toBeGreaterThanOrEqual(searches.low + records.low);
  });

  it('the cost estimate covers searches with and without identifier prefixes until a search has shown which work', () => {
    const registry = registryOf({ semantics: 'token_prefix' });
    const { mirror } = discover(registry, { mostCalls: 1_000, enough: SIZE / 10 });
    const plain = dialectOf(registry.settings);
    const costWith = (identifiers: 'prefix' | 'none' | 'unknown') =>
      estimateOf(registry, mirror, { dialect: { ...plain, search: { ...plain.search, identifiers } } }).total;
    const [prefix, none, unknown] = [costWith('prefix'), costWith('none'), costWith('unknown')];
    expect(prefix.low).toBeLessThan(none.low);
    expect(unknown.low).toBeLessThanOrEqual(prefix.low);
    expect(unknown.high).toBe(none.high);
  });

  it('the cost estimate counts the pages of listings that are due again, and the changes that they show', () => {
    const registry = registryOf({ semantics: 'prefix' });
    const { mirror, calls } = discover(registry, { mostCalls: 5_000, enough: SIZE });
    const nowMs = mirror.nowMs + 60 * DAY_MS;
    const { search, entity } = estimateOf(registry, mirror, { nowMs, listingsBeforeMs: nowMs - 7 * DAY_MS });
    expect(search.low).toBe(search.high);
    expect(search.low).toBeGreaterThanOrEqual(SIZE / PLAIN.pageSize);
    expect(search.low).toBeLessThanOrEqual(calls.length);
    expect(entity.low).toBeGreaterThan(0);
    expect(entity.high).toBeLessThan(SIZE);
  });
});

describe('the estimate of the next run', () => {
  const registry = registryOf({ semantics: 'prefix' });
  const { mirror } = discover(registry, { mostCalls: 1_000, enough: SIZE / 10 });

  it('under coverage, searches come before records', () => {
    const { nextRun } = estimateOf(registry, mirror, { left: 20, recordsDue: 500, focus: 'coverage' });
    expect(nextRun.calls).toEqual({ low: 20, high: 20 });
    expect(nextRun.searches).toEqual({ low: 20, high: 20 });
    expect(nextRun.records).toEqual({ low: 0, high: 0 });
    expect(nextRun.companies.low).toBeGreaterThan(40);
  });

  it('the next run finds at most the missing companies, with as many searches as the best identifier rule needs', () => {
    const plain = dialectOf(registry.settings);
    const nextRunWith = (identifiers: 'prefix' | 'none' | 'unknown') =>
      estimateOf(registry, mirror, {
        left: 200,
        dialect: { ...plain, search: { ...plain.search, identifiers } },
      }).nextRun;
    const [prefix, none, unknown] = [nextRunWith('prefix'), nextRunWith('none'), nextRunWith('unknown')];
    expect(unknown.searches.low).toBe(Math.min(prefix.searches.low, none.searches.low));
    expect(unknown.searches.high).toBe(Math.max(prefix.searches.high ?? 0, none.searches.high ?? 0));
    expect(prefix.searches.low).toBeLessThan(none.searches.low);
    expect(unknown.companies.high).toBeLessThanOrEqual(SIZE - mirror.knownCount());
  });

  it('under records, due records come before searches', () => {
    const { nextRun } = estimateOf(registry, mirror, { left: 200, recordsDue: 500, focus: 'records' });
    expect(nextRun.searches).toEqual({ low: 0, high: 0 });
    expect(nextRun.records).toEqual({ low: 200, high: 200 });
    expect(nextRun.companies).toEqual({ low: 0, high: 0 });
  });

  it('a run without a limit sends every due call', () => {
    const { nextRun, search, total } = estimateOf(registry, mirror, { recordsDue: 500 });
    expect(nextRun.calls).toEqual(total);
    expect(nextRun.searches).toEqual(search);
  });
});

function registryOf(profile: Partial<RegistrySettings>, companies = SIZE): Registry {
  return new Registry([...generateRegistry({ companies, seed: 50 })], { ...PLAIN, ...profile });
}

function estimateOf(
  registry: Registry,
  mirror: MemoryMirror,
  changed: Partial<SyncEstimateInput> = {},
): SyncEstimate {
  const plain = dialectOf(registry.settings);
  // The simulated registry has separate parameters for names and identifiers.
  const dialect = { ...plain, search: { ...plain.search, identifier_param: 'id' } };
  const settings = {
    startedAtMs: mirror.nowMs,
    maxAge: { statsMs: 7 * DAY_MS, summariesMs: 3_000 * DAY_MS, recordsMs: 9_000 * DAY_MS },
    focus: 'coverage' as const,
    kinds: new Set<CallKind>(['search']),
  };
  const left = { calls: Infinity, lifetimeLimit: null };
  const [best] = openSyncPlanner({ knowledge: mirror, dialect, settings }).next({
    ...{ nowMs: mirror.nowMs, left, most: 1 },
  }).calls;
  return estimateSync({
    ...{ knowledge: mirror, dialect, recordsDue: 0, nowMs: mirror.nowMs, isStatsDue: false },
    ...{
      bestSearch: best?.expected ?? null,
      listingsBeforeMs: 0,
      focus: 'coverage',
      left: Infinity,
      priceDays: 0,
    },
    ...changed,
  });
}
