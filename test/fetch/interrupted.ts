import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from '../../src/allowance/ledger.ts';
import { systemClock } from '../../src/clock.ts';
import { openLanes } from '../../src/fetch/lane.ts';
import { openPace } from '../../src/fetch/pace.ts';

/** Waits for its second slot at one a minute, is interrupted, and must end by itself. */
const path = join(mkdtempSync(join(tmpdir(), 'registry-mirror-')), 'ledger.db');
const allowance = { perMinute: 1, total: null, perDay: null, perMonth: null, reserve: 0, alreadySpent: 0 };
const ledger = openLedger({ path, accountId: 'main', allowance: { ...allowance, day: { kind: 'rolling' } } });
const lanes = openLanes(2, {
  origin: new URL(process.argv[2] ?? ''),
  connectTimeoutMs: 1000,
  ca: null,
  proxy: null,
});
const pace = openPace({
  ledger,
  clock: systemClock,
  perMinute: 1,
  purpose: 'scheduled',
  keyFingerprint: 'key',
});
const stop = new AbortController();
const slots = lanes.map((lane) => pace.nextSlot(lane, stop.signal));
await slots[0];
setTimeout(() => stop.abort(), 100);
const second = await slots[1];
for (const lane of lanes) lane.close();
ledger.close();
process.exitCode = second !== undefined && 'is' in second && second.is === 'interrupted' ? 0 : 1;
