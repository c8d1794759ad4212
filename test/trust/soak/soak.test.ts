import { expect, test } from 'vitest';
import { checkTerms } from '../../../src/cli/doctor/account.ts';
import { configFrom } from '../../../src/config/load_config.ts';
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

test.each(['2027-02-28', '2028-02-29', '2028-03-01', '2028-12-31'])(
  'a licence that ends on %s causes warnings during its last 31 days, and ends on the following day',
  (ends) => {
    const config = configFrom({
      version: 1,
      upstream: { base_url: 'https://registry.example/api', api_key: 'k' },
      account: { tier: 'paid', license_ends: ends },
      allowance: { unlimited: true },
    });
    const said = Array.from({ length: 60 * 24 }, (_, hour) => {
      const nowMs = Date.parse(ends) + (hour - 40 * 24) * 3_600_000;
      return checkTerms(config, nowMs)[0]?.status;
    });
    const hours = (is: string) => said.filter((one) => one === is).length;
    expect([hours('ok'), hours('warning'), hours('problem')]).toEqual([10 * 24, 31 * 24, 19 * 24]);
    expect(said).toEqual([...said].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b)));
  },
);

const ORDER: readonly unknown[] = ['ok', 'warning', 'problem'];
