import { expect, test } from 'vitest';
import type { QueryState } from '../../../src/knowledge.ts';
import { ReportedCounts } from '../../../src/plan/discovery/reported_counts.ts';
import { searchDialect } from '../../support/dialect.ts';
import { listed } from '../../support/estimate_knowledge.ts';
import { MemoryMirror } from '../../support/simulation/memory_knowledge.ts';

const STARTED_AT_MS = 1000;

interface Given {
  readonly minLength?: number;
  readonly clampedAt?: number;
  readonly stats?: { readonly observedAtMs: number; readonly total: number | null };
  readonly all?: QueryState;
}

function countsOf({ minLength = 0, clampedAt, stats, all }: Given): ReportedCounts {
  const mirror = new MemoryMirror();
  if (stats !== undefined)
    mirror.loadStats({ kind: 'stats', reason: 'test', expected: 0 }, stats.total, stats.observedAtMs);
  if (all !== undefined) mirror.queryStates.set('', all);
  const dialect = searchDialect({
    min_length: minLength,
    ...(clampedAt === undefined ? {} : { total_clamped_at: clampedAt }),
  });
  return new ReportedCounts({ knowledge: mirror, dialect, startedAtMs: STARTED_AT_MS });
}

const ALL = { ...listed('name', '', 123), listedAtMs: 700 };

test('the registry count comes from the statistics', () => {
  const counts = countsOf({ stats: { observedAtMs: 500, total: 140 }, all: ALL });
  const count = counts.registryCount();
  expect(count).toMatchObject({ total: 140, observedAtMs: 500 });
  expect([count.countAt(499), count.countAt(500)]).toEqual([140, 140]);
});

test('the registry count comes from listing every company if the statistics report fewer', () => {
  const counts = countsOf({ stats: { observedAtMs: 900, total: 100 }, all: ALL });
  expect(counts.registryCount()).toMatchObject({ total: 123, observedAtMs: 700 });
});

test('without statistics, the registry count comes from listing every company', () => {
  for (const given of [{ all: ALL }, { all: ALL, stats: { observedAtMs: 500, total: null } }]) {
    const count = countsOf(given).registryCount();
    expect(count).toMatchObject({ total: 123, observedAtMs: 700 });
    expect(count.countAt(900)).toBeNull();
  }
});

test('a round total for the listing of every company is not used as the registry count', () => {
  const round = { ...ALL, total: 10_000, status: 'open' } as const;
  expect(countsOf({ all: round }).registryCount()).toMatchObject({ total: null, observedAtMs: 0 });
  expect(countsOf({}).registryCount()).toMatchObject({ total: null, observedAtMs: 0 });
});

test('a registry count received during a run is dated at the start of the run', () => {
  expect(countsOf({ stats: { observedAtMs: 1500, total: 140 } }).registryCount().observedAtMs).toBe(1000);
});

test('listing every company counts as open until the listing ends', () => {
  const counts = countsOf({});
  expect([counts.listsAll, counts.isListingOfAllOpen]).toEqual([true, true]);
  counts.recordResponse({ ...ALL, query: { by: 'name', text: 'a' } });
  expect(counts.isListingOfAllOpen).toBe(true);
  counts.recordResponse({ ...ALL, status: 'open' });
  expect(counts.isListingOfAllOpen).toBe(true);
  counts.recordResponse(ALL);
  expect(counts.isListingOfAllOpen).toBe(false);
  expect(counts.registryCount().total).toBe(123);
});

test('if the upstream refuses the empty query, no query lists every company', () => {
  const counts = countsOf({ minLength: 1, all: ALL });
  counts.recordResponse(ALL);
  expect([counts.listsAll, counts.isListingOfAllOpen]).toEqual([false, false]);
  expect(counts.registryCount().total).toBeNull();
});

test("a query's total is usable if it is below the highest total that the upstream reports", () => {
  const totalOf = (total: number | null, clampedAt?: number) =>
    countsOf(clampedAt === undefined ? {} : { clampedAt }).withUsableTotal({ ...ALL, total }).total;
  expect([totalOf(99, 100), totalOf(100, 100), totalOf(null, 100), totalOf(1e9)]).toEqual([
    99,
    null,
    null,
    1e9,
  ]);
  const { listedAtMs, rows } = countsOf({}).withUsableTotal({ ...ALL, listedAtMs: 2000 });
  expect([listedAtMs, rows]).toEqual([1000, 123]);
});

test("a query's total is not usable if the listing goes on after as many rows", () => {
  const usable = (status: 'open' | 'complete') =>
    countsOf({}).withUsableTotal({ ...ALL, status, total: 100, rows: 100 }).total;
  expect([usable('open'), usable('complete')]).toEqual([null, 100]);
});
