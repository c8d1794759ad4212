import { expect, test } from 'vitest';
import type { EntityCall } from '../../../src/call.ts';
import { noChange } from '../../../src/load_result.ts';
import { Pending } from '../../../src/plan/pending.ts';
import { Witness } from '../../../src/plan/refresh/deletion_proof.ts';
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

test.each([0, 1, 2, 3])('a missing company is not the witness, at %d ms', (nowMs) => {
  const witness = witnessOf(['A', 'B', 'C', 'D']);
  learnMissing(witness, ['A', 'B', 'C']);
  expect(witness.take(nowMs)).toMatchObject({ entityId: 'D' });
});

test('a company that was found and is missing later is not the witness', () => {
  const witness = witnessOf(['A', 'B']);
  witness.learn(entityOf('B'), noChange({ call: entityOf('B'), verdict: { is: 'ok' } }));
  learnMissing(witness, ['B']);
  expect(witness.take(1)).toMatchObject({ entityId: 'A' });
});

test('there is no witness if every known company is missing', () => {
  const witness = witnessOf(['A', 'B', 'C']);
  learnMissing(witness, ['A', 'B', 'C']);
  expect(witness.take(0)).toBeNull();
  expect(witness.drift).toMatch(/^3 known ids in a row returned 404 \(A, B, C\)/);
});
