import pThrottle from 'p-throttle';
import { isBusy, type Ledger, LOOKAHEAD_MS, type Slot, type Spent } from '../allowance/ledger.ts';
import { MAX_PAUSE_MS } from '../allowance/remaining_quota.ts';
import { type Purpose, spacingMs } from '../allowance/windows.ts';
import type { Clock } from '../clock.ts';
import type { Connection } from './connection.ts';
import type { ConnectionPool } from './connection_pool.ts';

/** A call may be sent at most this long after its slot begins. */
export const SLOT_TOLERANCE_MS = 250;

/** The right to send one call on an open connection. The unit is already spent. */
export interface SendSlot extends Slot {
  readonly connection: Connection;
}

export type NoSlot =
  | Exclude<Spent, { is: 'go' } | { is: 'wait' }>
  /** The upstream requires a pause longer than `MAX_PAUSE_MS`. */
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
  /** True if a call may be sent although the clock is in doubt (see `Spending`). Default: false. */
  readonly trustsClock?: boolean;
}

/**
 * Waits until the account may send. The ledger enforces the limits of all processes that use the account. One transaction
 * takes all slots in the next LOOKAHEAD_MS.
 */
export class RateLimiter {
  readonly #options: RateLimiterOptions;
  readonly #slotSpacingMs: number;
  readonly #batch: number;
  readonly #smoother: Smoother;
  #lastSlotMs = Number.NEGATIVE_INFINITY;

  constructor(options: RateLimiterOptions) {
    this.#options = options;
    this.#slotSpacingMs = spacingMs(options.perMinute);
    this.#batch = Math.min(MAX_BATCH, 1 + Math.floor(LOOKAHEAD_MS / this.#slotSpacingMs));
    this.#smoother = new Smoother(this.#slotSpacingMs, options.clock);
  }

  /**
   * Resolves with one to `maxCount` slots, at most LOOKAHEAD_MS before the first slot, or with the reason if there is
   * none. Connections are opened before units are spent, so a failed connection costs nothing.
   */
  async slots(maxCount: number, signal: AbortSignal): Promise<readonly SendSlot[] | NoSlot> {
    const { pool, clock } = this.#options;
    // Wait before opening the connection, because the upstream could close a connection that stays idle until its slot.
    await this.#sleepUntil(this.#earliestMs(maxCount) - CONNECT_AHEAD_MS, signal);
    if (!signal.aborted) await this.#smoother.wait(signal);
    for (;;) {
      if (signal.aborted) return { is: 'interrupted' };
      let ready: readonly Connection[];
      try {
        ready = await pool.ready(Math.min(maxCount, this.#batch), signal);
      } catch (error) {
        return { is: 'unreachable', error };
      }
      if (signal.aborted) return { is: 'interrupted' };
      const spent = this.#spend(ready.length);
      if (spent.is === 'go') return this.#withConnections(spent.slots, ready);
      if (spent.is !== 'wait') return spent;
      const waitMs = spent.untilMs - clock.now();
      if (waitMs > MAX_PAUSE_MS) return { is: 'paused', untilMs: spent.untilMs + LOOKAHEAD_MS };
      await this.#sleepUntil(spent.untilMs - (waitMs > 2 * CONNECT_AHEAD_MS ? CONNECT_AHEAD_MS : 0), signal);
    }
  }

  /** Spends up to `maxCount` units, or returns a short wait if the ledger is busy. */
  #spend(maxCount: number): Spent {
    const { ledger, clock, purpose, keyFingerprint, trustsClock = false } = this.#options;
    const nowMs = clock.now();
    // Before this time, a transaction would only return `wait`.
    const untilMs = this.#earliestMs(maxCount);
    const isTooEarly = untilMs > nowMs && untilMs - nowMs <= MAX_UNCHECKED_MS;
    if (isTooEarly) return { is: 'wait', untilMs };
    try {
      return ledger.spend({ nowMs, most: maxCount, purpose, keyFingerprint, trustsClock });
    } catch (error) {
      // Read the clock again, because SQLite may have waited for the lock.
      if (isBusy(error)) return { is: 'wait', untilMs: clock.now() + BUSY_WAIT_MS };
      throw error;
    }
  }

  /**
   * Returns the earliest time at which one transaction can take this many slots. If the first slot would otherwise be
   * less than MIN_LEAD_MS away, the transaction takes fewer slots.
   */
  #earliestMs(count: number): number {
    const together = 1 + Math.floor((LOOKAHEAD_MS - MIN_LEAD_MS) / this.#slotSpacingMs);
    return this.#lastSlotMs + this.#slotSpacingMs * Math.min(count, together) - LOOKAHEAD_MS;
  }

  async #sleepUntil(untilMs: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    // Timers have a resolution of 1 ms. Round up, because a timer that fires early would only repeat the check.
    const waitMs = Math.ceil(untilMs - clock.now());
    // Check again at intervals, because another process may end a pause or someone may set the clock.
    if (waitMs > 0) await clock.sleep(Math.min(waitMs, RECHECK_MS), signal);
  }

  #withConnections(slots: readonly Slot[], ready: readonly Connection[]): readonly SendSlot[] {
    return slots.map((slot, at) => {
      const connection = ready[at] as Connection;
      this.#options.pool.take(connection);
      connection.hold();
      this.#lastSlotMs = slot.atMs;
      return { ...slot, connection };
    });
  }
}

const MAX_BATCH = 32;
// The planner and the connection need this much time before a slot.
const MIN_LEAD_MS = 50;
const BUSY_WAIT_MS = 5;
const CONNECT_AHEAD_MS = 1000;
const RECHECK_MS = 30_000;
// The ledger is read at least this often, so that a rejected key or an exhausted allowance is noticed soon.
const MAX_UNCHECKED_MS = 1000;

/**
 * Spreads this process's transactions over time, so that they do not compete with those of other processes. The ledger
 * enforces the limits. A smoother cannot be used after an abort.
 */
export class Smoother {
  readonly #intervalMs: number;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #ended = new AbortController();
  #throttled: (() => Promise<void>) | null = null;
  #calledAtMs = Number.NEGATIVE_INFINITY;

  constructor(slotSpacingMs: number, clock: Pick<Clock, 'now'>) {
    this.#intervalMs = slotSpacingMs * SMOOTHED_SHARE;
    this.#clock = clock;
  }

  /** Resolves when this process may ask the ledger for its next slot, or when the signal aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    // Intervals shorter than a timer's resolution cannot be smoothed. Wait only for the next turn of the event loop, so
    // that one transaction serves all connections that become free in the same turn.
    if (this.#intervalMs < 1) return await new Promise(setImmediate);
    const nowMs = this.#clock.now();
    // p-throttle compares wall-clock times. If the clock were set back, p-throttle would wait until it had caught up.
    if (nowMs < this.#calledAtMs) this.#throttled = null;
    this.#calledAtMs = nowMs;
    const ended = this.#ended;
    this.#throttled ??= pThrottle({
      limit: 1,
      interval: this.#intervalMs,
      strict: true,
      signal: ended.signal,
    })(async () => {});
    const end = () => ended.abort();
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    try {
      await this.#throttled();
    } catch (error) {
      if (!ended.signal.aborted) throw error;
    } finally {
      signal.removeEventListener('abort', end);
    }
  }
}

// p-throttle measures each interval from when its timer fires, which is about 1 ms late. With a slightly shorter
// interval, p-throttle never delays a slot. The ledger sets the exact time of each slot.
const SMOOTHED_SHARE = 0.9;
