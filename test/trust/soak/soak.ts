// npm run trust soak -- [--seeds 3] [--days 1200]
// Simulates years of an account's use in seconds, in time zones with every kind of clock change.
import { argumentsOf, say } from '../../support/script.ts';
import { soakCalendar, soakContracts } from './soaking.ts';

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
const soaks = Array.from({ length: values.seeds }, (_, at) => at + 1).flatMap((seed) => [
  ...ZONES.map((zone) => () => soakCalendar({ zone, seed, days })),
  () => soakContracts({ seed, years: Math.ceil(days / 365) }),
]);
let [calls, broken] = [0, 0];
for (const simulate of soaks) {
  const soak = simulate();
  calls += soak.calls;
  broken += soak.broken.length;
  say(JSON.stringify(soak));
}
say(JSON.stringify({ calls, broken }));
process.exitCode = broken === 0 ? 0 : 1;
