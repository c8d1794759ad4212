import { expect, test } from 'vitest';
import { soakCalendar, soakContracts } from './soaking.ts';

// Daylight saving time starts at night in Oslo, and at midnight in Cairo, where one day therefore has no midnight.
test.each(['Europe/Oslo', 'Africa/Cairo'])(
  '%s: over a year with a leap day, the whole allowance is used and never exceeded',
  (zone) => {
    const soak = soakCalendar({ zone, seed: 1, days: 450 });
    expect(soak).toMatchObject({ broken: [], fullestDay: 40, fullestMonth: 1000, calls: 11_700 });
  },
);

test('contracts that end on the last day of February spend exactly the calls that they grant', () => {
  expect(soakContracts({ seed: 1, years: 2 })).toMatchObject({ broken: [], calls: 18_000 });
});
