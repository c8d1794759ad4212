import { describe, expect, it, test } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import {
  estimateSync,
  nextSearches,
  type SyncEstimate,
  type SyncEstimateInput,
} from '../../src/estimate/sync_estimate.ts';
import { Discovery } from '../../src/plan/discovery/discovery.ts';
import { Pending } from '../../src/plan/pending.ts';
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
      expect((total.high ?? Infinity) / total.low).toBeLessThanOrEqual(2.3);
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

test('the cost estimate counts the pages of the only listing after the registry count has changed', () => {
  const registry = registryOf({ minLength: 0 });
  const { mirror } = discover(registry, { mostCalls: 5_000, enough: SIZE });
  mirror.nowMs += 8 * DAY_MS;
  mirror.loadStats({ kind: 'stats', reason: '', expected: 0 }, SIZE + 10, mirror.nowMs);
  const { dialect } = estimateInput(registry, mirror);
  const withoutQueries = { ...dialect, search: { ...dialect.search, query_param: null } };
  const { search } = estimateOf(registry, mirror, { dialect: withoutQueries, searches: [] });
  expect(search.low).toBe(Math.ceil(SIZE / PLAIN.pageSize));
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

  it('the next run finds at most the missing companies', () => {
    const { companies } = estimateOf(registry, mirror, { left: 200 }).nextRun;
    expect(companies.high).toBeLessThanOrEqual(SIZE - mirror.knownCount());
  });

  it.each([
    { focus: 'balanced', worthOne: 1 },
    { focus: 'coverage', worthOne: 1 / 20 },
    { focus: 'records', worthOne: 20 },
  ] as const)('under $focus, due records come before searches for less than $worthOne companies', (one) => {
    const { searches } = estimateInput(registry, mirror);
    const nextRunWith = (expected: number) => {
      const planned = searches.map((search) => ({ ...search, expected }));
      const ask = { left: 200, recordsDue: 500, focus: one.focus, searches: planned };
      return estimateOf(registry, mirror, ask).nextRun;
    };
    expect(nextRunWith(0.9 * one.worthOne)).toMatchObject({
      searches: { low: 0, high: 0 },
      records: { low: 200, high: 200 },
      companies: { low: 0, high: 0 },
    });
    expect(nextRunWith(1.1 * one.worthOne).searches.high).toBeGreaterThan(0);
  });

  it('without a registry count, due records are certain and searches are not', () => {
    const uncounted = registryOf({ semantics: 'prefix' });
    const begun = discover(uncounted, { mostCalls: 1_000, enough: SIZE / 10, isCounted: false }).mirror;
    const ask = { left: 60, recordsDue: 60, focus: 'balanced' as const };
    const { calls, searches, companies } = estimateOf(uncounted, begun, ask).nextRun;
    expect(calls).toEqual({ low: 60, high: 60 });
    expect(searches.high).toBe(60);
    expect(companies.high).toBeNull();
    const { records } = estimateOf(uncounted, begun, { ...ask, searches: [] }).nextRun;
    expect(records).toEqual({ low: 60, high: 60 });
  });

  it('the planned searches include those that split an identifier prefix', () => {
    const window = 2 * PLAIN.pageSize;
    const searchesWith = (identifiers: 'prefix' | 'none') => {
      const split = registryOf({ identifiers, semantics: 'token', window });
      const begun = discover(split, { mostCalls: 2, enough: SIZE }).mirror;
      return estimateInput(split, begun).searches.map(({ calls }) => calls);
    };
    expect(Math.max(...searchesWith('none'))).toBeLessThanOrEqual(2);
    expect(Math.max(...searchesWith('prefix'))).toBeGreaterThan(10);
  });

  it('a run without a limit sends every due call', () => {
    const { nextRun, search, total } = estimateOf(registry, mirror, { recordsDue: 500 });
    expect(nextRun.calls).toEqual(total);
    expect(nextRun.searches).toEqual({ low: 0, high: search.high });
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
  return estimateSync({ ...estimateInput(registry, mirror), ...changed });
}

function estimateInput(registry: Registry, mirror: MemoryMirror): SyncEstimateInput {
  const plain = dialectOf(registry.settings);
  // The simulated registry has separate parameters for names and identifiers.
  const dialect = { ...plain, search: { ...plain.search, identifier_param: 'id' } };
  const { nowMs } = mirror;
  const planned = { knowledge: mirror, dialect, pending: new Pending([]), startedAtMs: nowMs };
  return {
    knowledge: mirror,
    dialect,
    recordsDue: 0,
    nowMs,
    isStatsDue: false,
    searches: nextSearches(new Discovery(planned), nowMs),
    listingsBeforeMs: 0,
    focus: 'coverage',
    left: Infinity,
    priceDays: 0,
  };
}
