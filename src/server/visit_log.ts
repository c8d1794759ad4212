import { type Arrival, arrivalOf, type NotedVisit } from './arrivals.ts';
import { deliverFaulty, type Fault } from './faults.ts';
import type { Spectator, Visit } from './visit.ts';

export interface VisitLogOptions {
  /** Asked when the answer of a request is known (`visit.status`): how it goes wrong; null: it does not. */
  readonly faults?: (visit: Readonly<Visit>) => Fault | null;
  /** Every answer comes this much later. */
  readonly latencyMs?: number;
  /** Told of every arrival, when its answer is known. */
  readonly onArrival?: (noted: NotedVisit) => void;
  /** false: arrivals are not kept (for benchmarks). */
  readonly keepArrivals?: boolean;
}

/** The requests so far, and the spectator that notes them and spoils their answers. */
export interface VisitLog {
  readonly spectator: Spectator;
  arrivals(): readonly Arrival[];
  clear(): void;
}

export function visitLog({
  faults,
  latencyMs = 0,
  onArrival,
  keepArrivals = true,
}: VisitLogOptions): VisitLog {
  const visits: NotedVisit[] = [];
  const noted = new WeakMap<Visit, NotedVisit>();
  const late: Fault | null = latencyMs > 0 ? { kind: 'delay', ms: latencyMs } : null;
  const spectator: Spectator = {
    arrived(visit) {
      const note: NotedVisit = { visit, fault: null };
      noted.set(visit, note);
      if (keepArrivals) visits.push(note);
    },
    answering(visit, answer, reply) {
      const note = noted.get(visit);
      const fault = faults?.(visit) ?? late;
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
    spectator,
    arrivals: () => visits.map(arrivalOf),
    clear: () => visits.splice(0),
  };
}
