import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ledger } from '../../src/allowance/ledger.ts';
import { systemClock } from '../../src/clock.ts';
import { openConnections } from '../../src/fetch/connection.ts';
import { ConnectionPool } from '../../src/fetch/connection_pool.ts';
import { RateLimiter } from '../../src/fetch/rate_limiter.ts';
import { NO_LIMITS } from '../support/no_limits.ts';

/** This process makes one call a minute, and is interrupted while it waits for its second slot. It must then exit. */
const path = join(mkdtempSync(join(tmpdir(), 'registry-mirror-')), 'ledger.db');
const allowance = { ...NO_LIMITS, perMinute: 1, reserve: 0, alreadySpent: 0 };
const ledger = new Ledger({ path, accountId: 'main', allowance: { ...allowance, day: { kind: 'rolling' } } });
const connections = openConnections(2, {
  origin: new URL(process.argv[2] ?? ''),
  connectTimeoutMs: 1000,
  ca: null,
  proxy: null,
});
const limiter = new RateLimiter({
  ledger,
  pool: new ConnectionPool(connections, systemClock),
  clock: systemClock,
  perMinute: 1,
  purpose: 'scheduled',
  keyFingerprint: 'key',
});
const stop = new AbortController();
const first = await limiter.slots(2, stop.signal);
setTimeout(() => stop.abort(), 100);
const second = await limiter.slots(2, stop.signal);
for (const connection of connections) connection.close();
ledger.close();
const isInterrupted = 'is' in second && second.is === 'interrupted';
process.exitCode = !('is' in first) && first.length === 1 && isInterrupted ? 0 : 1;
