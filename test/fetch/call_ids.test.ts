import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CallIds } from '../../src/fetch/call_ids.ts';

test('call ids increase with time and stay below 2^53 until the year 2248', () => {
  const times = fc.array(fc.double({ min: 0, max: Date.parse('2248-01-01'), noNaN: true }), { minLength: 2 });
  fc.assert(
    fc.property(fc.nat(), fc.nat(), times, (last, runId, sentAtMs) => {
      const ids = new CallIds({ last, runId });
      let before = last;
      let latestMs = 0;
      for (const ms of sentAtMs) {
        const id = ids.next(ms);
        expect(Number.isSafeInteger(id)).toBe(true);
        expect(id).toBeGreaterThan(before);
        if (ms > latestMs + 1) expect(id).toBeGreaterThanOrEqual(Math.floor(ms) * 1024);
        latestMs = Math.max(latestMs, ms);
        before = id;
      }
    }),
  );
});

test('two runs that overlap never mint the same call id', () => {
  const times = fc.array(fc.nat({ max: 5 }), { minLength: 2 });
  fc.assert(
    fc.property(
      fc.nat(),
      fc.nat(),
      fc.integer({ min: 1, max: 1023 }),
      times,
      (last, runId, later, sentAtMs) => {
        const runs = [runId, runId + later].map((id) => new CallIds({ last, runId: id }));
        const ids = sentAtMs.flatMap((ms) => runs.map((run) => run.next(ms)));
        expect(new Set(ids).size).toBe(ids.length);
      },
    ),
  );
});
