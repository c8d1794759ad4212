import { expect, test } from 'vitest';
import type { EntityCall } from '../../../src/call.ts';
import { noChange } from '../../../src/load_result.ts';
import { Pending } from '../../../src/plan/pending.ts';
import { ControlCalls, unknownIdLike, Witness } from '../../../src/plan/refresh/deletion_proof.ts';
import { MemoryMirror } from '../../support/simulation/memory_knowledge.ts';

const entityOf = (entityId: string): EntityCall => ({
  kind: 'entity',
  entityId,
  reason: 'test',
  expected: 1,
});

function witnessOf(ids: readonly string[]): Witness {
  const mirror = new MemoryMirror();
  for (const id of ids) mirror.add({ id, name: null });
  return new Witness(mirror, new Pending([]));
}

function learnMissing(witness: Witness, ids: readonly string[]): void {
  for (const id of ids) {
    const call = entityOf(id);
    witness.learn(call, { ...noChange({ call, verdict: { is: 'absent' } }), missing: true });
  }
}

/** Plans the next call of a witness or of the control calls. */
function taken(calls: Witness | ControlCalls, nowMs = 0): EntityCall | null {
  const call = calls.next(nowMs);
  if (call !== null) calls.planned(call);
  return call;
}

test('a company that was found but is missing later is not chosen as the witness', () => {
  const witness = witnessOf(['A', 'B']);
  witness.learn(entityOf('B'), noChange({ call: entityOf('B'), verdict: { is: 'ok' } }));
  learnMissing(witness, ['B']);
  expect(taken(witness, 1)).toMatchObject({ entityId: 'A' });
});

test('there is no witness if every known company is missing', () => {
  const witness = witnessOf(['A', 'B', 'C']);
  learnMissing(witness, ['A', 'B', 'C']);
  expect(taken(witness, 0)).toBeNull();
  expect(witness.drift).toMatch(/^3 known ids in a row returned 404 or another record \(A, B, C\)/);
});

test('the witness is the company found last, or else one from a sample that changes over time', () => {
  const found = witnessOf(['A', 'B', 'C']);
  found.learn(entityOf('Z'), noChange({ call: entityOf('Z'), verdict: { is: 'ok' } }));
  expect(taken(found, 0)).toMatchObject({ entityId: 'Z' });
  expect([0, 1, 2, 3].map((nowMs) => taken(witnessOf(['A', 'B', 'C']), nowMs)?.entityId)).toEqual([
    'A',
    'B',
    'C',
    'A',
  ]);
});

test('a company whose call is in flight is not chosen as the witness', () => {
  const mirror = new MemoryMirror();
  for (const id of ['A', 'B']) mirror.add({ id, name: null });
  const pending = new Pending([]);
  pending.sent(entityOf('A'));
  expect(taken(new Witness(mirror, pending), 0)).toMatchObject({ entityId: 'B' });
});

test('three witnesses that became known at different times are asked before a 404 counts as drift', () => {
  const ids = Array.from({ length: 20 }, (_, at) => `C${at}`);
  const witness = witnessOf(ids);
  learnMissing(witness, ids.slice(0, 3));
  const asked = [0, 1, 2].map((at) => {
    expect(witness.drift).toBeNull();
    const { entityId } = taken(witness, 9 + at) as EntityCall;
    learnMissing(witness, [entityId]);
    return entityId;
  });
  expect(asked).toEqual(['C9', 'C15', 'C3']);
  expect(witness.drift).toMatch(/^6 known ids in a row/);
});

test.each(['ok', 'gone'] as const)('a response that is %s resets the count of missing companies', (is) => {
  const witness = witnessOf(['A', 'B', 'C', 'D']);
  learnMissing(witness, ['A', 'B']);
  expect([witness.hasMissing, witness.isNeeded]).toEqual([true, false]);
  learnMissing(witness, ['C']);
  expect(witness.isNeeded).toBe(true);
  taken(witness, 0);
  witness.learn(entityOf('X'), noChange({ call: entityOf('X'), verdict: { is } }));
  expect([witness.hasMissing, witness.isNeeded, witness.isAsked]).toEqual([false, false, false]);
});

test('a witness proves nothing about a company that goes missing while its call is in flight', () => {
  const witness = witnessOf(['A', 'B', 'C', 'D', 'E', 'F']);
  learnMissing(witness, ['A', 'B', 'C']);
  const call = taken(witness, 0) as EntityCall;
  learnMissing(witness, ['E']);
  witness.learn(call, noChange({ call, verdict: { is: 'ok' } }));
  expect([witness.hasMissing, witness.isAsked]).toEqual([true, false]);
  expect(taken(witness, 0)).not.toBeNull();
});

function controlsOf(ids: readonly string[]) {
  const mirror = new MemoryMirror();
  for (const id of ids) mirror.add({ id, name: null });
  mirror.needsControl = true;
  return { mirror, controls: new ControlCalls(mirror) };
}

test('a control call is sent only once until another known company is missing', () => {
  const { mirror, controls } = controlsOf(['A1', 'B2']);
  const call = taken(controls) as EntityCall;
  expect(call).toEqual({ ...entityOf('Z9'), reason: 'control: response for an unknown id', expected: 0 });
  expect(taken(controls)).toBeNull();
  mirror.needsControl = false;
  controls.learn(entityOf('A1'), noChange({ call, verdict: { is: 'ok' } }));
  mirror.needsControl = true;
  // The control call is still in flight.
  expect(taken(controls)).toBeNull();
  mirror.needsControl = false;
  controls.learn(call, noChange({ call, verdict: { is: 'absent' } }));
  expect(controls.next()).toBeNull();
  mirror.needsControl = true;
  expect(controls.next()).toBeNull();
  controls.learn(entityOf('A1'), { ...noChange({ call, verdict: { is: 'absent' } }), missing: true });
  expect(taken(controls)?.entityId).not.toBe('Z9');
});

test('no control call is sent if no id is known', () => {
  expect(taken(controlsOf([]).controls)).toBeNull();
});

test("the control call's id is made of a known id's characters and is itself unknown", () => {
  expect(unknownIdLike(['GB-00a4'], 0)).toBe('ZZ-99z9');
  expect(unknownIdLike(['12', '3456', 'ab-C'], 1)).toMatch(/^\d{4}$/);
  expect(unknownIdLike(['12', '3456', 'ab-C'], 2)).toMatch(/^[a-z]{2}-[A-Z]$/);
  expect(unknownIdLike(['12', '3456', 'ab-C'], 4)).toMatch(/^\d{4}$/);
  const known = ['9', '0', '1', '2', '3', '4', '5', '6', '7'];
  expect(unknownIdLike(known, 0)).toBe('8');
  expect(unknownIdLike([...known, '8'], 0)).toBeNull();
  expect([unknownIdLike(['-'], 0), unknownIdLike([], 0)]).toEqual([null, null]);
  const ids = new Set(Array.from({ length: 20 }, (_, attempt) => unknownIdLike(['123456'], attempt)));
  expect(ids.size).toBe(20);
});
