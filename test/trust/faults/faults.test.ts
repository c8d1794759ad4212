import { describe, expect, test } from 'vitest';
import { faultRound } from './round.ts';

describe('an upstream that fails at random', () => {
  test.each([1, 2])(
    'seed %i: the mirror ends equal, nothing is overspent, the key is seen nowhere',
    async (seed) => {
      const round = await faultRound({ seed, companies: 150, faultShare: 0.2 });
      expect(round).toMatchObject({ seed, listed: 1, broken: [] });
      expect(round.faults).toBeGreaterThan(20);
      expect(round.received).toBeGreaterThan(150);
    },
    60_000,
  );
});

describe('an upstream that deceives, moves and changes while it is swept', () => {
  test.each([4, 8])(
    'seed %i: no company is declared gone that exists, and the mirror ends equal',
    async (seed) => {
      const round = await faultRound({ seed, companies: 120, faultShare: 0.1, trouble: 'deceptions' });
      expect(round).toMatchObject({ seed, broken: [] });
    },
    60_000,
  );

  test.each([1])(
    'seed %i: the same in a dialect of its own',
    async (seed) => {
      const round = await faultRound({ seed, companies: 100, faultShare: 0.1, trouble: 'dialects' });
      expect(round).toMatchObject({ seed, broken: [] });
    },
    60_000,
  );
});
