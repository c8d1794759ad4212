import { expect, test } from 'vitest';
import { soakCalendar, soakSetBack } from './soaking.ts';

// Oslo changes its clock in the night, Cairo at midnight: a day there has no midnight.
test.each(['Europe/Oslo', 'Africa/Cairo'])(
  '%s: a year with a leap day is never overspent, and is used',
  (zone) => {
    const soak = soakCalendar({ zone, seed: 1, days: 450 });
    expect(soak).toMatchObject({ broken: [], most: { day: 40, month: 1000, total: 11_700 } });
  },
);

test('a clock that is set back again and again overspends no 24 hours, and freezes nothing', () => {
  expect(soakSetBack({ seed: 1, days: 120 })).toMatchObject({ broken: [], most: { day: 40 } });
});
