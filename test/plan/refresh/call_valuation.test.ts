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

test('with the focus `coverage`, searches that find companies precede record calls', () => {
  const { kinds } = firstCalls('coverage', 12);
  expect(kinds.slice(0, 8)).toEqual(Array.from({ length: 8 }, () => 'search'));
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
  for (let call = 0; call < 64; call++) valuation.finished();
  expect(before.flagged.repairs).toBe(1);
  expect(valuation.record(flagged)).toEqual({ days: before.flagged.days / 2, repairs: 0.5 });
  expect(valuation.record(stale)).toEqual(before.stale);
});

function firstCalls(focus: Focus, count: number, settings = PLAIN) {
  const registry = new Registry(syntheticCompanies(2000), settings);
  const mirror = new MemoryMirror(NOW_MS);
  const planner = openOver(mirror, focus, settings);
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

function openOver(mirror: MemoryMirror, focus: Focus, { pageSize, semantics, identifiers } = PLAIN): Planner {
  return openSyncPlanner({
    knowledge: mirror,
    dialect: Dialect.parse({
      search: {
        query_param: 'q',
        paging: { style: 'page', param: 'page', size: pageSize, window: null },
        results: '/results',
        id: '/id',
        matches: semantics,
        identifiers,
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
    },
  });
}

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
