import type { Call } from '../call.ts';
import type { Clock } from '../clock.ts';
import type { Outcome } from '../outcome.ts';
import { type Fetch, LedgerFailure, type NotMade } from './fetch.ts';
import type { Lane } from './lane.ts';

/**
 * The calls in flight, one to a lane, and what has landed but is not loaded yet. A lane stays taken until
 * its outcome is handed over to be loaded: a killed process forgets at most one call per lane.
 */
export interface Flight {
  readonly freeLanes: number;
  /** Nothing in flight and nothing waiting to be loaded. */
  readonly isEmpty: boolean;
  /** Searches and statistics teach the next plan: while one of them waits to be loaded, planning should too. */
  readonly holdsLessons: boolean;
  start(call: Call): void;
  /**
   * Resolves when there is something to do: with outcomes to load (records in groups, since a commit for
   * each would cost more than the calls), or with none when merely a lane became free.
   */
  landed(): Promise<Outcome[]>;
  /** Waits for everything in flight and hands over what landed. */
  settled(): Promise<Outcome[]>;
  /** An error that is no outcome: a defect, or a ledger that cannot be written. Throws it, where there was one. */
  check(): void;
}

export interface FlightOptions {
  readonly lanes: readonly Lane[];
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** Aborts the waiting for a slot; calls that were sent are finished all the same. */
  readonly signal: AbortSignal;
  readonly onNotMade: (notMade: NotMade) => void;
}

export function openFlight({ lanes, fetch, clock, signal, onNotMade }: FlightOptions): Flight {
  const free = [...lanes];
  const inFlight = new Set<Promise<void>>();
  let arrived: { readonly outcome: Outcome; readonly lane: Lane }[] = [];
  let groupSinceMs = 0;
  let failure: { error: unknown } | null = null;
  let wake: () => void = () => {};

  async function fly(call: Call, lane: Lane): Promise<void> {
    try {
      const result = await fetch(call, lane, signal);
      if (!('because' in result)) return arrive(result, lane);
      free.push(lane);
      onNotMade(result);
    } catch (error) {
      if (error instanceof LedgerFailure) arrive(error.outcome, lane);
      failure = { error };
    }
  }

  function arrive(outcome: Outcome, lane: Lane): void {
    if (arrived.length === 0) groupSinceMs = clock.now();
    arrived.push({ outcome, lane });
  }

  const teaches = ({ outcome }: { outcome: Outcome }) => outcome.call.kind !== 'entity';

  function isGroupDue(): boolean {
    if (arrived.length === 0) return false;
    return (
      inFlight.size === 0 ||
      arrived.length >= Math.min(GROUP_OUTCOMES, lanes.length) ||
      clock.now() - groupSinceMs >= GROUP_MS ||
      arrived.some(teaches)
    );
  }

  function handOver(): Outcome[] {
    if (!isGroupDue()) return [];
    const group = arrived;
    arrived = [];
    for (const { lane } of group) free.push(lane);
    return group.map(({ outcome }) => outcome);
  }

  return {
    get freeLanes() {
      return free.length;
    },
    get isEmpty() {
      return inFlight.size === 0 && arrived.length === 0;
    },
    get holdsLessons() {
      return arrived.some(teaches);
    },
    start: (call) => {
      const lane = free.pop();
      if (lane === undefined) throw new Error('no free lane');
      const flying = fly(call, lane).then(() => {
        inFlight.delete(flying);
        wake();
      });
      inFlight.add(flying);
    },
    landed: async () => {
      if (isGroupDue() || failure !== null || inFlight.size === 0) return handOver();
      await new Promise<void>((resolve) => {
        const timer = arrived.length > 0 ? setTimeout(resolve, GROUP_MS) : undefined;
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      return handOver();
    },
    settled: async () => {
      await Promise.all(inFlight);
      return handOver();
    },
    check: () => {
      if (failure !== null) throw failure.error;
    },
  };
}

const GROUP_OUTCOMES = 200;
const GROUP_MS = 10;
