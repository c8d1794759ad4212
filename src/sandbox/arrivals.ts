import { once } from 'node:events';
import { createWriteStream, openSync } from 'node:fs';
import type { RequestContext, RequestKind, RequestObserver } from '../api/request_context.ts';
import { isoTime } from '../clock.ts';
import { UsageError } from '../errors.ts';
import { type Fault, type FaultKind, sendWithFault } from './faults.ts';

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
  readonly fault: FaultKind | null;
}

/** A logged request. The response status is added to its context later. */
export interface LoggedRequest {
  readonly context: RequestContext;
  fault: FaultKind | null;
}

function arrivalOf({ context, fault }: LoggedRequest): Arrival {
  const { atMs, account, kind, method, target, status } = context;
  return { at: atMs, account, kind, method, target, status: fault === 'hang' ? null : status, fault };
}

/** A JSON Lines file of all arrivals, written every 100 ms. */
export interface ArrivalsFile {
  add(logged: LoggedRequest): void;
  close(): Promise<void>;
}

/** Opens the file for appending. Throws UsageError if it cannot be written. */
export function openArrivalsFile(path: string): ArrivalsFile {
  const stream = createWriteStream(path, { fd: openForAppending(path) });
  let pending: LoggedRequest[] = [];
  const flush = () => {
    if (pending.length === 0) return;
    stream.write(pending.map((logged) => `${arrivalLine(arrivalOf(logged))}\n`).join(''));
    pending = [];
  };
  const timer = setInterval(flush, FLUSH_EVERY_MS).unref();
  return {
    add: (logged) => void pending.push(logged),
    async close() {
      clearInterval(timer);
      flush();
      stream.end();
      await once(stream, 'close');
    },
  };
}

/** Converts an arrival to JSON, with its time in ISO 8601. */
export function arrivalLine(arrival: Arrival): string {
  return JSON.stringify({ ...arrival, time: isoTime(arrival.at) });
}

function openForAppending(path: string): number {
  try {
    return openSync(path, 'a');
  } catch (cause) {
    throw new UsageError(`The arrivals file ${path} cannot be written.`, { cause });
  }
}

const FLUSH_EVERY_MS = 100;

export interface ArrivalLogOptions {
  /** Returns the fault to apply to a response, or null for none. Called when the response status is known. */
  readonly faults?: (context: Readonly<RequestContext>) => Fault | null;
  /** The delay before every response, in milliseconds. */
  readonly latencyMs?: number;
  /** Called for each arrival when its response is known. */
  readonly onArrival?: (logged: LoggedRequest) => void;
  /** If false, arrivals are not stored, as in benchmarks. */
  readonly keepArrivals?: boolean;
}

/** The log of all requests so far, and the observer that fills the log and applies faults. */
export interface ArrivalLog {
  readonly observer: RequestObserver;
  arrivals(): readonly Arrival[];
  clear(): void;
}

export function openArrivalLog({
  faults,
  latencyMs = 0,
  onArrival,
  keepArrivals = true,
}: ArrivalLogOptions): ArrivalLog {
  const requests: LoggedRequest[] = [];
  const byContext = new WeakMap<RequestContext, LoggedRequest>();
  const latency: Fault | null = latencyMs > 0 ? { kind: 'delay', ms: latencyMs } : null;
  const observer: RequestObserver = {
    onRequest(context) {
      const logged: LoggedRequest = { context, fault: null };
      byContext.set(context, logged);
      if (keepArrivals) requests.push(logged);
    },
    onResponse(context, response, reply) {
      const logged = byContext.get(context);
      const fault = faults?.(context) ?? latency;
      if (logged !== undefined) {
        logged.fault = fault === latency ? null : (fault?.kind ?? null);
        onArrival?.(logged);
      }
      if (fault === null) return 'unchanged';
      sendWithFault(fault, response, reply);
      return 'sent';
    },
  };
  return {
    observer,
    arrivals: () => requests.map(arrivalOf),
    clear: () => requests.splice(0),
  };
}
