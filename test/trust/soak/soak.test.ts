import { expect, test } from 'vitest';
import { soakCalendar, soakContracts, soakDatesSetBack, soakSetBack } from './soaking.ts';

// Daylight saving time starts at night in Oslo, and at midnight in Cairo, where one day therefore has no midnight.
test.each(['Europe/Oslo', 'Africa/Cairo'])(
  '%s: over a year with a leap day, the whole allowance is used and never exceeded',
  (zone) => {
    const soak = soakCalendar({ zone, seed: 1, days: 450 });
    expect(soak).toMatchObject({ broken: [], fullestDay: 40, fullestMonth: 1000, calls: 11_700 });
  },
);

test('setting the clock back repeatedly neither exceeds the limit for 24 hours nor blocks the ledger', () => {
  expect(soakSetBack({ seed: 1, days: 60 })).toMatchObject({ broken: [], fullestDay: 40 });
});

test.each(['fixed', 'rolling'] as const)(
  'setting the clock back and correcting it does not exceed the limit for a %s day or a month',
  (day) => {
    for (const spender of ['hasty', 'calm'] as const) {
      const soak = soakDatesSetBack({ seed: 1, days: 120, spender, day });
      expect(soak.broken).toEqual([]);
      expect(soak.used).toBeGreaterThan(0.8);
    }
  },
);

test('contracts that end on the last day of February spend exactly the calls that they grant', () => {
  expect(soakContracts({ seed: 1, years: 2 })).toMatchObject({ broken: [], calls: 18_000 });
});
