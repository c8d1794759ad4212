import { once } from 'node:events';
import { createWriteStream, openSync } from 'node:fs';
import type { RequestContext, RequestKind, RequestObserver } from '../api/request_context.ts';
import { isoTime } from '../clock.ts';
import { UsageError } from '../errors.ts';
import { deliverFaulty, type Fault, type FaultKind } from './faults.ts';

/** One request that reached the sandbox, whatever became of it. */
export interface Arrival {
  /** Epoch milliseconds, with fractions. */
  readonly at: number;
  readonly account: string | null;
  readonly kind: RequestKind;
  readonly method: string;
  /** The id for an entity, else path and query as they were sent. */
  readonly target: string;
  /** null: not answered, or not yet. */
  readonly status: number | null;
  readonly fault: FaultKind | null;
}

/** A visit on its way into the log. */
export interface NotedRequest {
  readonly context: RequestContext;
  fault: FaultKind | null;
}

export function arrivalOf({ context, fault }: NotedRequest): Arrival {
  const { atMs, account, kind, method, target, status } = context;
  return { at: atMs, account, kind, method, target, status: fault === 'hang' ? null : status, fault };
}

/** A JSON Lines file of every arrival, written shortly after it so that its status is known. */
export interface ArrivalsFile {
  add(noted: NotedRequest): void;
  close(): Promise<void>;
}

/** Throws UsageError where the file cannot be written. */
export function arrivalsFile(path: string): ArrivalsFile {
  const stream = createWriteStream(path, { fd: openedFor(path) });
  let pending: NotedRequest[] = [];
  const flush = () => {
    if (pending.length === 0) return;
    stream.write(pending.map((noted) => `${lineOf(arrivalOf(noted))}\n`).join(''));
    pending = [];
  };
  const timer = setInterval(flush, FLUSH_EVERY_MS).unref();
  return {
    add: (noted) => void pending.push(noted),
    async close() {
      clearInterval(timer);
      flush();
      stream.end();
      await once(stream, 'close');
    },
  };
}

export function lineOf(arrival: Arrival): string {
  return JSON.stringify({ ...arrival, time: isoTime(arrival.at) });
}

function openedFor(path: string): number {
  try {
    return openSync(path, 'a');
  } catch (cause) {
    throw new UsageError(`Arrivals cannot be written to ${path}.`, { cause });
  }
}

const FLUSH_EVERY_MS = 100;

export interface ArrivalLogOptions {
  /** Asked when the answer of a request is known (`visit.status`): how it goes wrong; null: it does not. */
  readonly faults?: (context: Readonly<RequestContext>) => Fault | null;
  /** Every answer comes this much later. */
  readonly latencyMs?: number;
  /** Told of every arrival, when its answer is known. */
  readonly onArrival?: (noted: NotedRequest) => void;
  /** false: arrivals are not kept (for benchmarks). */
  readonly keepArrivals?: boolean;
}

/** The requests so far, and the spectator that notes them and spoils their answers. */
export interface ArrivalLog {
  readonly observer: RequestObserver;
  arrivals(): readonly Arrival[];
  clear(): void;
}

export function arrivalLog({
  faults,
  latencyMs = 0,
  onArrival,
  keepArrivals = true,
}: ArrivalLogOptions): ArrivalLog {
  const visits: NotedRequest[] = [];
  const noted = new WeakMap<RequestContext, NotedRequest>();
  const late: Fault | null = latencyMs > 0 ? { kind: 'delay', ms: latencyMs } : null;
  const observer: RequestObserver = {
    arrived(context) {
      const note: NotedRequest = { context, fault: null };
      noted.set(context, note);
      if (keepArrivals) visits.push(note);
    },
    answering(context, answer, reply) {
      const note = noted.get(context);
      const fault = faults?.(context) ?? late;
      if (note !== undefined) {
        note.fault = fault === late ? null : (fault?.kind ?? null);
        onArrival?.(note);
      }
      if (fault === null) return 'left';
      deliverFaulty(fault, answer, reply);
      return 'taken';
    },
  };
  return {
    observer,
    arrivals: () => visits.map(arrivalOf),
    clear: () => visits.splice(0),
  };
}
