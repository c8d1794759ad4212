import { expect, test } from 'vitest';
import type { Call, CallKind } from '../../../src/call.ts';
import { FIRST_ESTIMATES } from '../../../src/change_rate/change_estimates.ts';
import { FIRST_CLASS } from '../../../src/change_rate/change_rate.ts';
import { Dialect } from '../../../src/dialect/dialect.ts';
import { CallValuation } from '../../../src/plan/refresh/call_valuation.ts';
import { openSyncPlanner } from '../../../src/plan/sync_planner.ts';
import type { Focus, Planner } from '../../../src/planner.ts';
import { answer, MemoryMirror } from '../../support/simulation/memory_knowledge.ts';
import { PLAIN, Registry } from '../../support/simulation/registry.ts';
import { syntheticCompanies } from '../../support/simulation/synthetic_registries.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;

test('with the focus `coverage`, searches that find companies come before record calls', () => {
  const { kinds } = firstCalls('coverage', 12);
  expect(kinds.slice(0, 8)).toEqual(Array.from({ length: 8 }, () => 'search'));
});

test('with the focus `records`, the companies found are fetched before the next search', () => {
  const { kinds, known } = firstCalls('records', 12);
  expect(kinds[0]).toBe('search');
  expect(kinds.slice(1)).toEqual(Array.from({ length: 11 }, () => 'entity'));
  expect(known).toBe(20);
});

test('each call has a reason and an expected yield', () => {
  const { calls } = firstCalls('records', 12);
  expect(calls[0]).toMatchObject({ kind: 'search', reason: expect.stringMatching(/\S/) });
  expect(calls[0]?.expected).toBeGreaterThan(0);
  expect(calls[1]).toMatchObject({ kind: 'entity', reason: 'record never fetched', expected: 1 });
});

test('a less valuable call waits and is sent when no call is more valuable', () => {
  const registry = new Registry(syntheticCompanies(100), PLAIN);
  const mirror = new MemoryMirror(NOW_MS);
  const planner = openOver(mirror, 'records');
  for (let calls = 0; calls < 1000; calls++) {
    const [call] = planner.next(ask()).calls;
    if (call === undefined) break;
    planner.learn(answer(mirror, registry, call, NOW_MS));
  }
  expect(mirror.knownCount()).toBe(100);
});

test('false flags lower the value and the expected yield of flagged records, and of no other record', () => {
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
