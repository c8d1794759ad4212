import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CallIds } from '../../src/fetch/fetch.ts';

test('call ids are small integers that increase', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 50 }), (last, runId, calls) => {
      const ids = new CallIds({ last, runId });
      const minted = Array.from({ length: calls }, () => ids.next());
      expect(minted).toEqual(minted.toSorted((a, b) => a - b));
      expect(minted[0]).toBeGreaterThan(last);
      expect(ids.last).toBeLessThanOrEqual(last + calls * 256);
    }),
  );
});

test('two runs that overlap never mint the same call id', () => {
  const turns = fc.array(fc.boolean(), { minLength: 2 });
  fc.assert(
    fc.property(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 255 }), turns, (last, runId, later, first) => {
      const runs = [runId, runId + later].map((id) => new CallIds({ last, runId: id }));
      const ids = first.map((isFirst) => runs[isFirst ? 0 : 1]?.next());
      expect(new Set(ids).size).toBe(ids.length);
    }),
  );
});
