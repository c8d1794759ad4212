import { describe, expect, test } from 'vitest';
import { faultRound } from './round.ts';

describe('an upstream that fails at random', () => {
  test.each([1, 2, 3])(
    'seed %i: the mirror ends equal, nothing is overspent, the key is seen nowhere',
    async (seed) => {
      const round = await faultRound({ seed, companies: 150, faultShare: 0.2 });
      expect(round).toMatchObject({ seed, broken: [] });
      expect(round.faults).toBeGreaterThan(20);
    },
    60_000,
  );
});
