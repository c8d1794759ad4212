import { expect, test } from 'vitest';
import type { Call, CallKind } from '../../src/call.ts';
import { Pending } from '../../src/plan/pending.ts';

const entity = (entityId: string): Call => ({ kind: 'entity', entityId, reason: '', expected: 1 });
const failure = (kind: CallKind, target: string, nextTryAtMs: number) => ({
  kind,
  target,
  nextTryAtMs,
  tries: 1,
  step: 1,
  why: 'busy',
});

test('a run waits for the earliest retry that is still to come, among the kinds that it sends', () => {
  const pending = new Pending([
    failure('entity', 'past', 10),
    failure('entity', 'late', 70),
    failure('entity', 'soon', 50),
    failure('entity', 'later', 60),
    failure('entity', 'never', Number.POSITIVE_INFINITY),
    failure('search', 'name:a#0', 40),
  ]);
  const next = (...kinds: CallKind[]) => pending.earliestRetryMs(new Set(kinds), 20);
  expect([next('entity'), next('search'), next('entity', 'search'), next('stats')]).toEqual([
    50,
    40,
    40,
    null,
  ]);
  pending.recovered(entity('soon'));
  expect(next('entity')).toBe(60);
});

test('a target is blocked while its call is in flight or waits for a retry', () => {
  const pending = new Pending([failure('entity', 'waiting', 50)]);
  expect([pending.reserve(entity('sent'), 20), pending.reserve(entity('sent'), 20)]).toEqual([true, false]);
  expect(pending.reserve(entity('waiting'), 20)).toBe(false);
  expect([...pending.blocked('entity', 20)].sort()).toEqual(['sent', 'waiting']);
  expect([...pending.blocked('entity', 50)]).toEqual(['sent']);
  expect([pending.inFlightCount('entity'), pending.inFlightCount('search')]).toEqual([1, 0]);
  pending.landed(entity('sent'));
  expect(pending.reserve(entity('waiting'), 50)).toBe(true);
  expect([...pending.blocked('entity', 20)]).toEqual(['waiting']);
});
