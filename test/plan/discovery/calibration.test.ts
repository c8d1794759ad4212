import { expect, test } from 'vitest';
import { Calibration } from '../../../src/plan/discovery/calibration.ts';

test('a predicted yield is multiplied by the ratio of actual to predicted yield for its kind of call', () => {
  const calibration = new Calibration(0.002);
  expect(calibration.ratio('seen')).toBe(1);
  calibration.learn({ kind: 'seen', expectedYield: 9.5 }, 4.5);
  expect(calibration.ratio('seen')).toBeCloseTo(5 / 10);
  expect(calibration.ratio('unseen')).toBe(1);
  // Both sums lose 3% of their weight before each new observation is added.
  calibration.learn({ kind: 'seen', expectedYield: 2 }, 6);
  expect(calibration.ratio('seen')).toBeCloseTo((4.5 * 0.97 + 6.5) / (9.5 * 0.97 + 2.5));
});

test('the ratio of actual to predicted yield for a kind of call stays between 0.2% and 200%', () => {
  const calibration = new Calibration(0.002);
  calibration.learn({ kind: 'pair', expectedYield: 1000 }, 0);
  calibration.learn({ kind: 'repeat', expectedYield: 0 }, 1000);
  expect([calibration.ratio('pair'), calibration.ratio('repeat')]).toEqual([0.002, 2]);
});
