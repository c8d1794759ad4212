import type { Clock } from '../clock.ts';
import type { Connection } from './connection.ts';

/** One run's connections. A connection is free if it carries no request. */
export interface ConnectionPool {
  readonly free: number;
  /**
   * Resolves with one to `maxCount` free, open connections, and opens more if necessary. Resolves with an empty list if
   * the signal aborts. Rejects with the network error if no connection can be opened.
   */
  ready(maxCount: number, signal: AbortSignal): Promise<readonly Connection[]>;
  take(connection: Connection): void;
  giveBack(connection: Connection): void;
}

export function openConnectionPool(connections: readonly Connection[], clock: Clock): ConnectionPool {
  // The most recently used connection comes first, so that all others become idle and can be closed.
  const free = [...connections];
  const opening = new Map<Connection, Promise<void>>();
  let openedAtMs = Number.NEGATIVE_INFINITY;
  let shortLivesInARow = 0;

  function open(connection: Connection): Promise<void> {
    const known = opening.get(connection);
    if (known !== undefined) return known;
    const connecting = connection
      .connect()
      .then(() => {
        shortLivesInARow = clock.now() - openedAtMs < SHORT_LIFE_MS ? shortLivesInARow + 1 : 0;
        openedAtMs = clock.now();
      })
      .finally(() => opening.delete(connection));
    // A caller that waits for the connection receives the error.
    connecting.catch(() => {});
    opening.set(connection, connecting);
    return connecting;
  }

  return {
    get free() {
      return free.length;
    },
    ready: async (maxCount, signal) => {
      for (;;) {
        if (signal.aborted) return [];
        const ready = free.filter(({ isReady }) => isReady).slice(0, maxCount);
        const missing = free.filter(({ isReady }) => !isReady).slice(0, maxCount - ready.length);
        if (ready.length === 0 && shortLivesInARow >= connections.length + EXTRA_SHORT_LIVES) {
          shortLivesInARow = 0;
          throw new Error('the upstream closes each connection immediately');
        }
        const connecting = missing.map(open);
        if (ready.length > 0) return ready;
        await firstOf(connecting, signal);
      }
    },
    take: (connection) => {
      shortLivesInARow = 0;
      free.splice(free.indexOf(connection), 1);
    },
    giveBack: (connection) => {
      free.unshift(connection);
    },
  };
}

/**
 * Resolves when at least one connection is open, or when the signal aborts. Rejects with the first error if all
 * connections fail.
 */
async function firstOf(connecting: readonly Promise<void>[], signal: AbortSignal): Promise<void> {
  let stop: () => void = () => {};
  const aborted = new Promise<void>((resolve) => {
    stop = resolve;
  });
  signal.addEventListener('abort', stop, { once: true });
  try {
    await Promise.race([Promise.any(connecting), aborted]);
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** An unused connection that must be replaced sooner than this counts as short-lived. */
const SHORT_LIFE_MS = 500;
const EXTRA_SHORT_LIVES = 3;
