import { expect, test } from 'vitest';
import { WrongKeys } from '../../src/api/admission.ts';

test('an address waits longer for each unknown key that it sends meanwhile, but at most 30 seconds', () => {
  const wrongKeys = new WrongKeys();
  const delays = Array.from({ length: 80 }, () => wrongKeys.delayMs('192.0.2.1', 1000));
  expect(delays.slice(0, 3)).toEqual([500, 1000, 1500]);
  expect(Math.max(...delays)).toBe(30_000);
  expect(wrongKeys.delayMs('192.0.2.2', 1000)).toBe(500);
  expect(wrongKeys.delayMs('192.0.2.1', 40_000)).toBe(500);
});
