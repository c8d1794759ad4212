import { describe, expect, test } from 'vitest';
import type { Call, CallKind } from '../../../src/call.ts';
import { type EstimateState, FIRST_ESTIMATES } from '../../../src/change_rate/change_estimates.ts';
import {
  classWeights,
  FIRST_CLASS,
  RATE_CLASSES,
  rateOfClass,
} from '../../../src/change_rate/change_rate.ts';
import { Dialect } from '../../../src/dialect/dialect.ts';
import { CallValuation } from '../../../src/plan/refresh/call_valuation.ts';
import { listingYield } from '../../../src/plan/refresh/fetch_yield.ts';
import { openSyncPlanner } from '../../../src/plan/sync_planner.ts';
import type { Focus, Planner } from '../../../src/planner.ts';
import { answer, MemoryMirror } from '../../support/simulation/memory_knowledge.ts';
import { PLAIN, Registry } from '../../support/simulation/registry.ts';
import { syntheticCompanies } from '../../support/simulation/synthetic_registries.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;

test('with the focus `coverage`, searches that find companies precede record calls', () => {
  const { kinds } = firstCalls('coverage', 12);
  expect(kinds.slice(0, 8)).toEqual(Array.from({ length: 8 }, () => 'search'));
});

test('with the focus `records`, the records of known companies are fetched before the next search', () => {
  const { kinds, known } = firstCalls('records', 12);
  expect(kinds[0]).toBe('search');
  expect(kinds.slice(1)).toEqual(Array.from({ length: 11 }, () => 'entity'));
  expect(known).toBe(20);
});

test('with the focus `balanced`, a search precedes a record only if it is expected to find more companies', () => {
  const { calls } = firstCalls('balanced', 400);
  const kinds = calls.map(({ kind }) => kind);
  expect(kinds.lastIndexOf('search')).toBeGreaterThan(50);
  expect(calls.filter(({ kind, expected }) => kind === 'search' && expected < 1)).toEqual([]);
  expect(kinds).toContain('entity');
});

test("false flags lower only the flagged records' value and expected yield", () => {
  const flagged = { why: 'flagged', rateClass: FIRST_CLASS, ageDays: 10 } as const;
  const stale = { ...flagged, why: 'stale' } as const;
  const mirror = new MemoryMirror(NOW_MS);
  const valuation = new CallValuation(mirror, 'freshness');
  const before = { flagged: valuation.record(flagged), stale: valuation.record(stale) };
  // 20 of 36 flags were false: (36 − 20 + 4) ⁄ (36 + 4) = ½.
  mirror.changeEstimates = () => ({ ...FIRST_ESTIMATES, flagsFetched: 36, flagsFalse: 20 });
  valuation.refreshEstimates();
  expect(before.flagged.repairs).toBe(1);
  expect(valuation.record(flagged)).toEqual({ days: before.flagged.days / 2, repairs: 0.5 });
  expect(valuation.record(stale)).toEqual(before.stale);
});

function firstCalls(focus: Focus, count: number) {
  const registry = new Registry(syntheticCompanies(2000), PLAIN);
  const mirror = new MemoryMirror(NOW_MS);
  const planner = openOver(mirror, focus);
  const calls: Call[] = [];
  while (calls.length < count) {
    const [call] = planner.next(ask()).calls;
    if (call === undefined) break;
    calls.push(call);
    planner.learn(answer(mirror, registry, call, NOW_MS));
  }
  return { calls, kinds: calls.map(({ kind }) => kind), known: mirror.knownCount() };
}

function ask() {
  return { nowMs: NOW_MS, left: { calls: Number.POSITIVE_INFINITY, lifetimeLimit: null }, most: 1 };
}

function openOver(mirror: MemoryMirror, focus: Focus): Planner {
  return openSyncPlanner({
    knowledge: mirror,
    dialect: Dialect.parse({
      search: {
        query_param: 'q',
        paging: { style: 'page', param: 'page', size: PLAIN.pageSize, window: null },
        results: '/results',
        id: '/id',
        matches: PLAIN.semantics,
        total: '/total',
      },
      entity: { id: '/id' },
      stats: { total: '/total' },
    }),
    settings: {
      startedAtMs: mirror.nowMs,
      maxAge: { statsMs: 7 * DAY_MS, summariesMs: 30 * DAY_MS, recordsMs: 90 * DAY_MS },
      focus,
      kinds: new Set<CallKind>(['search', 'entity']),
      scope: { of: 'whole' },
    },
  });
}

test("a flagged record's value is the expected number of days until its next change", () => {
  const mirror = new MemoryMirror(NOW_MS);
  mirror.changeEstimates = () => ({ ...FIRST_ESTIMATES, prior: { ...FIRST_ESTIMATES.prior, shape: 3 } });
  const { days } = new CallValuation(mirror, 'freshness').record({
    ...{ why: 'flagged', rateClass: -9, ageDays: 10 },
  });
  // E[1/λ] for a Gamma distribution with shape 5 and mean 1/8.
  expect(days).toBeCloseTo((5 / 4) * 8, 9);
});

describe("a listing's value", () => {
  const SHOWS_NOTHING = { listedExpected: 1e9, listedShown: 0, fetchedExpected: 1e9, fetchedHidden: 1e9 };
  const HALF_SHOWN = { listedExpected: 1e9, listedShown: 5e8, fetchedExpected: 1e9, fetchedHidden: 5e8 };

  /** There are 100 companies. Half of them change at the rate of class −9 (1/8 per day). */
  function valuationOf(changes: Partial<EstimateState> = {}) {
    const mirror = new MemoryMirror(NOW_MS);
    for (let id = 0; id < 100; id++) mirror.add({ id: String(id), name: null });
    mirror.rateClasses = () => new Map([[-9, 50]]);
    mirror.changeEstimates = () => ({ ...FIRST_ESTIMATES, ...changes });
    return { mirror, valuation: new CallValuation(mirror, 'freshness') };
  }

  test("a listing's value counts the companies that it is expected to flag", () => {
    const { valuation } = valuationOf({ signal: [HALF_SHOWN] });
    // If λ has a Gamma distribution with shape 2 and mean 1/8, the listing flags a share of 1 − (1 + vλτ/2)^(−2).
    for (const days of [1, 10, 100])
      expect(valuation.flags(days)).toBeCloseTo(0.5 * (1 - (1 + (0.5 * days) / 8 / 2) ** -2), 3);
    expect(valuation.flags(0)).toBe(0);
  });

  test("a listing's value is the mean listing yield over all rate classes", () => {
    const { valuation } = valuationOf({ signal: [HALF_SHOWN] });
    valuation.chosen(2);
    const weights = classWeights({ shape: 2, meanPerDay: rateOfClass(-9) });
    const sinceDays = Math.exp(48 / 16);
    let expected = 0;
    for (const [at, rateClass] of RATE_CLASSES.entries())
      expected +=
        0.5 *
        (weights[at] ?? 0) *
        listingYield({
          ...{ ratePerDay: rateOfClass(rateClass), shown: 0.5, sinceDays },
          callCostDays: 2,
        });
    expect(valuation.listing(sinceDays)).toBeCloseTo(expected, 6);
  });

  test("a listing's value falls as calls become more valuable, at the first call fully and then slowly", () => {
    const after = (...days: number[]) => {
      const { valuation } = valuationOf();
      const before = valuation.listing(20);
      for (const one of days) valuation.chosen(one);
      return valuation.listing(20) / before;
    };
    expect(after(4)).toBeLessThan(0.9);
    expect(after(0, Number.POSITIVE_INFINITY)).toBe(1);
    // 4 · (1 + 0.02 · 0.1) after each more valuable call, 4 · (1 − 0.02 · 0.9) after each less valuable one.
    expect(after(4, ...Array(200).fill(100))).toBeCloseTo(after(4 * 1.002 ** 200), 2);
    expect(after(4, ...Array(30).fill(0.1))).toBeCloseTo(after(4 * 0.982 ** 30), 2);
  });

  test("a listing's value changes with new estimates and new rate classes", () => {
    const { mirror, valuation } = valuationOf();
    const first = valuation.listing(20);
    mirror.changeEstimates = () => ({ ...FIRST_ESTIMATES, signal: [HALF_SHOWN], lessons: 40 });
    mirror.rateClasses = () => new Map([[-9, 100]]);
    expect(valuation.listing(20)).toBe(first);
    mirror.changeEstimates = () => ({ ...FIRST_ESTIMATES, lessons: 49 });
    valuation.refreshEstimates();
    expect([valuation.listing(20), valuation.listing(200) > first]).toEqual([first, true]);
    // The shares are read again after 50 more observations.
    mirror.changeEstimates = () => ({ ...FIRST_ESTIMATES, lessons: 50 });
    valuation.refreshEstimates();
    valuation.flags(20);
    expect(valuation.listing(20)).toBeCloseTo(2 * first, 9);
    mirror.changeEstimates = () => ({ ...FIRST_ESTIMATES, signal: [SHOWS_NOTHING], lessons: 50 });
    valuation.refreshEstimates();
    expect(valuation.listing(20)).toBeLessThan(first / 100);
  });
});

test.each([
  ['balanced', 1, 1],
  ['coverage', 20, 1],
  ['records', 0.2, 4],
  ['freshness', 0.0125, 0.25],
] as const)(
  'the focus %s determines how new companies and new records are valued',
  (focus, company, record) => {
    const valuation = new CallValuation(new MemoryMirror(NOW_MS), focus);
    const averageDays = 2 ** (26 / 3);
    expect(valuation.companies(3)).toBeCloseTo(3 * company * averageDays, 6);
    const unfetched = { why: 'never_fetched', rateClass: FIRST_CLASS, ageDays: 0 } as const;
    expect(valuation.record(unfetched).days).toBeCloseTo(record * averageDays, 6);
  },
);
