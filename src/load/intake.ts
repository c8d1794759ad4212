import type { LoadResult } from '../load_result.ts';
import type { Attempt, Outcome } from '../outcome.ts';
import type { Loader } from './load.ts';

interface IntakeOptions {
  readonly loader: Pick<Loader, 'store' | 'process'>;
  readonly outcomeOf: (attempt: Attempt) => Outcome;
  readonly onLoaded: (outcomes: readonly Outcome[], results: readonly LoadResult[]) => void;
  /** Called if the warehouse cannot be written to. The responses are kept for another `flush`. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Stores each response when it arrives, then processes it.
 *
 * Searches, statistics and unusual responses to record calls are processed immediately, because the planner learns from
 * them. Other records are processed in batches, because committing each record would take longer than its call.
 */
export class Intake {
  readonly #options: IntakeOptions;
  /** More than one response only if the warehouse cannot be written to. */
  #unstored: Attempt[] = [];
  #unprocessed: Outcome[] = [];
  #unprocessedBytes = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /** True if no response is waiting to be stored or processed. */
  get isEmpty(): boolean {
    return this.#unstored.length === 0 && this.#unprocessed.length === 0;
  }

  take(attempt: Attempt): void {
    this.#unstored.push(attempt);
    this.#reportFailure(() => this.#store());
  }

  /** Stores and processes everything received so far. Throws if the warehouse cannot be written to. */
  flush(): void {
    this.#store();
    this.#process();
  }

  #store(): void {
    if (this.#unstored.length === 0) return;
    this.#options.loader.store(this.#unstored);
    const stored = this.#unstored;
    this.#unstored = [];
    for (const attempt of stored) {
      this.#unprocessed.push(this.#options.outcomeOf(attempt));
      this.#unprocessedBytes += attempt.body?.length ?? 0;
    }
    const isFull = this.#unprocessed.length >= MAX_BATCH || this.#unprocessedBytes >= MAX_BATCH_BYTES;
    if (isFull || this.#unprocessed.some(isUrgent)) this.#process();
    else this.#timer ??= setTimeout(() => this.#reportFailure(() => this.#process()), PROCESS_WITHIN_MS);
  }

  #process(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#unprocessed.length === 0) return;
    const results = this.#options.loader.process(this.#unprocessed);
    const processed = this.#unprocessed;
    this.#unprocessed = [];
    this.#unprocessedBytes = 0;
    this.#options.onLoaded(processed, results);
  }

  #reportFailure(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#options.onFailure(error);
    }
  }
}

function isUrgent({ call, verdict }: Outcome): boolean {
  return call.kind !== 'entity' || verdict.is !== 'ok';
}

const PROCESS_WITHIN_MS = 1000;
const MAX_BATCH = 200;
/** The maximum total size of the bodies in a batch. A parsed body is several times as large in memory. */
const MAX_BATCH_BYTES = 8 * 1024 * 1024;
