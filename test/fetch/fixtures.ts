import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Ledger } from '../../src/allowance/ledger.ts';
import type { Allowance } from '../../src/allowance/windows.ts';
import type { Call } from '../../src/call.ts';
import { type Clock, systemClock } from '../../src/clock.ts';
import type { Dialect } from '../../src/dialect/dialect.ts';
import { endpointsOf } from '../../src/dialect/request.ts';
import { openCallIds } from '../../src/fetch/call_ids.ts';
import { type Fetch, type NotMade, openFetch } from '../../src/fetch/fetch.ts';
import { type Lane, type LaneOptions, openLanes } from '../../src/fetch/lane.ts';
import { openPace } from '../../src/fetch/pace.ts';
import { openSend } from '../../src/fetch/send.ts';
import type { Outcome } from '../../src/outcome.ts';
import { allowanceOf, ledgerOf } from '../allowance/fixtures.ts';
import { dialectOf } from '../dialect/fixtures.ts';

export const API_KEY = 'canary-0123456789/abcdef==';
export const GOOD_RECORD = '{"id":"42","name":"A"}';

/** A server on loopback that counts what arrives. */
export interface Upstream {
  readonly origin: string;
  readonly port: number;
  /** The targets of the requests, in their order, and when each arrived. */
  readonly arrivals: {
    readonly url: string;
    readonly atMs: number;
    readonly authorization: string | undefined;
  }[];
  /** Connections that were opened. */
  connections(): number;
  close(): Promise<void>;
}

export type Handler = (request: http.IncomingMessage, response: http.ServerResponse, index: number) => void;

export async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

export async function upstreamOf(
  handler: Handler,
  server: http.Server = http.createServer(),
): Promise<Upstream> {
  const arrivals: Upstream['arrivals'] = [];
  let connections = 0;
  const isSecure = 'setSecureContext' in server;
  server.on(isSecure ? 'secureConnection' : 'connection', () => {
    connections += 1;
  });
  server.on('request', (request: http.IncomingMessage, response: http.ServerResponse) => {
    const { url = '', headers } = request;
    arrivals.push({ url, atMs: Date.now(), authorization: headers.authorization });
    handler(request, response, arrivals.length - 1);
  });
  const port = await listen(server);
  const close = async () => {
    server.closeAllConnections();
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };
  onTestFinished(close);
  const origin = `${isSecure ? 'https' : 'http'}://127.0.0.1:${port}`;
  return { origin, port, arrivals, connections: () => connections, close };
}

export const answerWith =
  (status: number, body: string | Buffer, headers: http.OutgoingHttpHeaders = {}): Handler =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);

export interface Rig {
  readonly ledger: Ledger & { readonly path: string };
  readonly lanes: readonly Lane[];
  readonly fetch: Fetch;
  /** Makes one call on the first lane. */
  make(call: Call, signal?: AbortSignal): Promise<Outcome | NotMade>;
}

export interface RigOptions {
  readonly baseUrl: string;
  readonly allowance?: Partial<Allowance>;
  readonly dialect?: Dialect;
  readonly lanes?: number;
  readonly lane?: Partial<LaneOptions>;
  readonly clock?: Clock;
  readonly responseTimeoutMs?: number;
  readonly maxBodyBytes?: number;
  readonly apiKey?: string;
  /** The ledger's file, where two rigs share one. */
  readonly ledgerPath?: string;
  readonly keyHasWorked?: boolean;
  /** What happens to this process between taking a slot and sending. */
  readonly beforeSending?: () => Promise<void>;
}

/** Everything that fetch stands on, real, as assemble.ts puts it together. */
export function rigOf(options: RigOptions): Rig {
  const { baseUrl, allowance = { total: 1000 }, clock = systemClock, apiKey = API_KEY } = options;
  const ledger = ledgerOf(allowance, options.ledgerPath === undefined ? {} : { path: options.ledgerPath });
  const keyFingerprint = `fingerprint of ${apiKey.length}`;
  if (options.keyHasWorked ?? true) ledger.keyWorked(keyFingerprint);
  const { perMinute } = allowanceOf(allowance);
  const origin = new URL(baseUrl);
  const lanes = openLanes(options.lanes ?? 1, {
    origin,
    connectTimeoutMs: 2000,
    ca: null,
    proxy: null,
    ...options.lane,
  });
  onTestFinished(() => {
    for (const lane of lanes) lane.close();
  });
  const send = openSend(
    {
      apiKey,
      userAgent: 'registry-mirror/test',
      responseTimeoutMs: options.responseTimeoutMs ?? 2000,
      maxBodyBytes: options.maxBodyBytes ?? 1_000_000,
    },
    clock,
  );
  const fetch = openFetch({
    dialect: options.dialect ?? dialectOf(),
    endpoints: endpointsOf({ base_url: baseUrl }),
    ledger,
    pace: openPace({ ledger, clock, perMinute, purpose: 'scheduled', keyFingerprint }),
    send: async (...attempt) => {
      await options.beforeSending?.();
      return send(...attempt);
    },
    clock,
    callIds: openCallIds(0),
    keyFingerprint,
  });
  const [first] = lanes as [Lane, ...Lane[]];
  return {
    ledger,
    lanes,
    fetch,
    make: (call, signal = new AbortController().signal) => fetch(call, first, signal),
  };
}

/** The outcome, where there must be one. */
export function made(result: Outcome | NotMade): Outcome {
  if ('because' in result) throw new Error(`not made: ${JSON.stringify(result.because)}`);
  return result;
}
