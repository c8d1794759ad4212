import type { Clock } from '../clock.ts';
import type { Connection } from './connection.ts';

/** The connections of a run: which are free, and which of those are open. */
export interface ConnectionPool {
  /** Connections without a request. */
  readonly free: number;
  /**
   * Resolves with up to `most` free connections that are open, at least one; opens what is missing. Resolves
   * with none if the signal aborts. Rejects with the network's error if none can be opened.
   */
  ready(most: number, signal: AbortSignal): Promise<readonly Connection[]>;
  take(connection: Connection): void;
  giveBack(connection: Connection): void;
}

export function openConnectionPool(connections: readonly Connection[], clock: Clock): ConnectionPool {
  // The connection used last comes first: the others may close when idle.
  const free = [...connections];
  const opening = new Map<Connection, Promise<void>>();
  let openedAtMs = Number.NEGATIVE_INFINITY;
  let unusedInARow = 0;

  function open(connection: Connection): Promise<void> {
    const known = opening.get(connection);
    if (known !== undefined) return known;
    const connecting = connection
      .connect()
      .then(() => {
        unusedInARow = clock.now() - openedAtMs < SHORT_LIFE_MS ? unusedInARow + 1 : 0;
        openedAtMs = clock.now();
      })
      .finally(() => opening.delete(connection));
    // Only who waits for it hears of a failure.
    connecting.catch(() => {});
    opening.set(connection, connecting);
    return connecting;
  }

  return {
    get free() {
      return free.length;
    },
    ready: async (most, signal) => {
      for (;;) {
        if (signal.aborted) return [];
        const ready = free.filter(({ isReady }) => isReady).slice(0, most);
        const missing = free.filter(({ isReady }) => !isReady).slice(0, most - ready.length);
        if (ready.length === 0 && unusedInARow >= connections.length + MAX_SHORT_LIVES) {
          unusedInARow = 0;
          throw new Error('the upstream closes connections at once');
        }
        const connecting = missing.map(open);
        if (ready.length > 0) return ready;
        await firstOf(connecting, signal);
      }
    },
    take: (connection) => {
      unusedInARow = 0;
      free.splice(free.indexOf(connection), 1);
    },
    giveBack: (connection) => {
      free.unshift(connection);
    },
  };
}

/** Resolves with the first that succeeds, or when the signal aborts; rejects with the first error if all fail. */
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

const SHORT_LIFE_MS = 500;
const MAX_SHORT_LIVES = 3;
