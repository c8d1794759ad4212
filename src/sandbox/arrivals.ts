import { once } from 'node:events';
import { createWriteStream, openSync } from 'node:fs';
import type { FastifyReply } from 'fastify';
import type { ApiResponse, RequestContext, RequestKind, RequestObserver } from '../api/request_context.ts';
import { isoTime } from '../clock.ts';
import { UsageError } from '../errors.ts';

/** A request that reached the sandbox. */
export interface Arrival {
  /** The arrival time in epoch milliseconds, with fractions. */
  readonly at: number;
  readonly account: string | null;
  readonly kind: RequestKind;
  readonly method: string;
  /** The id if the request is for a record, otherwise the path and query string as sent. */
  readonly target: string;
  /** The response status. Null if no response was sent, or if the status is not known yet. */
  readonly status: number | null;
  /** The fault in the response, or null if there was none. */
  readonly fault: string | null;
}

/**
 * Replaces a response with a faulty one and sends it. Returns the fault's name, or null if the response is to be sent
 * unchanged.
 */
export type FaultSender = (
  context: Readonly<RequestContext>,
  response: ApiResponse,
  reply: FastifyReply,
) => string | null;

export interface ArrivalLogOptions {
  readonly faults?: FaultSender;
  /** The delay before every response, in milliseconds. */
  readonly latencyMs?: number;
  /** Called for each arrival when its response is known. */
  readonly onArrival?: (arrival: Arrival) => void;
  /** If false, arrivals are not stored, as in benchmarks. */
  readonly keepArrivals?: boolean;
}

/** The log of all requests so far. As the service's observer, it also delays responses and lets faults replace them. */
export class ArrivalLog implements RequestObserver {
  readonly #options: ArrivalLogOptions;
  readonly #faultOf = new Map<RequestContext, string | null>();

  constructor(options: ArrivalLogOptions) {
    this.#options = options;
  }

  onRequest(context: RequestContext): void {
    if (this.#options.keepArrivals !== false) this.#faultOf.set(context, null);
  }

  onResponse(context: RequestContext, response: ApiResponse, reply: FastifyReply): 'sent' | 'unchanged' {
    const { faults, latencyMs = 0, onArrival } = this.#options;
    const fault = faults?.(context, response, reply) ?? null;
    if (this.#faultOf.has(context)) this.#faultOf.set(context, fault);
    onArrival?.(arrivalOf(context, fault));
    if (fault !== null) return 'sent';
    if (latencyMs === 0) return 'unchanged';
    sendLater(response, reply, latencyMs);
    return 'sent';
  }

  arrivals(): readonly Arrival[] {
    return Array.from(this.#faultOf, ([context, fault]) => arrivalOf(context, fault));
  }

  clear(): void {
    this.#faultOf.clear();
  }
}

/** Sends a response after a delay, unless the client closes the connection before. */
export function sendLater(
  { status, headers, body }: ApiResponse,
  reply: FastifyReply,
  delayMs: number,
): void {
  reply.hijack();
  const { raw } = reply;
  const length = { 'content-length': Buffer.byteLength(body) };
  const timer = setTimeout(() => raw.writeHead(status, { ...headers, ...length }).end(body), delayMs);
  raw.once('close', () => clearTimeout(timer));
}

function arrivalOf(context: RequestContext, fault: string | null): Arrival {
  const { atMs, account, kind, method, target, status } = context;
  return { at: atMs, account, kind, method, target, status: fault === 'hang' ? null : status, fault };
}

/** Converts an arrival to JSON, with its time in ISO 8601. */
export function arrivalLine(arrival: Arrival): string {
  return JSON.stringify({ ...arrival, time: isoTime(arrival.at) });
}

/** A JSON Lines file of arrivals. */
interface ArrivalsFile {
  add(arrival: Arrival): void;
  close(): Promise<void>;
}

/** Opens the file for appending. Throws UsageError if it cannot be written. */
export function openArrivalsFile(path: string): ArrivalsFile {
  const stream = createWriteStream(path, { fd: openForAppending(path) });
  return {
    add: (arrival) => void stream.write(`${arrivalLine(arrival)}\n`),
    async close() {
      stream.end();
      await once(stream, 'close');
    },
  };
}

function openForAppending(path: string): number {
  try {
    return openSync(path, 'a');
  } catch (cause) {
    throw new UsageError(`The arrivals file ${path} cannot be written.`, { cause });
  }
}
