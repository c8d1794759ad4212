import { once } from 'node:events';
import { createWriteStream, openSync } from 'node:fs';
import { isoTime } from '../clock.ts';
import { UsageError } from '../errors.ts';
import type { FaultKind } from './faults.ts';
import type { Visit, VisitKind } from './visit.ts';

/** One request that reached the sandbox, whatever became of it. */
export interface Arrival {
  /** Epoch milliseconds, with fractions. */
  readonly at: number;
  readonly account: string | null;
  readonly kind: VisitKind;
  readonly method: string;
  /** The id for an entity, else path and query as they were sent. */
  readonly target: string;
  /** null: not answered, or not yet. */
  readonly status: number | null;
  readonly fault: FaultKind | null;
}

/** A visit on its way into the log. */
export interface NotedVisit {
  readonly visit: Visit;
  fault: FaultKind | null;
}

export function arrivalOf({ visit, fault }: NotedVisit): Arrival {
  const { atMs, account, kind, method, target, status } = visit;
  return { at: atMs, account, kind, method, target, status: fault === 'hang' ? null : status, fault };
}

/** A JSON Lines file of every arrival, written shortly after it so that its status is known. */
export interface ArrivalsFile {
  add(noted: NotedVisit): void;
  close(): Promise<void>;
}

/** Throws UsageError where the file cannot be written. */
export function arrivalsFile(path: string): ArrivalsFile {
  const stream = createWriteStream(path, { fd: openedFor(path) });
  let pending: NotedVisit[] = [];
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
