import { expect, test } from 'vitest';
import { runHistory } from './history.ts';

// Histories in which a company was lost before. `npm run trust moving` runs thousands of others.
test.each([65, 553, 907, 915, 1406, 5058, 20_564, 41_301, 700_204])(
  'history %i of a moving registry loses no company',
  (seed) => {
    expect(runHistory(seed)).toMatchObject({ missing: [], wronglyGone: [] });
  },
);
