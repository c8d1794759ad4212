import { openLedger } from '../../src/allowance/ledger.ts';
import type { Allowance } from '../../src/allowance/windows.ts';
import type { Call } from '../../src/call.ts';
import { systemClock } from '../../src/clock.ts';
import { Dialect } from '../../src/dialect/dialect.ts';
import { endpointsOf } from '../../src/dialect/request.ts';
import { openCallIds } from '../../src/fetch/call_ids.ts';
import { type Fetch, openFetch } from '../../src/fetch/fetch.ts';
import { type Lane, openLanes } from '../../src/fetch/lane.ts';
import { openPace } from '../../src/fetch/pace.ts';
import { openSend } from '../../src/fetch/send.ts';

/** fetch as assemble.ts puts it together, alone: no plan, no load. */
export interface Caller {
  readonly fetch: Fetch;
  readonly lanes: readonly Lane[];
  close(): void;
}

export interface CallerOptions {
  readonly port: number;
  readonly ledgerPath: string;
  readonly perMinute: number | null;
  readonly lanes: number;
}

export const RECORD: Call = { kind: 'entity', entityId: '42', reason: 'bench', expected: 1 };

export function openCaller({ port, ledgerPath, perMinute, lanes: count }: CallerOptions): Caller {
  const allowance: Allowance = {
    perMinute,
    total: null,
    perDay: 1_000_000_000,
    perMonth: null,
    day: { kind: 'fixed', minuteOfDay: 0, timeZone: 'Europe/Oslo' },
    reserve: 0.1,
    alreadySpent: 0,
  };
  const ledger = openLedger({ path: ledgerPath, accountId: 'main', allowance });
  const origin = new URL(`http://127.0.0.1:${port}`);
  const lanes = openLanes(count, { origin, connectTimeoutMs: 5000, ca: null, proxy: null });
  const clock = systemClock;
  const keyFingerprint = 'fingerprint';
  const fetch = openFetch({
    dialect: Dialect.parse({
      search: { query_param: 'q', paging: { style: 'none' }, results: '', id: '/id' },
      entity: { id: '/id', name: '/name' },
    }),
    endpoints: endpointsOf({ base_url: `${origin.href}api` }),
    ledger,
    pace: openPace({ ledger, clock, perMinute, purpose: 'scheduled', keyFingerprint }),
    send: openSend(
      { apiKey: 'k'.repeat(40), userAgent: 'bench', responseTimeoutMs: 30_000, maxBodyBytes: 8_000_000 },
      clock,
    ),
    clock,
    callIds: openCallIds(0),
    keyFingerprint,
  });
  const close = () => {
    for (const lane of lanes) lane.close();
    ledger.close();
  };
  return { fetch, lanes, close };
}

/** Keeps every lane busy until the end of the time; answers how many calls were answered well. */
export async function callUntil({ fetch, lanes }: Caller, untilMs: number): Promise<number> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), untilMs - Date.now());
  let good = 0;
  await Promise.all(
    lanes.map(async (lane) => {
      while (!stop.signal.aborted) {
        const result = await fetch(RECORD, lane, stop.signal);
        if ('verdict' in result && result.verdict.is === 'ok') good += 1;
      }
    }),
  );
  clearTimeout(timer);
  return good;
}
