import type { Ledger } from './allowance/ledger.ts';
import { CLOCK_REMEDY, clockFaultText } from './allowance/ledger_clock.ts';
import { remainingQuota } from './allowance/remaining_quota.ts';
import type { Purpose } from './allowance/windows.ts';
import type { Call } from './call.ts';
import { type Clock, utcMinute } from './clock.ts';
import { MINUTE_MS } from './durations.ts';
import { type EndBounds, type Ending, RunEnd } from './ending.ts';
import type { Fetch, NoSlot, NotSent, SendSlot } from './fetch/fetch.ts';
import { OutageCheck } from './fetch/outage_check.ts';
import { errorText } from './fetch/send.ts';
import { Intake } from './load/intake.ts';
import type { Loader } from './load/load.ts';
import type { LoadResult } from './load_result.ts';
import type { Attempt, Outcome } from './outcome.ts';
import { Choice } from './plan/choice.ts';
import type { Planner, QuotaLeft } from './planner.ts';
import { EMPTY_TOTALS, type RunTotals, withLoadResult, withOutcome } from './run_totals.ts';

export interface MirrorParts {
  readonly planner: Planner;
  readonly fetch: Fetch;
  readonly loader: Pick<Loader, 'store' | 'process'>;
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** Throws if the disk could become full before all responses in flight are stored. */
  readonly requireSpace: () => void;
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
export function mirror(parts: MirrorParts, bounds: Bounds): Promise<Mirrored> {
  return new Mirror(parts, bounds).run();
}

/** One run of the engine loop. */
class Mirror {
  readonly #parts: MirrorParts;
  readonly #bounds: Bounds;
  readonly #choice: Choice;
  readonly #outage: OutageCheck;
  readonly #run: RunEnd;
  readonly #intake: Intake;
  readonly #inFlight = new Set<Promise<void>>();
  #startedCount = 0;
  #chooseFrom: QuotaLeft = { calls: 0, lifetimeLimit: null };
  #totals = EMPTY_TOTALS;
  #wake: () => void = () => {};

  constructor(parts: MirrorParts, bounds: Bounds) {
    const { planner, fetch, loader, clock } = parts;
    this.#parts = parts;
    this.#bounds = bounds;
    this.#choice = new Choice(planner, clock);
    this.#outage = new OutageCheck(clock.now(), bounds.wrongAddressLimit ?? Infinity);
    this.#run = new RunEnd(bounds, clock);
    this.#intake = new Intake({
      loader,
      outcomeOf: (attempt) => fetch.outcomeOf(attempt),
      onLoaded: (outcomes, results) => this.#loaded(outcomes, results),
      onFailure: (error) => this.#run.fail(error),
    });
  }

  async run(): Promise<Mirrored> {
    const { signal } = this.#run;
    try {
      while (!signal.aborted) {
        const room = await this.#roomForCalls();
        if (room === 0) continue;
        const slots = await this.#parts.fetch.slots(room, signal);
        if ('is' in slots) this.#noSlot(slots);
        else await this.#sendIn(slots);
      }
    } catch (error) {
      this.#run.fail(error);
    } finally {
      this.#run.close();
      await this.#settleAll();
    }
    return { ending: this.#run.ending(), totals: this.#totals };
  }

  /** Returns the number of slots that the run can use now. If there is none, waits and returns 0. */
  async #roomForCalls(): Promise<number> {
    const { fetch, ledger, clock } = this.#parts;
    if (!fetch.isKeyAccepted) this.#intake.flush();
    await fetch.reported();
    this.#parts.requireSpace();
    const nowMs = clock.now();
    const waitMs = this.#outage.waitMs(nowMs);
    if (waitMs > 0) return this.#wait(nowMs + waitMs);
    const left = remainingQuota(ledger, this.#bounds.purpose, nowMs);
    if ('resumesAtMs' in left) return this.#endAtLimit({ ended: 'allowance', ...left }, nowMs);
    const calls = Math.min(left.calls, this.#bounds.maxCalls - this.#startedCount);
    const room = Math.min(this.#freeConnections, calls);
    if (room <= 0) return this.#endAtLimit({ ended: 'max_calls' }, nowMs);
    this.#chooseFrom = { ...left, calls };
    return this.#roomForDue(room, nowMs);
  }

  /** Ends the run at a limit on calls once no call is in flight. The run is done if no call is due or must be retried. */
  #endAtLimit(limit: Ending, nowMs: number): Promise<0> | 0 {
    if (!this.#isIdle) return this.#waitForResponse();
    const { isDue, wakeAtMs, drift } = this.#choice.look({ nowMs, left: { calls: 1, lifetimeLimit: null } });
    const isDone = !isDue && wakeAtMs === null && drift === null;
    this.#run.end(isDone ? { ended: 'done' } : limit);
    return 0;
  }

  get #freeConnections(): number {
    const { fetch } = this.#parts;
    return fetch.isKeyAccepted ? fetch.free : 1 - this.#inFlight.size;
  }

  /** Returns the room if a call is due. Otherwise waits or ends the run, and returns 0. */
  async #roomForDue(room: number, nowMs: number): Promise<number> {
    const { isDue, wakeAtMs, drift } = this.#choice.look({ nowMs, left: this.#chooseFrom });
    this.#run.drifted(drift);
    if (isDue) return this.#choice.isSlow ? 1 : room;
    if (!this.#isIdle) return this.#waitForResponse();
    if (drift === null) return this.#waitForRetry(wakeAtMs);
    this.#run.end({ ended: 'drift', why: drift });
    return 0;
  }

  /** Sends the best call in each slot, and returns the units of the slots without a call to the ledger. */
  async #sendIn(slots: readonly SendSlot[]): Promise<void> {
    const { fetch, clock } = this.#parts;
    const { signal } = this.#run;
    const unused: SendSlot[] = [];
    for (const slot of slots) {
      const aheadMs = slot.atMs - clock.now();
      if (aheadMs > 0) await clock.sleep(aheadMs, signal);
      const call = signal.aborted ? null : this.#bestCall();
      if (call === null) unused.push(slot);
      else await this.#send(call, slot);
    }
    if (unused.length > 0) await fetch.giveBack(unused);
  }

  async #send(call: Call, slot: SendSlot): Promise<void> {
    const { fetch } = this.#parts;
    this.#startedCount += 1;
    const attempt = fetch
      .attempt(call, slot)
      .then((result) => this.#received(result))
      .catch((error: unknown) => this.#run.fail(error))
      .finally(() => {
        this.#inFlight.delete(attempt);
        this.#wake();
      });
    this.#inFlight.add(attempt);
    // Send the request before the slow planner blocks the event loop again.
    if (this.#choice.isSlow) await new Promise(setImmediate);
  }

  /**
   * Chooses the best call, given everything known now. If the call has no valid URL, processes it as refused and
   * chooses another call for the slot.
   */
  #bestCall(): Call | null {
    const { fetch, loader, clock } = this.#parts;
    for (;;) {
      const call = this.#choice.choose({ nowMs: clock.now(), left: this.#chooseFrom });
      const unwritable = call === null ? null : fetch.unwritable(call);
      if (unwritable === null) return call;
      this.#intake.flush();
      loader.store([unwritable]);
      this.#loaded([unwritable], loader.process([unwritable]));
    }
  }

  #received(result: Attempt | NotSent): void {
    if ('callId' in result) {
      this.#intake.take(result);
      this.#endIfClockIsWrong();
      return;
    }
    this.#startedCount -= 1;
    this.#choice.release(result.call);
    if (result.why !== null) this.#unreachable(result.why);
  }

  #endIfClockIsWrong(): void {
    const why = this.#parts.fetch.clockFault;
    if (why !== null) this.#run.end({ ended: 'failed', why });
  }

  #loaded(outcomes: readonly Outcome[], results: readonly LoadResult[]): void {
    for (const result of results) {
      this.#choice.learn(result);
      this.#totals = withLoadResult(this.#totals, result);
    }
    for (const outcome of outcomes) this.#note(outcome);
    if (outcomes.length > 0) this.#bounds.onProgress?.(this.#totals, outcomes);
    this.#wake();
    const nowMs = this.#parts.clock.now();
    const why = this.#outage.observe(outcomes, results, nowMs);
    if (why === null) return;
    // If the failed calls returned responses that do not match the dialect, the run reports drift instead of failures.
    this.#run.drifted(this.#choice.look({ nowMs, left: this.#chooseFrom }).drift);
    this.#run.end({ ended: 'failed', why });
  }

  #note(outcome: Outcome): void {
    const { verdict } = outcome;
    this.#totals = withOutcome(this.#totals, outcome);
    if (verdict.is === 'exhausted' || verdict.is === 'throttled') this.#run.exhausted(verdict.why);
    if (verdict.is === 'unauthorised' && !verdict.isUnconfirmed)
      this.#run.end({ ended: 'unauthorised', why: verdict.why });
  }

  #noSlot(because: NoSlot): void {
    if (because.is === 'unreachable') this.#unreachable(errorText(because.error));
    else this.#run.end(endingOf(because));
  }

  #unreachable(why: string): void {
    if (!this.#outage.unreachable(this.#parts.clock.now())) return;
    const remedy = 'To check the connection, run `registry-mirror doctor`';
    this.#run.end({ ended: 'failed', why: `the upstream cannot be reached: ${why}. ${remedy}` });
  }

  get #isIdle(): boolean {
    return this.#inFlight.size === 0 && this.#intake.isEmpty;
  }

  /** Waits for the earliest retry if that is at most one minute away. Otherwise the run is done. */
  #waitForRetry(wakeAtMs: number | null): Promise<0> | 0 {
    const isSoon = (wakeAtMs ?? Infinity) - this.#parts.clock.now() <= MINUTE_MS;
    if (isSoon) return this.#wait(wakeAtMs ?? 0);
    this.#run.end({ ended: 'done' });
    return 0;
  }

  async #wait(untilMs: number): Promise<0> {
    const { clock } = this.#parts;
    await clock.sleep(Math.max(untilMs - clock.now(), 1), this.#run.signal);
    return 0;
  }

  /**
   * Waits until an in-flight call has finished. If no call is in flight, processes the stored responses immediately,
   * even if the batch is not full.
   */
  async #waitForResponse(): Promise<0> {
    if (this.#inFlight.size === 0) this.#intake.flush();
    else
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    return 0;
  }

  /** Completes, stores and processes every call that was sent, regardless of how the run ended. */
  async #settleAll(): Promise<void> {
    await Promise.all(this.#inFlight);
    try {
      this.#intake.flush();
      this.#choice.close();
      await this.#parts.fetch.reported();
    } catch (error) {
      this.#run.fail(error);
    }
  }
}

function endingOf(because: Exclude<NoSlot, { is: 'unreachable' }>): Ending {
  switch (because.is) {
    case 'spent':
      return {
        ended: 'allowance',
        resumesAtMs: because.untilMs,
        isReported: because.window === 'upstream',
      };
    case 'paused':
      return { ended: 'allowance', resumesAtMs: because.untilMs, isReported: true };
    case 'refused_key':
      return { ended: 'unauthorised', why: `it did so on ${utcMinute(because.sinceMs)}` };
    case 'clock':
      return { ended: 'failed', why: `${clockFaultText(because.fault)}. ${CLOCK_REMEDY}` };
    case 'interrupted':
      return { ended: 'interrupted' };
  }
}
