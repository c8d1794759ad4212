import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openCallIds } from '../../src/fetch/call_ids.ts';

test('call ids increase with time and stay below 2^53 until the year 2248', () => {
  const times = fc.array(fc.double({ min: 0, max: Date.parse('2248-01-01'), noNaN: true }), { minLength: 2 });
  fc.assert(
    fc.property(fc.nat(), times, (last, sentAtMs) => {
      const ids = openCallIds(last);
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
