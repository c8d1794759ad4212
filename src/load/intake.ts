import { isLimitHeader } from '../dialect/headers.ts';
import type { LoadResult } from '../load_result.ts';
import type { Attempt, Outcome } from '../outcome.ts';
import type { Loader } from './load.ts';

/**
 * Stores responses within STORE_WITHIN_MS of their arrival, then processes them.
 *
 * Searches, statistics and unusual responses to record calls are processed immediately, because the planner learns from
 * them. Other records are processed in batches, because committing each record would take longer than its call.
 */
export interface Intake {
  take(attempt: Attempt): void;
  /** Stores and processes everything received so far. Throws if the warehouse cannot be written to. */
  flush(): void;
  /** How many responses are not stored yet. They would be lost if the process were killed. */
  readonly unstored: number;
  /** True if no response is waiting to be stored or processed. */
  readonly isEmpty: boolean;
}

export interface IntakeOptions {
  readonly loader: Pick<Loader, 'store' | 'process'>;
  readonly outcomeOf: (attempt: Attempt) => Outcome;
  /** When this many responses are waiting to be stored, they are stored immediately. */
  readonly maxUnstored: number;
  readonly onStored: () => void;
  readonly onLoaded: (outcomes: readonly Outcome[], results: readonly LoadResult[]) => void;
  /** Called if the warehouse cannot be written to. The responses are kept for another `flush`. */
  readonly onFailure: (error: unknown) => void;
}

export function openIntake(options: IntakeOptions): Intake {
  const { loader, outcomeOf, maxUnstored, onStored, onLoaded, onFailure } = options;
  let unstored: Attempt[] = [];
  let unprocessed: Outcome[] = [];
  let unprocessedBytes = 0;
  const storeTimer = openTimer(STORE_WITHIN_MS, () => reportFailure(store));
  const processTimer = openTimer(PROCESS_WITHIN_MS, () => reportFailure(process));

  function store(): void {
    if (unstored.length === 0) return;
    storeTimer.cancel();
    loader.store(unstored);
    const stored = unstored;
    unstored = [];
    for (const attempt of stored) {
      unprocessed.push(outcomeOf(attempt));
      unprocessedBytes += attempt.body?.length ?? 0;
    }
    const isFull = unprocessed.length >= MAX_BATCH || unprocessedBytes >= MAX_BATCH_BYTES;
    if (isFull || unprocessed.some(isUrgent)) process();
    else processTimer.start();
    onStored();
  }

  function process(): void {
    if (unprocessed.length === 0) return;
    processTimer.cancel();
    const results = loader.process(unprocessed);
    const processed = unprocessed;
    unprocessed = [];
    unprocessedBytes = 0;
    onLoaded(processed, results);
  }

  function reportFailure(action: () => void): void {
    try {
      action();
    } catch (error) {
      onFailure(error);
    }
  }

  return {
    take: (attempt) => {
      unstored.push(attempt);
      if (!isPlainRecord(attempt) || unstored.length >= maxUnstored) reportFailure(store);
      else storeTimer.start();
    },
    flush: () => {
      store();
      process();
    },
    get unstored() {
      return unstored.length;
    },
    get isEmpty() {
      return unstored.length === 0 && unprocessed.length === 0;
    },
  };
}

/**
 * Returns whether the response is an ordinary record. Any other response can affect the next call, because the planner
 * learns from it or because it reports a limit.
 */
function isPlainRecord({ call, status, body, headers = {} }: Attempt): boolean {
  const isLimited = Object.keys(headers).some(isLimitHeader);
  return call.kind === 'entity' && status === 200 && body !== null && !isLimited;
}

function isUrgent({ call, verdict }: Outcome): boolean {
  return call.kind !== 'entity' || verdict.is !== 'ok';
}

/** Returns a timer that runs `action` once after each start. Starting a running timer has no effect. */
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
const PROCESS_WITHIN_MS = 1000;
const MAX_BATCH = 200;
/** The maximum total size of the bodies in a batch. A parsed body is several times as large in memory. */
const MAX_BATCH_BYTES = 8 * 1024 * 1024;
