import { expect, test } from 'vitest';
import { TARGETS } from './fuzzing.ts';

test.each(TARGETS)('$name: whatever is written, it is understood, refused or kept', ({ weight, check }) => {
  expect(check({ seed: 20, runs: 30 * weight })).toBeNull();
});
