import { expect, test } from 'vitest';
import type { Call, CallKind } from '../../src/call.ts';
import { HOUR_MS } from '../../src/durations.ts';
import { type LoadResult, noChange } from '../../src/load_result.ts';
import type { Guard, Source } from '../../src/plan/candidate.ts';
import { Pending } from '../../src/plan/pending.ts';
import { RankedPlanner } from '../../src/plan/ranked_planner.ts';
import { searchFor } from '../support/dialect.ts';

const RECORD: Call = { kind: 'entity', entityId: '1', reason: 'due', expected: 1 };
const SEARCH: Call = searchFor('acme');

/** A source with one call. */
function sourceOf(
  call: Call,
  value: number,
  findsCompanies = false,
): Source & { readonly learned: LoadResult[] } {
  let open: Call | null = call;
  const learned: LoadResult[] = [];
  return {
    findsCompanies,
    learned,
    best: () => {
      const planned = () => {
        open = null;
      };
      return open === null ? null : { call, value, planned };
    },
    learn: (result) => void learned.push(result),
    release: () => {
      open = call;
    },
  };
}

function plannerOf(sources: readonly Source[], guards: readonly Guard[] = [], known = 10) {
  const kinds: ReadonlySet<CallKind> = new Set(['search', 'entity']);
  const pending = new Pending([]);
  return new RankedPlanner({ sources, guards, pending, kinds, knownCount: () => known });
}

const askAt = (nowMs: number, calls = 100, most = 9) => ({
  nowMs,
  left: { calls, lifetimeLimit: null },
  most,
});

/** Permits no search between 9:00 and 17:00 UTC. */
const QUIET_DAYS: Guard = {
  allowedFromMs: ({ call: { kind } }, { nowMs }) => {
    const midnightMs = nowMs - (nowMs % (24 * HOUR_MS));
    const isQuiet = nowMs >= midnightMs + 9 * HOUR_MS && nowMs < midnightMs + 17 * HOUR_MS;
    return kind === 'search' && isQuiet ? midnightMs + 17 * HOUR_MS : nowMs;
  },
};

test('the planner takes calls by their value, and the first source wins if values are equal', () => {
  const other: Call = { ...RECORD, entityId: '2' };
  const sources = [sourceOf(RECORD, 2), sourceOf(other, 3), sourceOf(SEARCH, 2)];
  expect(plannerOf(sources).next(askAt(0)).calls).toEqual([other, RECORD, SEARCH]);
});

test('a guard postpones searches to the end of the quiet hours', () => {
  const planner = plannerOf([sourceOf(SEARCH, 5), sourceOf(RECORD, 1)], [QUIET_DAYS]);
  expect(planner.next(askAt(10 * HOUR_MS))).toMatchObject({ calls: [RECORD], wakeAtMs: null });
  expect(planner.next(askAt(11 * HOUR_MS))).toMatchObject({ calls: [], wakeAtMs: 17 * HOUR_MS });
  expect(planner.next(askAt(17 * HOUR_MS)).calls).toEqual([SEARCH]);
});

test('a record call waits for a more valuable search in flight if the quota is scarce', () => {
  const callsWith = (quota: number) => {
    const planner = plannerOf([sourceOf(SEARCH, 5, true), sourceOf(RECORD, 1)]);
    return planner.next(askAt(0, quota)).calls;
  };
  expect(callsWith(9)).toEqual([SEARCH]);
  expect(callsWith(10)).toEqual([SEARCH, RECORD]);
});

test("a guard's own call teaches the sources only if it succeeds, and the replaced call is planned again", () => {
  const source = sourceOf(SEARCH, 5);
  const control = searchFor('qzx');
  let isDoubted = true;
  const planner = plannerOf([source], [{ instead: (call) => (isDoubted ? control : call) }]);
  expect(planner.next(askAt(0, 1)).calls).toEqual([control]);
  planner.learn(noChange({ call: control, verdict: { is: 'refused' } }));
  expect(source.learned).toEqual([]);
  isDoubted = false;
  expect(planner.next(askAt(0)).calls).toEqual([SEARCH]);
  planner.learn(noChange({ call: SEARCH, verdict: { is: 'ok' } }));
  expect(source.learned.map(({ call }) => call)).toEqual([SEARCH]);
});
