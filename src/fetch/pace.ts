import pThrottle from 'p-throttle';
import { isBusy, type Ledger, LOOKAHEAD_MS, type Slot, type Spent } from '../allowance/ledger.ts';
import { type Purpose, spacingMs } from '../allowance/windows.ts';
import type { Clock } from '../clock.ts';

/** How late after its slot a call may still leave. */
export const SLOT_TOLERANCE_MS = 250;

/** Hands out slots, one to each call that is about to leave. */
export interface Pace {
  /**
   * Resolves in time for the slot, with its unit spent; or says why none can be had. `prepare` (opening
   * the connection) runs immediately before the unit is spent: when it fails, nothing is.
   */
  nextSlot(prepare: () => Promise<void>, signal: AbortSignal): Promise<Slot | NoSlot>;
}

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
 * slots are closer together than a timer can tell, one transaction takes as many as there are callers waiting.
 */
export function openPace({ ledger, clock, perMinute, purpose, keyFingerprint }: PaceOptions): Pace {
  const smoothed = smoother(perMinute);
  const batch = spacingMs(perMinute) >= LOOKAHEAD_MS ? 1 : BATCH;
  const waiting: Waiting[] = [];
  let isServing = false;

  async function serve(): Promise<void> {
    isServing = true;
    while (waiting.length > 0) {
      await smoothed();
      await takeTurn();
    }
    isServing = false;
  }

  /** One turn: prepare the callers at the head of the queue, spend for those that are ready, hand out or wait. */
  async function takeTurn(): Promise<void> {
    for (;;) {
      dismissInterrupted();
      const ready = await prepareHead();
      if (ready === 0) return;
      const spent = spendOrNull(ready);
      if (spent?.is === 'go') return handOut(spent.slots);
      if (spent !== null && spent.is !== 'wait') return dismissAll(spent);
      const waitMs = spent === null ? BUSY_WAIT_MS : Math.min(spent.untilMs - clock.now(), RECONSIDER_MS);
      await clock.sleep(waitMs, waiting[0]?.signal);
    }
  }

  /** Answers how many callers at the head of the queue are ready. */
  async function prepareHead(): Promise<number> {
    const head = waiting.slice(0, batch);
    const failures = await Promise.all(
      head.map(({ prepare }) =>
        prepare().then(
          () => null,
          (error: unknown) => ({ error }),
        ),
      ),
    );
    for (const [index, failure] of failures.entries()) {
      if (failure === null) continue;
      const caller = head[index] as Waiting;
      waiting.splice(waiting.indexOf(caller), 1);
      caller.answer({ is: 'unprepared', error: failure.error });
    }
    return failures.filter((failure) => failure === null).length;
  }

  function handOut(slots: readonly Slot[]): void {
    for (const slot of slots) {
      const caller = waiting.shift() as Waiting;
      const delayMs = slot.atMs - clock.now();
      if (delayMs <= 0) caller.answer(slot);
      else void clock.sleep(delayMs).then(() => caller.answer(slot));
    }
  }

  function dismissAll(why: NoSlot): void {
    for (const { answer } of waiting.splice(0)) answer(why);
  }

  function dismissInterrupted(): void {
    for (const caller of waiting.filter(({ signal }) => signal.aborted)) {
      waiting.splice(waiting.indexOf(caller), 1);
      caller.answer({ is: 'interrupted' });
    }
  }

  /** A busy ledger means "ask again". */
  function spendOrNull(most: number): Spent | null {
    try {
      return ledger.spend({ nowMs: clock.now(), most, purpose, keyFingerprint });
    } catch (error) {
      if (isBusy(error)) return null;
      throw error;
    }
  }

  return {
    nextSlot: (prepare, signal) =>
      new Promise((resolve, reject) => {
        waiting.push({ prepare, signal, answer: resolve, fail: reject });
        if (isServing) return;
        serve().catch((error: unknown) => {
          isServing = false;
          for (const { fail } of waiting.splice(0)) fail(error);
        });
      }),
  };
}

interface Waiting {
  readonly prepare: () => Promise<void>;
  readonly signal: AbortSignal;
  readonly answer: (slot: Slot | NoSlot) => void;
  readonly fail: (error: unknown) => void;
}

/** One pass per spacing; for spacings below a timer's resolution, as many passes per interval as that makes. */
function smoother(perMinute: number | null): () => Promise<void> {
  const spacing = spacingMs(perMinute);
  if (spacing < 1) return async () => {};
  return pThrottle({ limit: 1, interval: spacing, strict: true })(async () => {});
}

const BATCH = 32;
const BUSY_WAIT_MS = 5;
// A pause may be lifted, and a clock may be set: no wait is slept through blindly.
const RECONSIDER_MS = 30_000;
