import type { Clock } from '../clock.ts';
import type { Connection } from './connection.ts';

/** One run's connections. A connection is free if it carries no request. */
export class ConnectionPool {
  readonly #clock: Clock;
  readonly #count: number;
  /** The most recently used connection comes first, so that all others become idle and can be closed. */
  readonly #free: Connection[];
  readonly #opening = new Map<Connection, Promise<void>>();
  #openedAtMs = Number.NEGATIVE_INFINITY;
  #shortLivesInARow = 0;

  constructor(connections: readonly Connection[], clock: Clock) {
    this.#clock = clock;
    this.#count = connections.length;
    this.#free = [...connections];
  }

  get free(): number {
    return this.#free.length;
  }

  /**
   * Resolves with one to `maxCount` free, open connections, and opens more if necessary. Resolves with an empty list if
   * the signal aborts. Rejects with the network error if no connection can be opened.
   */
  async ready(maxCount: number, signal: AbortSignal): Promise<readonly Connection[]> {
    for (;;) {
      if (signal.aborted) return [];
      const ready = this.#free.filter(({ isReady }) => isReady).slice(0, maxCount);
      const missing = this.#free.filter(({ isReady }) => !isReady).slice(0, maxCount - ready.length);
      if (ready.length === 0 && this.#shortLivesInARow >= this.#count + EXTRA_SHORT_LIVES) {
        this.#shortLivesInARow = 0;
        throw new Error('the upstream closes each connection immediately');
      }
      const connecting = missing.map((connection) => this.#open(connection));
      if (ready.length > 0) return ready;
      await firstOf(connecting, signal);
    }
  }

  take(connection: Connection): void {
    this.#shortLivesInARow = 0;
    this.#free.splice(this.#free.indexOf(connection), 1);
  }

  giveBack(connection: Connection): void {
    this.#free.unshift(connection);
  }

  #open(connection: Connection): Promise<void> {
    const known = this.#opening.get(connection);
    if (known !== undefined) return known;
    const connecting = connection
      .connect()
      .then(() => this.#opened())
      .finally(() => this.#opening.delete(connection));
    // A caller that waits for the connection receives the error.
    connecting.catch(() => {});
    this.#opening.set(connection, connecting);
    return connecting;
  }

  #opened(): void {
    const nowMs = this.#clock.now();
    this.#shortLivesInARow = nowMs - this.#openedAtMs < SHORT_LIFE_MS ? this.#shortLivesInARow + 1 : 0;
    this.#openedAtMs = nowMs;
  }
}

/**
 * Resolves when at least one connection is open, or when the signal aborts. Rejects with the first error if all
 * connections fail.
 */
async function firstOf(connecting: readonly Promise<void>[], signal: AbortSignal): Promise<void> {
  const done = new AbortController();
  const aborted = new Promise((resolve) =>
    signal.addEventListener('abort', resolve, { signal: done.signal }),
  );
  try {
    await Promise.race([Promise.any(connecting), aborted]);
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  } finally {
    done.abort();
  }
}

/** An unused connection that must be replaced sooner than this counts as short-lived. */
const SHORT_LIFE_MS = 500;
const EXTRA_SHORT_LIVES = 3;
