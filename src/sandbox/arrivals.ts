import type { ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { httpDate } from '../api/admission.ts';
import { isoTime } from '../clock.ts';

/** The prefix of paths that are not part of the API. Requests to them are not logged. */
export const PRIVATE_PREFIX = '/_sandbox/';

/** A request that reached the sandbox. */
export interface Arrival {
  /** The arrival time in epoch milliseconds, with fractions. */
  readonly at: number;
  readonly account: string | null;
  readonly kind: 'search' | 'entity' | 'stats' | 'other';
  readonly method: string;
  /** The id if the request is for a record, otherwise the path and query string as sent. */
  readonly target: string;
  /** The response status. Null if no response was sent, or if the status is not known yet. */
  readonly status: number | null;
  /** The fault in the response, or null if there was none. */
  readonly fault: string | null;
}

/** A response that has not been sent yet. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Replaces a response with a faulty one and sends it. Returns the fault's name, or null if the response is to be sent
 * unchanged.
 */
export type FaultSender = (
  request: Arrival & Pick<FastifyRequest, 'url'>,
  response: ApiResponse,
  raw: ServerResponse,
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

/** The log of all requests so far. It also sets the responses' dates, delays responses and lets faults replace them. */
export class ArrivalLog {
  readonly #options: ArrivalLogOptions;
  readonly #now: () => number;
  readonly #arrivals = new Map<FastifyRequest, Arrival>();

  constructor(options: ArrivalLogOptions, now: () => number) {
    this.#options = options;
    this.#now = now;
  }

  /** Logs all requests to a service. */
  observe(app: FastifyInstance): void {
    const { keepArrivals = true, onArrival, latencyMs = 0 } = this.#options;
    app.addHook('onRequest', async (request, reply) => {
      const nowMs = this.#now();
      reply.header('date', httpDate(nowMs));
      if (!request.url.startsWith(PRIVATE_PREFIX)) this.#arrivals.set(request, arrivalOf(request, nowMs));
    });
    app.addHook('onSend', async (request, reply, payload) => {
      const arrival = this.#arrivals.get(request);
      if (arrival === undefined) return payload;
      const { account } = request;
      const known = { ...arrival, account, status: reply.statusCode };
      const fault = this.#faultIn(known, request, reply, payload);
      const complete = { ...known, fault, status: fault === 'hang' ? null : known.status };
      if (keepArrivals) this.#arrivals.set(request, complete);
      else this.#arrivals.delete(request);
      onArrival?.(complete);
      // The faulty response has been sent instead.
      if (fault !== null) return await new Promise<never>(() => undefined);
      if (latencyMs > 0) await setTimeout(latencyMs);
      return payload;
    });
  }

  arrivals(): readonly Arrival[] {
    return [...this.#arrivals.values()];
  }

  clear(): void {
    this.#arrivals.clear();
  }

  #faultIn(arrival: Arrival, { url }: FastifyRequest, reply: FastifyReply, payload: unknown): string | null {
    const headers = reply.getHeaders() as Record<string, string>;
    const response = { status: reply.statusCode, headers, body: typeof payload === 'string' ? payload : '' };
    return this.#options.faults?.({ ...arrival, url }, response, reply.raw) ?? null;
  }
}

function arrivalOf({ method, url, params, routeOptions }: FastifyRequest, nowMs: number): Arrival {
  const kind = routeOptions.config.kind ?? 'other';
  const target = kind === 'entity' ? (params as { id: string }).id : url;
  return { at: nowMs, account: null, kind, method, target, status: null, fault: null };
}

/** Converts an arrival to a line of JSON Lines, with its time in ISO 8601. */
export function arrivalLine(arrival: Arrival): string {
  return `${JSON.stringify({ ...arrival, time: isoTime(arrival.at) })}\n`;
}
