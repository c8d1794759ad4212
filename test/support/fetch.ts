import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Ledger } from '../../src/allowance/ledger.ts';
import type { Allowance } from '../../src/allowance/windows.ts';
import type { Call } from '../../src/call.ts';
import { type Clock, systemClock } from '../../src/clock.ts';
import { BEARER, type CredentialSettings, credentialsOf } from '../../src/config/credentials.ts';
import { Secret } from '../../src/config/secret.ts';
import type { Dialect } from '../../src/dialect/dialect.ts';
import { endpointsOf } from '../../src/dialect/request.ts';
import { type Connection, type ConnectionOptions, openConnections } from '../../src/fetch/connection.ts';
import { CallIds, Fetch, type NoSlot, type NotSent, type SendSlot } from '../../src/fetch/fetch.ts';
import { errorText, Sender } from '../../src/fetch/send.ts';
import type { Attempt, Outcome } from '../../src/outcome.ts';
import { dialectOf } from './dialect.ts';
import { allowanceOf, ledgerOf } from './ledger.ts';

export const API_KEY = 'canary-0123456789/abcdef==';
export const GOOD_RECORD = '{"id":"42","name":"A"}';

/** A local server that records its requests. */
export interface Upstream {
  readonly origin: string;
  readonly port: number;
  /** The requests in order of arrival, each with its time. */
  readonly arrivals: {
    readonly url: string;
    readonly atMs: number;
    readonly authorization: string | undefined;
  }[];
  /** How many connections the clients have opened. */
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
  readonly connections: readonly Connection[];
  readonly fetch: Fetch;
  /** Makes one call as the engine does, and tries an unsent request up to three more times. */
  make(call: Call, signal?: AbortSignal): Promise<Outcome | NotMade | NotSent>;
  /** Makes calls concurrently, each on its own connection. */
  makeTogether(calls: readonly Call[]): Promise<(Outcome | NotSent)[]>;
}

/** No slot was available for the call. */
export interface NotMade {
  readonly call: Call;
  readonly because: NoSlot;
}

export interface RigOptions {
  readonly baseUrl: string;
  readonly allowance?: Partial<Allowance>;
  readonly dialect?: Dialect;
  readonly connections?: number;
  readonly connection?: Partial<ConnectionOptions>;
  readonly clock?: Clock;
  readonly responseTimeoutMs?: number;
  readonly maxBodyBytes?: number;
  readonly apiKey?: string;
  readonly credentials?: Partial<CredentialSettings>;
  /** The ledger file's path, which two rigs can share. */
  readonly ledgerPath?: string;
  readonly keyHasWorked?: boolean;
  /** Runs after a slot is taken and before its call is sent. */
  readonly beforeSending?: () => Promise<void>;
  /** Returns a ledger for fetch to use in place of the real one. */
  readonly watchLedger?: (ledger: Ledger) => Ledger;
}

/** The fetch stage for an upstream's API. */
export function rigFor({ origin }: Pick<Upstream, 'origin'>, options: Omit<RigOptions, 'baseUrl'> = {}): Rig {
  return rigOf({ baseUrl: `${origin}/api`, ...options });
}

/** The fetch stage with its real dependencies, connected as in assemble.ts. */
export function rigOf(options: RigOptions): Rig {
  const { baseUrl, allowance = { total: 1000 }, clock = systemClock, apiKey = API_KEY } = options;
  const ledger = ledgerOf(allowance, options.ledgerPath === undefined ? {} : { path: options.ledgerPath });
  const keyFingerprint = `fingerprint of ${apiKey.length}`;
  if (options.keyHasWorked ?? true) ledger.keyWorked(keyFingerprint);
  const { perMinute } = allowanceOf(allowance);
  const origin = new URL(baseUrl);
  const connections = openConnections(options.connections ?? 1, {
    origin,
    connectTimeoutMs: 2000,
    ca: null,
    proxy: null,
    ...options.connection,
  });
  onTestFinished(() => {
    for (const connection of connections) connection.close();
  });
  const { send } = new Sender(
    {
      credentials: credentialsOf({
        api_key: new Secret(apiKey),
        key_header: BEARER,
        key_param: null,
        headers: {},
        ...options.credentials,
      }),
      userAgent: 'registry-mirror/test',
      responseTimeoutMs: options.responseTimeoutMs ?? 2000,
      maxBodyBytes: options.maxBodyBytes ?? 1_000_000,
    },
    clock,
  );
  const fetch = new Fetch({
    dialect: options.dialect ?? dialectOf(),
    endpoints: endpointsOf({ base_url: baseUrl }),
    ledger: options.watchLedger?.(ledger) ?? ledger,
    perMinute,
    purpose: 'scheduled',
    connections,
    send: async (...attempt) => {
      await options.beforeSending?.();
      return send(...attempt);
    },
    clock,
    callIds: new CallIds({ last: 0, runId: 1 }),
    keyFingerprint,
    // The server's Date header shows the real time, not the time of a test's clock.
    checksClock: options.clock === undefined,
  });
  return {
    ledger,
    connections,
    fetch,
    make: (call, signal = new AbortController().signal) => make({ fetch, clock }, call, signal),
    makeTogether: (calls) => makeTogether({ fetch, clock }, calls),
  };
}

interface Parts {
  readonly fetch: Fetch;
  readonly clock: Clock;
}

async function make(parts: Parts, call: Call, signal: AbortSignal): Promise<Outcome | NotMade | NotSent> {
  const unwritable = parts.fetch.unwritable(call);
  if (unwritable !== null) return unwritable;
  for (let retries = 0; ; retries++) {
    const slots = await parts.fetch.slots(1, signal);
    if ('is' in slots) return { call, because: slots };
    const result = await attempt(parts, call, slots[0] as SendSlot);
    if ('callId' in result) return outcomeOf(parts, result);
    if (retries === MAX_RETRIES) return result;
  }
}

async function makeTogether(parts: Parts, calls: readonly Call[]): Promise<(Outcome | NotSent)[]> {
  const attempts: Promise<Attempt | NotSent>[] = [];
  while (attempts.length < calls.length) {
    const slots = await parts.fetch.slots(calls.length - attempts.length, new AbortController().signal);
    if ('is' in slots) throw new Error(`no slot: ${JSON.stringify(slots)}`);
    for (const slot of slots) attempts.push(attempt(parts, calls[attempts.length] as Call, slot));
  }
  const results = await Promise.all(attempts);
  return Promise.all(results.map(async (one) => ('callId' in one ? await outcomeOf(parts, one) : one)));
}

async function attempt({ fetch, clock }: Parts, call: Call, slot: SendSlot): Promise<Attempt | NotSent> {
  const aheadMs = slot.atMs - clock.now();
  if (aheadMs > 0) await clock.sleep(aheadMs);
  return fetch.attempt(call, slot);
}

async function outcomeOf({ fetch }: Parts, received: Attempt): Promise<Outcome> {
  const outcome = fetch.outcomeOf(received);
  await fetch.reported();
  return outcome;
}

const MAX_RETRIES = 3;

/** Returns the outcome, or throws if the call was not made. */
export function made(result: Outcome | NotMade | NotSent): Outcome {
  if ('because' in result) throw new Error(`not made: ${JSON.stringify(result.because)}`);
  if ('why' in result) throw new Error(`not sent: ${result.why}`);
  return result;
}

/** Returns why no connection could be opened, or throws if there is another result. */
export function unreachable(result: Outcome | NotMade | NotSent): string {
  if (!('because' in result) || result.because.is !== 'unreachable')
    throw new Error(`not unreachable: ${JSON.stringify(result)}`);
  return errorText(result.because.error);
}
