// npm run trust soak -- [--seeds 3] [--days 1200]
// Simulates years of an account's use in seconds, in time zones with every kind of clock change.
import { argumentsOf } from '../../support/script.ts';
import { soakContracts } from './contracts.ts';
import { soakDatesSetBack } from './dates.ts';
import { soakCalendar, soakSetBack } from './soaking.ts';

const ZONES = [
  'UTC',
  'Europe/Oslo',
  'America/New_York',
  'America/Havana',
  'America/Santiago',
  'Africa/Cairo',
  'Asia/Beirut',
  'Australia/Lord_Howe',
  'Pacific/Apia',
];
const values = argumentsOf({ seeds: 3, days: 1200 });
const { days } = values;
let [calls, broken] = [0, 0];
for (let seed = 1; seed <= values.seeds; seed++) {
  for (const soak of [
    ...ZONES.map((zone) => soakCalendar({ zone, seed, days })),
    soakSetBack({ seed, days }),
  ]) {
    calls += soak.calls;
    broken += soak.broken.length;
    process.stdout.write(`${JSON.stringify({ seed, ...soak })}\n`);
  }
  const contracts = soakContracts({ seed, years: Math.ceil(days / 365) });
  calls += contracts.calls.reduce((sum, some) => sum + some, 0);
  broken += contracts.broken.length;
  process.stdout.write(`${JSON.stringify(contracts)}\n`);
  for (const day of ['fixed', 'rolling'] as const)
    for (const spender of ['hasty', 'calm'] as const) {
      const dates = soakDatesSetBack({ seed, days, spender, day });
      calls += dates.calls;
      broken += dates.broken.length;
      process.stdout.write(`${JSON.stringify(dates)}\n`);
    }
}
process.stdout.write(`${JSON.stringify({ calls, broken })}\n`);
process.exitCode = broken === 0 ? 0 : 1;
