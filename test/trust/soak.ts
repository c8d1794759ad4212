// npm run trust:soak -- [--seeds 3] [--days 1200]
// Years of one account in seconds, in zones that change their clocks in every way there is.
import { parseArgs } from 'node:util';
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
const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '3' }, days: { type: 'string', default: '1200' } },
});
let [calls, broken] = [0, 0];
for (let seed = 1; seed <= Number(values.seeds); seed++) {
  const days = Number(values.days);
  for (const soak of [
    ...ZONES.map((zone) => soakCalendar({ zone, seed, days })),
    soakSetBack({ seed, days }),
  ]) {
    calls += soak.calls;
    broken += soak.broken.length;
    process.stdout.write(`${JSON.stringify({ seed, ...soak })}\n`);
  }
}
process.stdout.write(`${JSON.stringify({ calls, broken })}\n`);
process.exitCode = broken === 0 ? 0 : 1;
