import { describe, expect, test } from 'vitest';
import { faultRound } from './round.ts';

describe('an upstream with random faults', () => {
  test.each([1])(
    'with random faults and seed %i, the mirror ends up matching the registry without overspending or leaking the key',
    async (seed) => {
      const round = await faultRound({ seed, companies: 150, faultShare: 0.2 });
      expect(round).toMatchObject({ seed, listed: 1, violations: [] });
      expect(round.faults).toBeGreaterThan(20);
      expect(round.received).toBeGreaterThan(150);
    },
    60_000,
  );
});

describe('an upstream with flaws, moved paths and changes', () => {
  test.each([8])(
    'with flaws, moved paths, changes and seed %i, no existing company is marked as gone, and the mirror ends up matching the registry',
    async (seed) => {
      const round = await faultRound({ seed, companies: 120, faultShare: 0.1, trouble: 'deceptions' });
      expect(round).toMatchObject({ seed, violations: [] });
    },
    60_000,
  );

  test.each([1])(
    'with a random profile and seed %i, no existing company is marked as gone, and the mirror ends up matching the registry',
    async (seed) => {
      const round = await faultRound({ seed, companies: 100, faultShare: 0.1, trouble: 'dialects' });
      expect(round).toMatchObject({ seed, violations: [] });
    },
    60_000,
  );
});
