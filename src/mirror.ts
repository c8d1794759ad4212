import type { Ledger } from './allowance/ledger.ts';
import { openRemainingQuota } from './allowance/remaining_quota.ts';
import type { Purpose } from './allowance/windows.ts';
import type { Call } from './call.ts';
import { type Clock, isoTime } from './clock.ts';
import { MINUTE_MS } from './durations.ts';
import { type EndBounds, type Ending, openRunEnd } from './ending.ts';
import type { Fetch, NoSlot, NotSent, SendSlot } from './fetch/fetch.ts';
import { openOutageCheck } from './fetch/outage_check.ts';
import { errorText } from './fetch/send.ts';
import { openIntake } from './load/intake.ts';
import type { Loader } from './load/load.ts';
import type { LoadResult } from './load_result.ts';
import type { Attempt, Outcome } from './outcome.ts';
import { openChoice } from './plan/choice.ts';
import type { Planner, QuotaLeft } from './planner.ts';
import { EMPTY_TOTALS, type RunTotals, withLoadResult, withOutcome } from './run_totals.ts';

export interface MirrorParts {
  readonly planner: Planner;
  readonly fetch: Fetch;
  readonly loader: Pick<Loader, 'store' | 'process'>;
  readonly ledger: Ledger;
  readonly clock: Clock;
}

export interface Bounds extends EndBounds {
  readonly purpose: Purpose;
  /** Infinity if there is no bound. */
  readonly maxCalls: number;
  /**
   * The run ends if this many targets indicate a wrong base URL (`isWrongAddress`) before any call succeeds. Default:
   * no limit.
   */
  readonly wrongAddressLimit?: number;
  /** Called with each batch's outcomes after the batch is processed. */
  readonly onProgress?: OnProgress;
}

export type OnProgress = (totals: RunTotals, outcomes: readonly Outcome[]) => void;

export interface Mirrored {
  readonly ending: Ending;
  readonly totals: RunTotals;
}

/**
 * Runs the engine. Whenever the account may send, the engine chooses the call with the highest value, sends it, stores
 * the response and processes it. The run ends when no call is due or the quota is used up.
 *
 * Throws if the warehouse or the ledger cannot be written.
 */
export async function mirror(parts: MirrorParts, bounds: Bounds): Promise<Mirrored> {
  const { fetch, loader, ledger, clock } = parts;
  const choice = openChoice(parts.planner, clock);
  const quota = openRemainingQuota(ledger, bounds.purpose);
  const outage = openOutageCheck(clock.now(), bounds.wrongAddressLimit ?? Infinity);
  const { signal, end, fail, ...run } = openRunEnd(bounds, clock);
  const inFlight = new Set<Promise<void>>();
  let started = 0;
  let chooseFrom: QuotaLeft = NOTHING_LEFT;
  let totals = EMPTY_TOTALS;
  let wake: () => void = () => {};
  const intake = openIntake({
    ...{ loader, outcomeOf: fetch.outcomeOf, maxUnstored: Math.ceil(fetch.free / 2) },
    ...{ onStored: () => wake(), onLoaded, onFailure: fail },
  });

  try {
    while (!signal.aborted) {
      const room = await roomForCalls();
      if (room === 0) continue;
      const slots = await fetch.slots(room, signal);
      if ('is' in slots) noSlot(slots);
      else for (const slot of slots) await send(slot);
    }
  } catch (error) {
    fail(error);
  } finally {
    run.close();
    await settleAll();
  }
  return { ending: run.ending(), totals };

  /** Returns the number of slots that the run can use now. If there is none, waits and returns 0. */
  async function roomForCalls(): Promise<number> {
    if (!fetch.isKeyAccepted) intake.flush();
    await fetch.reported();
    const nowMs = clock.now();
    if (nowMs < outage.resumesAtMs) return wait(outage.resumesAtMs);
    const left = quota.left(nowMs);
    if ('resumesAtMs' in left) return endOnceIdle({ ended: 'allowance', ...left });
    // A response occupies its connection until it is stored, so a killed process loses at most one response per
    // connection.
    const free = fetch.isKeyAccepted ? fetch.free - intake.unstored : 1 - inFlight.size;
    const room = Math.min(free, left.calls, bounds.maxCalls - started);
    if (room <= 0) return endOnceIdle({ ended: 'max_calls' });
    chooseFrom = { ...left, calls: Math.min(left.calls, bounds.maxCalls - started) };
    const { isDue, wakeAtMs, drift } = choice.look({ nowMs, left: chooseFrom });
    run.drifted(drift);
    if (isDue) return choice.isSlow ? 1 : room;
    if (drift !== null) return endOnceIdle({ ended: 'drift', why: drift });
    if (isIdle()) return waitForRetry(wakeAtMs);
    return waitForResponse();
  }

  /** Sends the best call in a slot. If there is no call or the run has ended, returns the slot's unit to the ledger. */
  async function send(slot: SendSlot): Promise<void> {
    const aheadMs = slot.atMs - clock.now();
    if (aheadMs > 0) await clock.sleep(aheadMs, signal);
    const call = signal.aborted ? null : bestCall();
    if (call === null) return fetch.giveBack(slot);
    started += 1;
    quota.countUsed();
    const attempt = fetch
      .attempt(call, slot)
      .then(received)
      .catch(fail)
      .finally(() => {
        inFlight.delete(attempt);
        wake();
      });
    inFlight.add(attempt);
    // Send the request before the slow planner blocks the event loop again.
    if (choice.isSlow) await new Promise(setImmediate);
  }

  /**
   * Chooses the best call, given everything known now. If the call has no valid URL, processes it as refused and
   * chooses another call for the slot.
   */
  function bestCall(): Call | null {
    for (;;) {
      const call = choice.choose({ nowMs: clock.now(), left: chooseFrom });
      const unwritable = call === null ? null : fetch.unwritable(call);
      if (unwritable === null) return call;
      intake.flush();
      loader.store([unwritable]);
      onLoaded([unwritable], loader.process([unwritable]));
    }
  }

  function received(result: Attempt | NotSent): void {
    if ('callId' in result) return void intake.take(result);
    started -= 1;
    choice.release(result.call);
    if (result.why !== null) unreachable(result.why);
  }

  function onLoaded(outcomes: readonly Outcome[], results: readonly LoadResult[]): void {
    for (const result of results) {
      choice.learn(result);
      totals = withLoadResult(totals, result);
    }
    for (const outcome of outcomes) {
      totals = withOutcome(totals, outcome);
      if (outcome.verdict.is === 'exhausted') run.exhausted(outcome.verdict.why);
      if (outcome.verdict.is === 'unauthorised') end({ ended: 'unauthorised', why: outcome.verdict.why });
    }
    if (outcomes.length > 0) bounds.onProgress?.(totals, outcomes);
    wake();
    const why = outage.observe(outcomes, results, clock.now());
    if (why === null) return;
    // If the failed calls returned responses that do not match the dialect, the run reports drift instead of failures.
    run.drifted(choice.look({ nowMs: clock.now(), left: chooseFrom }).drift);
    end({ ended: 'failed', why });
  }

  function noSlot(because: NoSlot): void {
    if (because.is === 'unreachable') unreachable(errorText(because.error));
    else end(endingOf(because));
  }

  function unreachable(why: string): void {
    if (!outage.unreachable(clock.now())) return;
    end({ ended: 'failed', why: `the upstream cannot be reached: ${why}` });
  }

  function isIdle(): boolean {
    return inFlight.size === 0 && intake.isEmpty;
  }

  /** Ends the run once no call is in flight. Until then it waits, because a response can change how the run ends. */
  function endOnceIdle(how: Ending): Promise<0> | 0 {
    if (!isIdle()) return waitForResponse();
    end(how);
    return 0;
  }

  /** Waits for the earliest retry if that is at most one minute away. Otherwise the run is done. */
  function waitForRetry(wakeAtMs: number | null): Promise<0> | 0 {
    if ((wakeAtMs ?? Infinity) - clock.now() <= MINUTE_MS) return wait(wakeAtMs ?? 0);
    end({ ended: 'done' });
    return 0;
  }

  async function wait(untilMs: number): Promise<0> {
    await clock.sleep(Math.max(untilMs - clock.now(), 1), signal);
    return 0;
  }

  /**
   * Waits until an in-flight call has finished. If no call is in flight, processes the stored responses immediately,
   * even if the batch is not full.
   */
  async function waitForResponse(): Promise<0> {
    if (inFlight.size === 0) intake.flush();
    else
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    return 0;
  }

  /** Completes, stores and processes every call that was sent, regardless of how the run ended. */
  async function settleAll(): Promise<void> {
    await Promise.all(inFlight);
    try {
      intake.flush();
      choice.close();
      await fetch.reported();
    } catch (error) {
      fail(error);
    }
  }
}

const NOTHING_LEFT: QuotaLeft = { calls: 0, lifetimeLimit: null };

function endingOf(because: Exclude<NoSlot, { is: 'unreachable' }>): Ending {
  switch (because.is) {
    case 'spent':
    case 'paused':
      return { ended: 'allowance', resumesAtMs: because.untilMs };
    case 'refused_key':
      return { ended: 'unauthorised', why: `this key was refused on ${isoTime(because.sinceMs)}` };
    case 'interrupted':
      return { ended: 'interrupted' };
  }
}
