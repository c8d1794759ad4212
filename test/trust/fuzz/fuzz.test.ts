import { expect, test } from 'vitest';
import { TARGETS } from './fuzzing.ts';

test.each(TARGETS)(
  '$name: any input is accepted, rejected or stored without a crash',
  ({ weight, check }) => {
    expect(check({ seed: 20, runs: 30 * weight })).toBeNull();
  },
);
