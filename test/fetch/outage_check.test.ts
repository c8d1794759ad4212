import { describe, expect, test } from 'vitest';
import { type Call, targetOf } from '../../src/call.ts';
import { OutageCheck } from '../../src/fetch/outage_check.ts';
import { noChange } from '../../src/load_result.ts';
import type { Outcome, Verdict } from '../../src/outcome.ts';
import { entityOf, STATS, searchFor } from '../support/dialect.ts';

const OK: Verdict = { is: 'refused', why: 'too broad' };
const BROKEN: Verdict = { is: 'broken', why: 'it hung up' };
const MARKUP: Verdict = { is: 'broken', why: 'it is HTML', isWrongAddress: true };

const FAILURE = {
  kind: 'stats',
  target: '',
  tries: 1,
  step: 1,
  nextTryAtMs: Infinity,
  why: 'it hung up',
} as const;
const NOW_MS = Date.parse('2026-03-01T12:00:00Z');

/** An outage check that observes one call at a time, whose clock moves to the end of each wait. */
function checkOf(wrongAddressLimit = Infinity) {
  let nowMs = 1_000_000;
  const check = new OutageCheck(nowMs, wrongAddressLimit);
  const waitsMs: number[] = [];
  let calls = 0;
  return {
    check,
    waitsMs,
    observe(
      verdict: Verdict,
      { tries = 1, step = 1, call = entityOf(String(calls)) as Call } = {},
    ): string | null {
      calls += 1;
      const outcome = { call, verdict } as Outcome;
      const failed = { kind: call.kind, target: targetOf(call), tries, step, nextTryAtMs: Infinity };
      const failure = verdict === OK ? null : { ...failed, why: 'it hung up' };
      const why = check.observe([outcome], [{ ...noChange(outcome), failure }], nowMs);
      const waitMs = check.waitMs(nowMs);
      if (waitMs > 0) waitsMs.push(waitMs);
      nowMs += waitMs;
      return why;
    },
  };
}

/** Observes failures until the run must end. Returns how many there were, or null if a hundred do not end it. */
function failuresToEnd(rig: ReturnType<typeof checkOf>, triesOf: (failure: number) => number): number | null {
  for (let failure = 1; failure <= 100; failure += 1)
    if (rig.observe(BROKEN, { tries: triesOf(failure) }) !== null) return failure;
  return null;
}

describe('an outage', () => {
  test.each([-3_600_000, -2_300_000_000_000])(
    'a clock that is set back by %i ms does not prolong a wait',
    (stepMs) => {
      const { check } = checkOf();
      const failed = { ...noChange({ call: STATS, verdict: BROKEN } as Outcome), failure: FAILURE };
      for (let call = 0; call < 4; call += 1) check.observe([], [failed], NOW_MS);
      expect(check.waitMs(NOW_MS)).toBe(500);
      expect(check.waitMs(NOW_MS + stepMs)).toBe(0);
    },
  );

  test('after a success, the count of failures and the waits start over', () => {
    const rig = checkOf();
    for (let call = 0; call < 60; call += 1) expect(rig.observe(call % 12 === 0 ? OK : BROKEN)).toBeNull();
    expect(rig.waitsMs.filter((waitMs) => waitMs === 250)).toHaveLength(5);
    expect(rig.observe(OK)).toBeNull();
  });

  test('targets whose first failure would repeat end the run like any others', () => {
    const rig = checkOf();
    rig.observe(OK);
    const lasting = { tries: 1, step: 5 };
    for (let call = 0; call < 11; call += 1) expect(rig.observe(BROKEN, lasting)).toBeNull();
    expect(rig.observe(BROKEN, lasting)).not.toBeNull();
  });

  test('targets that keep failing neither cause a wait nor end the run', () => {
    const rig = checkOf();
    rig.observe(OK);
    expect(failuresToEnd(rig, () => 2)).toBeNull();
    expect(rig.waitsMs).toEqual([]);
  });

  test.each([
    ['five', 5, null],
    // Before the thirteenth failure, the waits add up to 15.75 s: 250 + 500 + 1000 + 7 times 2000 ms.
    ['six', 6, 13],
  ])(
    'failures over 15 s end the run only if six targets have failed for the first time: %s',
    (_title, newTargets, expected) => {
      const rig = checkOf();
      rig.observe(OK);
      const triesOf = (failure: number) => (failure <= newTargets ? 1 : 2);
      expect(failuresToEnd(rig, triesOf)).toBe(expected);
    },
  );
});

describe('a wrong base URL', () => {
  const search = (at: number) => searchFor(`query ${at}`);

  test('one target is no evidence of a wrong base URL until it has failed more often than the limit', () => {
    const rig = checkOf(2);
    const ask = () => rig.observe(MARKUP, { call: search(1) });
    expect([ask(), ask()]).toEqual([null, null]);
    expect(ask()).toBe('the first 3 calls did not reach the API: it is HTML');
  });

  test('a wrong base URL is not inferred from missing statistics', () => {
    const rig = checkOf(1);
    for (let call = 0; call < 3; call += 1) expect(rig.observe(MARKUP, { call: STATS })).toBeNull();
  });

  test('a wrong base URL is not inferred from other failures, nor after a success', () => {
    const rig = checkOf(1);
    expect(rig.observe(BROKEN)).toBeNull();
    expect(rig.observe(OK)).toBeNull();
    expect(rig.observe(MARKUP, { call: search(1) })).toBeNull();
  });
});
