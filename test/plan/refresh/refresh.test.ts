import { expect, test } from 'vitest';
import type { Call, CallKind, SearchCall } from '../../../src/call.ts';
import { FIRST_ESTIMATES } from '../../../src/change_rate/change_estimates.ts';
import type { DueRecord, QueryState } from '../../../src/knowledge.ts';
import { noChange } from '../../../src/load_result.ts';
import type { Source } from '../../../src/plan/candidate.ts';
import { Pending } from '../../../src/plan/pending.ts';
import { Records } from '../../../src/plan/refresh/records.ts';
import { openRefresh } from '../../../src/plan/refresh/refresh.ts';
import { listed } from '../../support/estimate_knowledge.ts';
import { MemoryMirror } from '../../support/simulation/memory_knowledge.ts';

const DAY_MS = 86_400_000;
const NOW_MS = 400 * DAY_MS;
const ASK = { nowMs: NOW_MS, left: { calls: 100, lifetimeLimit: null }, most: 1 };
const ALL: readonly CallKind[] = ['stats', 'search', 'entity'];

/** A mirror with one listing and one record that has never been fetched. */
function mirrorOf({ record = 'A', listings = [listed('name', 'a', 50)] } = {}): MemoryMirror {
  const mirror = new MemoryMirror(NOW_MS);
  if (record !== '') mirror.add({ id: record, name: 'A' });
  for (const state of listings) mirror.queryStates.set(state.query.text, state);
  return mirror;
}

/** The sources for permitted kinds of call. `take` takes the call with the highest value. */
function refreshOf(mirror: MemoryMirror, kinds = ALL, pending = new Pending([])) {
  const { valuation, records, listings } = openRefresh({
    knowledge: mirror,
    settings: {
      startedAtMs: NOW_MS,
      maxAge: { statsMs: 7 * DAY_MS, summariesMs: 30 * DAY_MS, recordsMs: 90 * DAY_MS },
      focus: 'freshness',
      kinds: new Set(kinds),
    },
    pending,
    hasQueries: true,
  });
  const ranked = () =>
    [...(kinds.includes('entity') ? [records] : []), listings].sort(
      (one, other) => bestYieldOf(other) - bestYieldOf(one),
    );
  const bestYield = () => Math.max(0, ...ranked().map(bestYieldOf));
  const take = () => taken(ranked()[0] as Source, pending);
  return { valuation, records, listings, bestYield, take };
}

/** Plans the source's best call. */
function taken(source: Source, pending: Pending): Call | null {
  const best = source.best(ASK);
  best?.planned?.();
  if (best !== null) pending.sent(best.call);
  return best?.call ?? null;
}

function bestYieldOf(source: Source): number {
  return source.best(ASK)?.value ?? 0;
}

/** Listings have shown none of a million changes. */
function withoutSignal(mirror: MemoryMirror): MemoryMirror {
  const group = { listedExpected: 1e6, listedShown: 0, fetchedExpected: 1e6, fetchedHidden: 1e6 };
  mirror.changeEstimates = () => ({ ...FIRST_ESTIMATES, listings: group });
  return mirror;
}

test('kinds of calls that are not permitted have no value', () => {
  const kinds = (permitted: readonly CallKind[]) => {
    const refresh = refreshOf(mirrorOf(), permitted);
    const taken: string[] = [];
    for (let call = refresh.take(); call !== null; call = refresh.take()) taken.push(call.kind);
    return taken.sort();
  };
  expect(kinds(ALL)).toEqual(['entity', 'search']);
  expect(kinds(['entity'])).toEqual(['entity']);
  expect(kinds(['search'])).toEqual(['search']);
  const none = refreshOf(mirrorOf(), ['stats']);
  expect([none.bestYield(), none.take()]).toEqual([0, null]);
});

test('a due listing is repeated at the end, even if listings show no changes', () => {
  const refresh = refreshOf(withoutSignal(mirrorOf()));
  expect(refresh.take()).toMatchObject({ kind: 'entity', reason: 'record never fetched' });
  expect(refresh.bestYield()).toBeGreaterThan(0);
  const sweep = refresh.take() as SearchCall;
  expect(sweep).toMatchObject({ kind: 'search', reason: 'summaries are due again' });
  expect(refresh.listings.isSweep(sweep)).toBe(true);
  expect(refresh.listings.isSweep({ ...sweep, query: { by: 'name', text: 'b' } })).toBe(false);
  expect(refresh.bestYield()).toBe(0);
});

test("a sweep's expected yield is its rows times the share of companies that it should flag", () => {
  const mirror = mirrorOf({ record: '' });
  for (let id = 0; id < 50; id++) mirror.add({ id: String(id), name: null });
  mirror.rateClasses = () => new Map([[-18, 50]]);
  const refresh = refreshOf(mirror, ['search']);
  const { expected } = refresh.take() as SearchCall;
  expect(expected).toBe(Math.round(50_000 * refresh.valuation.flags(400)) / 1000);
  expect(expected).toBeGreaterThan(1);
});

test("the time without a listing is estimated as half of the oldest listing's age", () => {
  const old: QueryState = { ...listed('name', 'a', 50), listedAtMs: NOW_MS - 40 * DAY_MS };
  const refresh = refreshOf(mirrorOf({ listings: [old] }));
  expect(refresh.valuation.openDays).toBe(Number.POSITIVE_INFINITY);
  refresh.take();
  expect(refresh.valuation.openDays).toBe(20);
});

/** A record planner for a warehouse in which one record is due. */
function recordsOf(due: DueRecord | null) {
  const mirror = new MemoryMirror(NOW_MS);
  for (const id of ['A', 'B', 'C', 'D']) mirror.add({ id, name: null });
  mirror.recordsDue = ({ except }) => (due === null || except.has(due.entityId) ? [] : [due]);
  const pending = new Pending([]);
  const age = { startedAtMs: NOW_MS, maxAgeMs: DAY_MS };
  const records = new Records({ knowledge: mirror, age, pending });
  const learn = (call: Call, missing = false) => {
    pending.landed(call);
    records.learn({ ...noChange({ call, verdict: { is: missing ? 'absent' : 'ok' } }), missing });
  };
  return { mirror, records, learn, take: () => taken(records, pending) };
}

test.each([
  ['never_fetched', 'record never fetched'],
  ['flagged', 'summary changed since the record was fetched'],
  ['stale', 'record is due again'],
  ['missing', 'returned 404: check again'],
  ['wanted', 'wanted by a backfill'],
] as const)('a record that is due because it is %s has a reason and an expected yield', (why, reason) => {
  const { records, take } = recordsOf({ entityId: 'A', why, expectedYield: { days: 3, repairs: 0.123456 } });
  expect(bestYieldOf(records)).toBe(3);
  expect(take()).toEqual({ kind: 'entity', entityId: 'A', reason, expected: 0.123 });
  expect(take()).toBeNull();
});

test('due records without a value are fetched last', () => {
  const worthless = { entityId: 'A', why: 'stale', expectedYield: { days: 0, repairs: 0 } } as const;
  expect(bestYieldOf(recordsOf(worthless).records)).toBe(Number.MIN_VALUE);
  const unrated = recordsOf({ entityId: 'A', why: 'stale' });
  expect(bestYieldOf(unrated.records)).toBe(1);
  expect(unrated.take()).toMatchObject({ expected: 1 });
  expect(bestYieldOf(recordsOf(null).records)).toBe(0);
});

test('calls that prove a deletion precede every other call', () => {
  const { mirror, records, learn, take } = recordsOf({ entityId: 'A', why: 'stale' });
  mirror.needsControl = true;
  expect(bestYieldOf(records)).toBe(Number.POSITIVE_INFINITY);
  const control = take() as Call;
  expect(control).toMatchObject({ reason: 'control: response for an unknown id' });
  mirror.needsControl = false;
  learn(control);
  for (const entityId of ['B', 'C', 'D']) learn({ ...control, entityId } as Call, true);
  expect(bestYieldOf(records)).toBe(Number.POSITIVE_INFINITY);
  const witness = take() as Call;
  expect(witness).toMatchObject({ reason: 'witness: do record calls still work?' });
  // No other record is fetched until the witness's record is returned.
  expect([bestYieldOf(records), take()]).toEqual([0, null]);
  for (let next: Call | null = witness; next !== null; next = take()) learn(next, true);
  expect(records.drift).toMatch(/404/);
  expect([bestYieldOf(records), take()]).toEqual([0, null]);
});

test('the last witness call is sent only if a known company is missing and no record call is in flight', () => {
  const { records, learn, take } = recordsOf(null);
  const call = { kind: 'entity', entityId: 'B', reason: 'test', expected: 1 } as const;
  expect(take()).toBeNull();
  learn(call, true);
  const witness = take();
  expect(witness).toMatchObject({ reason: 'witness: do record calls still work?' });
  expect(take()).toBeNull();
  records.release(witness as Call);
  // The call has been released, but another call for its target is not yet permitted.
  expect(take()).toBeNull();
});
