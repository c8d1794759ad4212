import pThrottle from 'p-throttle';
import { isBusy, type Ledger, LOOKAHEAD_MS, type Slot, type Spent } from '../allowance/ledger.ts';
import { type Purpose, spacingMs } from '../allowance/windows.ts';
import type { Clock } from '../clock.ts';
import type { Connection } from './connection.ts';
import type { ConnectionPool } from './connection_pool.ts';

/** How late after its slot a call may still leave. */
export const SLOT_TOLERANCE_MS = 250;

/** The right to send one call, on a connection that is open. Its unit is spent. */
export interface SendSlot extends Slot {
  readonly connection: Connection;
}

/** Waits until the account may send. The ledger decides, for all processes of the account. */
export interface RateLimiter {
  /**
   * Resolves with one to `most` slots, at most LOOKAHEAD_MS before the first is due, or with the reason why
   * there is none. The connections are opened before the units are spent: if that fails, nothing is spent.
   */
  slots(most: number, signal: AbortSignal): Promise<readonly SendSlot[] | NoSlot>;
}

export type NoSlot =
  | Exclude<Spent, { is: 'go' } | { is: 'wait' }>
  /** The upstream asked for a pause that is too long for a run to wait out. */
  | { readonly is: 'paused'; readonly untilMs: number }
  | { readonly is: 'unreachable'; readonly error: unknown }
  | { readonly is: 'interrupted' };

export interface RateLimiterOptions {
  readonly ledger: Ledger;
  readonly pool: ConnectionPool;
  readonly clock: Clock;
  readonly perMinute: number | null;
  readonly purpose: Purpose;
  readonly keyFingerprint: string;
}

/**
 * p-throttle smooths the demand of this process; the ledger spends. One transaction takes as many slots as
 * fall into the next LOOKAHEAD_MS.
 */
export function openRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { ledger, pool, clock, perMinute, purpose, keyFingerprint } = options;
  const spacing = spacingMs(perMinute);
  const batch = spacing > 0 ? Math.min(MAX_BATCH, 1 + Math.floor(LOOKAHEAD_MS / spacing)) : MAX_BATCH;
  const smoother = openSmoother(spacing);
  let lastSlotMs = Number.NEGATIVE_INFINITY;

  /** The next slot is at least one spacing after this process's last one. */
  const ownNextMs = () => lastSlotMs + spacing - LOOKAHEAD_MS;

  /** A busy ledger means "try again". */
  function spend(most: number): Spent {
    const nowMs = clock.now();
    // No transaction is needed to find out that the slot is further away than the lookahead.
    const isAhead = ownNextMs() > nowMs && ownNextMs() - nowMs <= MAX_UNCHECKED_MS;
    if (isAhead) return { is: 'wait', untilMs: ownNextMs() };
    try {
      return ledger.spend({ nowMs, most, purpose, keyFingerprint });
    } catch (error) {
      // The attempt itself may have waited for long.
      if (isBusy(error)) return { is: 'wait', untilMs: clock.now() + BUSY_WAIT_MS };
      throw error;
    }
  }

  return {
    slots: async (most, signal) => {
      // A connection that is opened long before its slot would be idle until then.
      await sleepUntil(ownNextMs() - CONNECT_AHEAD_MS);
      if (!signal.aborted) await smoother(signal);
      for (;;) {
        if (signal.aborted) return { is: 'interrupted' };
        let ready: readonly Connection[];
        try {
          ready = await pool.ready(Math.min(most, batch), signal);
        } catch (error) {
          return { is: 'unreachable', error };
        }
        if (signal.aborted) return { is: 'interrupted' };
        const spent = spend(ready.length);
        if (spent.is === 'go') return withConnections(spent.slots, ready);
        if (spent.is !== 'wait') return spent;
        const waitMs = spent.untilMs - clock.now();
        if (waitMs > MAX_PAUSE_MS) return { is: 'paused', untilMs: spent.untilMs + LOOKAHEAD_MS };
        await sleepUntil(spent.untilMs - (waitMs > 2 * CONNECT_AHEAD_MS ? CONNECT_AHEAD_MS : 0));
      }

      async function sleepUntil(untilMs: number): Promise<void> {
        // A timer counts whole milliseconds; one that fires early would only cost another look.
        const waitMs = Math.ceil(untilMs - clock.now());
        // A pause may be lifted and a clock may be set: no wait is slept through blindly.
        if (waitMs > 0) await clock.sleep(Math.min(waitMs, RECONSIDER_MS), signal);
      }
    },
  };

  function withConnections(slots: readonly Slot[], ready: readonly Connection[]): readonly SendSlot[] {
    return slots.map((slot, at) => {
      const connection = ready[at] as Connection;
      pool.take(connection);
      connection.hold();
      lastSlotMs = slot.atMs;
      return { ...slot, connection };
    });
  }
}

/** Resolves when this process may take its next slot, or when the signal aborts, which ends the smoother. */
type Smoother = (signal: AbortSignal) => Promise<void>;

function openSmoother(spacing: number): Smoother {
  const interval = spacing * SMOOTHED_SHARE;
  // Below a timer's resolution there is nothing to smooth; connections that become free in one turn of the
  // event loop share one transaction.
  if (interval < 1) return () => new Promise(setImmediate);
  const ended = new AbortController();
  const throttled = pThrottle({ limit: 1, interval, strict: true, signal: ended.signal })(async () => {});
  return async (signal) => {
    const end = () => ended.abort();
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    try {
      await throttled();
    } catch (error) {
      if (!ended.signal.aborted) throw error;
    } finally {
      signal.removeEventListener('abort', end);
    }
  };
}

// p-throttle counts from when its timer fired, a millisecond late each time. Slightly ahead of the slots it
// never delays one; the ledger sets the slot itself.
const SMOOTHED_SHARE = 0.9;
const MAX_BATCH = 32;
const BUSY_WAIT_MS = 5;
const CONNECT_AHEAD_MS = 1000;
const RECONSIDER_MS = 30_000;
/** A run waits out a pause up to this length; at a longer one it ends. */
const MAX_PAUSE_MS = 10 * 60_000;
// So much later at most, a key that was refused in the meantime or a spent allowance is noticed.
const MAX_UNCHECKED_MS = 1000;
