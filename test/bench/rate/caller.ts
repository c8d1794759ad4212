import { openLedger } from '../../../src/allowance/ledger.ts';
import type { Allowance } from '../../../src/allowance/windows.ts';
import type { Call } from '../../../src/call.ts';
import { systemClock } from '../../../src/clock.ts';
import { Dialect } from '../../../src/dialect/dialect.ts';
import { endpointsOf } from '../../../src/dialect/request.ts';
import { CallIds } from '../../../src/fetch/call_ids.ts';
import { openConnections } from '../../../src/fetch/connection.ts';
import { type Fetch, openFetch, type SendSlot } from '../../../src/fetch/fetch.ts';
import { openSend } from '../../../src/fetch/send.ts';

/** The `fetch` stage, connected as in assemble.ts but without `plan` or `load`. */
export interface Caller {
  readonly fetch: Fetch;
  close(): void;
}

export interface CallerOptions {
  readonly port: number;
  readonly ledgerPath: string;
  readonly perMinute: number | null;
  /** The number of connections. */
  readonly lanes: number;
}

export const RECORD: Call = { kind: 'entity', entityId: '42', reason: 'bench', expected: 1 };

export function openCaller({ port, ledgerPath, perMinute, lanes }: CallerOptions): Caller {
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
  const connections = openConnections(lanes, { origin, connectTimeoutMs: 5000, ca: null, proxy: null });
  const clock = systemClock;
  const keyFingerprint = 'fingerprint';
  const fetch = openFetch({
    dialect: Dialect.parse({
      search: { query_param: 'q', paging: { style: 'none' }, results: '', id: '/id' },
      entity: { id: '/id', name: '/name' },
    }),
    endpoints: endpointsOf({ base_url: `${origin.href}api` }),
    ledger,
    perMinute,
    purpose: 'scheduled',
    connections,
    send: openSend(
      {
        credentials: { headers: {}, parameter: null, secrets: ['k'.repeat(40)] },
        userAgent: 'bench',
        responseTimeoutMs: 30_000,
        maxBodyBytes: 8_000_000,
      },
      clock,
    ),
    clock,
    callIds: new CallIds({ last: 0, runId: 1 }),
    keyFingerprint,
  });
  const close = () => {
    for (const connection of connections) connection.close();
    ledger.close();
  };
  return { fetch, close };
}

/** Keeps every connection busy until the given time, and returns how many calls got a correct response. */
export async function callUntil({ fetch }: Caller, untilMs: number): Promise<number> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), untilMs - Date.now());
  const inFlight = new Set<Promise<void>>();
  let good = 0;

  function send(slot: SendSlot): void {
    const sending = fetch.attempt(RECORD, slot).then((result) => {
      inFlight.delete(sending);
      if ('callId' in result && fetch.outcomeOf(result).verdict.is === 'ok') good += 1;
    });
    inFlight.add(sending);
  }

  while (!stop.signal.aborted) {
    if (fetch.free === 0) {
      await Promise.race(inFlight);
      continue;
    }
    await fetch.reported();
    const slots = await fetch.slots(fetch.free, stop.signal);
    if ('is' in slots) continue;
    for (const slot of slots) {
      const aheadMs = slot.atMs - Date.now();
      if (aheadMs > 0) await systemClock.sleep(aheadMs, stop.signal);
      if (stop.signal.aborted) await fetch.giveBack(slot);
      else send(slot);
    }
  }
  await Promise.all(inFlight);
  clearTimeout(timer);
  return good;
}
