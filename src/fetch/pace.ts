import pThrottle from 'p-throttle';
import { isBusy, type Ledger, LOOKAHEAD_MS, type Slot, type Spent } from '../allowance/ledger.ts';
import { type Purpose, spacingMs } from '../allowance/windows.ts';
import type { Clock } from '../clock.ts';
import type { Lane } from './lane.ts';

/** How late after its slot a call may still leave. */
export const SLOT_TOLERANCE_MS = 250;

/** Hands out slots, one to each call that is about to leave. */
export interface Pace {
  /**
   * Resolves in time for the slot, with its unit spent; or says why none can be had. The connection is
   * opened before the unit is spent: when that fails, nothing is. A signal that aborts ends the waiting at once.
   */
  nextSlot(connection: Connection, signal: AbortSignal): Promise<Slot | NoSlot>;
}

export type Connection = Pick<Lane, 'isReady' | 'connect' | 'hold'>;

export type NoSlot =
  | Exclude<Spent, { is: 'go' } | { is: 'wait' }>
  | { readonly is: 'unprepared'; readonly error: unknown }
  | { readonly is: 'interrupted' };

export interface PaceOptions {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly perMinute: number | null;
  readonly purpose: Purpose;
  readonly keyFingerprint: string;
}

/**
 * p-throttle smooths this process's demand; the ledger decides, for all processes of the account. Where
 * slots are closer together than a timer can tell, one transaction takes as many as there are callers ready.
 */
export function openPace({ ledger, clock, perMinute, purpose, keyFingerprint }: PaceOptions): Pace {
  const spacing = spacingMs(perMinute);
  const batch = spacing >= LOOKAHEAD_MS ? 1 : BATCH;
  const queue = new Set<Caller>();
  let smoother = openSmoother(perMinute);
  let isServing = false;
  let lastSlotMs = Number.NEGATIVE_INFINITY;
  let stir: () => void = () => {};

  async function serve(): Promise<void> {
    isServing = true;
    try {
      while (queue.size > 0) {
        await smoother.pass();
        await takeTurn();
      }
    } catch (error) {
      for (const caller of [...queue]) leave(caller).fail(error);
    } finally {
      isServing = false;
    }
  }

  /** One turn: spends for the callers whose connection stands and hands the slots out, or waits. */
  async function takeTurn(): Promise<void> {
    while (queue.size > 0) {
      const ready = readyCallers();
      if (ready.length === 0) {
        await new Promise<void>((resolve) => (stir = resolve));
        continue;
      }
      const nowMs = clock.now();
      const spent = ownSlotAhead(nowMs) ?? spend(ready.length, nowMs);
      if (spent.is === 'go') return handOut(spent.slots, ready);
      if (spent.is !== 'wait') return dismissAll(spent);
      // A timer counts whole milliseconds: one that fires early would only ask once more.
      const waitMs = Math.min(Math.ceil(spent.untilMs - clock.now()), RECONSIDER_MS);
      await clock.sleep(waitMs, ready[0]?.signal);
    }
  }

  /** The callers that could send at once, up to a batch; connections that are missing from it are opened. */
  function readyCallers(): Caller[] {
    const ready = [...queue].filter(({ connection }) => connection.isReady).slice(0, batch);
    for (const caller of [...queue].slice(0, batch - ready.length)) prepare(caller);
    return ready;
  }

  function prepare(caller: Caller): void {
    if (caller.isConnecting || caller.connection.isReady) return;
    const isShortLived = clock.now() - caller.connectedAtMs < SHORT_LIFE_MS;
    caller.shortLives = isShortLived ? caller.shortLives + 1 : 0;
    if (caller.shortLives >= MOST_SHORT_LIVES) {
      leave(caller).answer({ is: 'unprepared', error: new Error('connections are closed at once') });
      return;
    }
    caller.isConnecting = true;
    caller.connection
      .connect()
      .then(
        () => {
          caller.connectedAtMs = clock.now();
        },
        (error: unknown) => {
          if (queue.has(caller)) leave(caller).answer({ is: 'unprepared', error });
        },
      )
      .finally(() => {
        caller.isConnecting = false;
        stir();
      });
  }

  function handOut(slots: readonly Slot[], ready: readonly Caller[]): void {
    for (const [index, slot] of slots.entries()) {
      const { answer, connection } = leave(ready[index] as Caller);
      connection.hold();
      lastSlotMs = slot.atMs;
      const delayMs = slot.atMs - clock.now();
      if (delayMs <= 0) answer(slot);
      else void clock.sleep(delayMs).then(() => answer(slot));
    }
  }

  function dismissAll(why: NoSlot): void {
    for (const caller of [...queue]) leave(caller).answer(why);
  }

  /** Nothing that waits only for this caller may go on waiting, or it would hold up the end of the process. */
  function interrupt(caller: Caller): void {
    leave(caller).answer({ is: 'interrupted' });
    stir();
    if (queue.size > 0) return;
    smoother.stop();
    smoother = openSmoother(perMinute);
  }

  function leave(caller: Caller): Caller {
    queue.delete(caller);
    caller.signal.removeEventListener('abort', caller.onAbort);
    return caller;
  }

  /** The slot after this process's own last one can only be further away: that needs no transaction to find out. */
  function ownSlotAhead(nowMs: number): Extract<Spent, { is: 'wait' }> | null {
    const untilMs = lastSlotMs + spacing - LOOKAHEAD_MS;
    const isAhead = untilMs > nowMs && untilMs - nowMs <= LONGEST_UNASKED_MS;
    return isAhead ? { is: 'wait', untilMs } : null;
  }

  /** A busy ledger means "ask again". */
  function spend(most: number, nowMs: number): Spent {
    try {
      return ledger.spend({ nowMs, most, purpose, keyFingerprint });
    } catch (error) {
      if (isBusy(error)) return { is: 'wait', untilMs: nowMs + BUSY_WAIT_MS };
      throw error;
    }
  }

  return {
    nextSlot: (connection, signal) =>
      new Promise((answer, fail) => {
        if (signal.aborted) return answer({ is: 'interrupted' });
        const onAbort = () => interrupt(caller);
        const caller: Caller = {
          connection,
          signal,
          answer,
          fail,
          onAbort,
          isConnecting: false,
          connectedAtMs: Number.NEGATIVE_INFINITY,
          shortLives: 0,
        };
        signal.addEventListener('abort', onAbort);
        queue.add(caller);
        prepare(caller);
        stir();
        if (!isServing) void serve();
      }),
  };
}

interface Caller {
  readonly connection: Connection;
  readonly signal: AbortSignal;
  readonly answer: (slot: Slot | NoSlot) => void;
  readonly fail: (error: unknown) => void;
  readonly onAbort: () => void;
  isConnecting: boolean;
  connectedAtMs: number;
  /** How many connections in a row were closed again before they could be used. */
  shortLives: number;
}

interface Smoother {
  /** Resolves when this process may ask for its next slot. */
  pass(): Promise<void>;
  /** Ends the waiting. */
  stop(): void;
}

function openSmoother(perMinute: number | null): Smoother {
  const interval = spacingMs(perMinute) * SMOOTHED_SHARE;
  // Nothing to smooth where the spacing is below a timer's resolution; but callers that became ready in one
  // turn of the event loop shall share one transaction.
  if (interval < 1) return { pass: () => new Promise(setImmediate), stop: () => {} };
  const ended = new AbortController();
  const throttled = pThrottle({ limit: 1, interval, strict: true, signal: ended.signal })(async () => {});
  return {
    pass: () =>
      throttled().catch((error: unknown) => {
        if (!ended.signal.aborted) throw error;
      }),
    stop: () => ended.abort(),
  };
}

// p-throttle counts from when its timer fired, a millisecond late each time. A little ahead of the slots it
// never holds one up; the slot itself is the ledger's.
const SMOOTHED_SHARE = 0.9;
const BATCH = 32;
const BUSY_WAIT_MS = 5;
// A pause may be lifted, and a clock may be set: no wait is slept through blindly.
const RECONSIDER_MS = 30_000;
// So much later a key that was refused meanwhile, or an allowance that is spent, may show.
const LONGEST_UNASKED_MS = 1000;
const SHORT_LIFE_MS = 500;
const MOST_SHORT_LIVES = 3;
