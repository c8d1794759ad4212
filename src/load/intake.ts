import type { LoadResult } from '../load_result.ts';
import type { Attempt, Outcome } from '../outcome.ts';
import type { Loader } from './load.ts';

/**
 * The way of responses into the warehouse: stored within STORE_WITHIN_MS of their arrival, then processed.
 * Searches and statistics are processed at once, because the planner learns from them, and so is every record
 * that did not arrive as expected. Other records wait for a batch, since a commit for each would cost more
 * than the call.
 */
export interface Intake {
  take(attempt: Attempt): void;
  /** Stores and processes all that was taken. Throws if the warehouse cannot be written. */
  flush(): void;
  /** Responses that are not stored yet: a kill would lose them. */
  readonly unstored: number;
  /** Nothing waits to be stored or processed. */
  readonly isEmpty: boolean;
}

export interface IntakeOptions {
  readonly loader: Pick<Loader, 'store' | 'process'>;
  readonly outcomeOf: (attempt: Attempt) => Outcome;
  /** So many responses are stored at once, without waiting for more. */
  readonly maxUnstored: number;
  readonly onStored: () => void;
  readonly onLoaded: (outcomes: readonly Outcome[], results: readonly LoadResult[]) => void;
  /** The warehouse cannot be written. What was taken is kept for another `flush`. */
  readonly onFailure: (error: unknown) => void;
}

export function openIntake(options: IntakeOptions): Intake {
  const { loader, outcomeOf, maxUnstored, onStored, onLoaded, onFailure } = options;
  let arrived: Attempt[] = [];
  let waiting: Outcome[] = [];
  let waitingBytes = 0;
  const storing = openTimer(STORE_WITHIN_MS, () => guarded(store));
  const processing = openTimer(PROCESS_WITHIN_MS, () => guarded(process));

  function store(): void {
    if (arrived.length === 0) return;
    storing.cancel();
    loader.store(arrived);
    const stored = arrived;
    arrived = [];
    for (const attempt of stored) {
      waiting.push(outcomeOf(attempt));
      waitingBytes += attempt.body?.length ?? 0;
    }
    const isFull = waiting.length >= MAX_BATCH || waitingBytes >= MAX_BATCH_BYTES;
    if (isFull || waiting.some(isUrgent)) process();
    else processing.start();
    onStored();
  }

  function process(): void {
    if (waiting.length === 0) return;
    processing.cancel();
    const results = loader.process(waiting);
    const processed = waiting;
    waiting = [];
    waitingBytes = 0;
    onLoaded(processed, results);
  }

  function guarded(action: () => void): void {
    try {
      action();
    } catch (error) {
      onFailure(error);
    }
  }

  return {
    take: (attempt) => {
      arrived.push(attempt);
      if (!isPlainRecord(attempt) || arrived.length >= maxUnstored) guarded(store);
      else storing.start();
    },
    flush: () => {
      store();
      process();
    },
    get unstored() {
      return arrived.length;
    },
    get isEmpty() {
      return arrived.length === 0 && waiting.length === 0;
    },
  };
}

/** Anything else may change the next call: it teaches the planner, or tells of a limit. */
function isPlainRecord({ call, status, body, headers = {} }: Attempt): boolean {
  const isLimited = Object.keys(headers).some((name) => /rate-?limit|retry-after/i.test(name));
  return call.kind === 'entity' && status === 200 && body !== null && !isLimited;
}

function isUrgent({ call, verdict }: Outcome): boolean {
  return call.kind !== 'entity' || verdict.is !== 'ok';
}

/** A timer that runs its action once after each start; a start while it runs changes nothing. */
function openTimer(delayMs: number, action: () => void) {
  let timer: NodeJS.Timeout | null = null;
  return {
    start: () => {
      timer ??= setTimeout(() => {
        timer = null;
        action();
      }, delayMs);
    },
    cancel: () => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}

const STORE_WITHIN_MS = 8;
const PROCESS_WITHIN_MS = 250;
const MAX_BATCH = 200;
/** Parsed, a body takes several times its size in memory. */
const MAX_BATCH_BYTES = 8 * 1024 * 1024;
