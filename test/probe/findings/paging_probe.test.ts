import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { distinctShifts, type PagingCandidate } from '../../../src/probe/findings/paging_probe.ts';

const candidates: readonly PagingCandidate[] = [
  { param: 'page', style: 'page', firsts: [0, 1] },
  { param: 'offset', style: 'offset', firsts: [0, 1] },
  { param: 'p', style: 'page', firsts: [0, 1] },
  { param: 'start', style: 'offset', firsts: [0, 1] },
];

describe('values for several paging parameters in one request', () => {
  it('the values for several paging parameters shift the first row by different distances within the known rows', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 60, max: 200 }), (pageSize, count) => {
        const params = distinctShifts(candidates, [pageSize], { count, total: count });
        const shifts = params.flatMap(([name, value], index) => {
          const { param, style, firsts } = candidates[index] as PagingCandidate;
          expect(name).toBe(param);
          return firsts.map((first) => (Number(value) - first) * (style === 'page' ? pageSize : 1));
        });
        expect(new Set(shifts).size).toBe(shifts.length);
        for (const shift of shifts) expect(shift).toBeGreaterThan(0);
        for (const shift of shifts) expect(shift).toBeLessThan(count);
      }),
    );
  });
});
