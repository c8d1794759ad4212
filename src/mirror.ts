import type { Ledger } from './allowance/ledger.ts';
import type { Purpose } from './allowance/windows.ts';
import { type Call, targetOf } from './call.ts';
import type { Clock } from './clock.ts';
import type { Fetch, NoSlot, NotSent, SendSlot } from './fetch/fetch.ts';
import { MAX_PAUSE_MS } from './fetch/rate_limiter.ts';
import { errorText } from './fetch/send.ts';
import { openIntake } from './load/intake.ts';
import type { Loader } from './load/load.ts';
import type { LoadResult } from './load_result.ts';
import type { Attempt, Outcome } from './outcome.ts';
import { openChoice } from './plan/choice.ts';
import type { Planner, QuotaLeft } from './planner.ts';
import { EMPTY_TOTALS, type RunTotals, withLoadResult, withOutcome } from './run_totals.ts';

/** The dependencies of a run. */
export interface MirrorParts {
  readonly planner: Planner;
  readonly fetch: Fetch;
  readonly loader: Pick<Loader, 'store' | 'process'>;
  readonly ledger: Ledger;
  readonly clock: Clock;
}

/** The limits of a run. */
export interface Bounds {
  readonly purpose: Purpose;
  /** Infinity if there is no bound. */
  readonly maxCalls: number;
  /** The time in epoch milliseconds; Infinity if there is no bound. */
  readonly deadlineMs: number;
  /**
   * The run ends if this many targets indicate a wrong base URL (`isWrongAddress`) before any call succeeds. Default:
   * no limit.
   */
  readonly wrongAddressLimit?: number;
  /**
   * Aborts on Ctrl-C or SIGTERM. The run then waits for its in-flight calls and loads their responses before it ends.
   */
  readonly signal: AbortSignal;
  /** Called with each batch's outcomes after the batch is processed. */
  readonly onProgress?: OnProgress;
}

export type OnProgress = (totals: RunTotals, outcomes: readonly Outcome[]) => void;

export type Ending =
  | { readonly ended: 'done' | 'max_calls' | 'max_minutes' | 'interrupted' }
  /**
   * The account may not send another call before `resumesAtMs`, or never again if that is null. `why` is the upstream's
   * message. It is present if the upstream reported an exhausted quota during the run.
   */
  | { readonly ended: 'allowance'; readonly resumesAtMs: number | null; readonly why?: string }
  | { readonly ended: 'unauthorised' | 'drift' | 'failed'; readonly why: string };

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
  const quota = openQuota(ledger, bounds.purpose);
  const health = openHealth(clock.now(), bounds.wrongAddressLimit ?? Infinity);
  const stop = new AbortController();
  const inFlight = new Set<Promise<void>>();
  let started = 0;
  let chooseFrom: QuotaLeft = NOTHING_LEFT;
  let totals = EMPTY_TOTALS;
  let drifted: string | null = null;
  let exhausted: string | null = null;
  let ending = null as Ending | null;
  let failure = null as { readonly error: unknown } | null;
  let wake: () => void = () => {};
  const intake = openIntake({
    ...{ loader, outcomeOf: fetch.outcomeOf, maxUnstored: Math.ceil(fetch.free / 2) },
    ...{ onStored: () => wake(), onLoaded, onFailure: fail },
  });

  const interrupt = () => end({ ended: 'interrupted' });
  bounds.signal.addEventListener('abort', interrupt);
  if (bounds.signal.aborted) interrupt();
  const overtime = startTimer(bounds.deadlineMs - clock.now(), () => end({ ended: 'max_minutes' }));

  try {
    while (ending === null) {
      const room = await roomForCalls();
      if (room === 0) continue;
      const slots = await fetch.slots(room, stop.signal);
      if ('is' in slots) noSlot(slots);
      else for (const slot of slots) await send(slot);
    }
  } catch (error) {
    fail(error);
  } finally {
    overtime.cancel();
    bounds.signal.removeEventListener('abort', interrupt);
    stop.abort();
    await settleAll();
  }
  if (failure !== null) throw failure.error;
  const ended = withReport(ending ?? { ended: 'done' }, exhausted);
  return { ending: drifted === null ? ended : asDrift(ended, drifted), totals };

  /**
   * Returns the number of slots that the run can use now, or 0 if it had to wait. The caller then asks again unless the
   * run has ended.
   */
  async function roomForCalls(): Promise<number> {
    if (!fetch.isKeyAccepted) intake.flush();
    await fetch.reported();
    const nowMs = clock.now();
    if (nowMs < health.resumesAtMs) return wait(health.resumesAtMs);
    const left = quota.left(nowMs);
    if ('ended' in left) return endOnceIdle(left);
    // A response occupies its connection until it is stored, so a killed process loses at most one response per
    // connection.
    const free = fetch.isKeyAccepted ? fetch.free - intake.unstored : 1 - inFlight.size;
    const room = Math.min(free, left.calls, bounds.maxCalls - started);
    if (room <= 0) return endOnceIdle({ ended: 'max_calls' });
    chooseFrom = { ...left, calls: Math.min(left.calls, bounds.maxCalls - started) };
    const { isDue, wakeAtMs, drift } = choice.look({ nowMs, left: chooseFrom });
    drifted = drift;
    if (isDue) return choice.isSlow ? 1 : room;
    if (drift !== null) return endOnceIdle({ ended: 'drift', why: drift });
    if (isIdle()) return waitForRetry(wakeAtMs);
    return waitForResponse();
  }

  /** Sends the best call in a slot. If there is no call or the run has ended, returns the slot's unit to the ledger. */
  async function send(slot: SendSlot): Promise<void> {
    const aheadMs = slot.atMs - clock.now();
    if (aheadMs > 0) await clock.sleep(aheadMs, stop.signal);
    const call = ending === null ? bestCall() : null;
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
   * Chooses the best call, given everything known now. A call without a valid URL is processed as refused and uses no
   * slot, and another call is chosen.
   */
  function bestCall(): Call | null {
    for (;;) {
      const call = choice.choose({ nowMs: clock.now(), left: chooseFrom });
      const unwritable = call === null ? null : fetch.unwritable(call);
      if (unwritable === null) return call;
      loader.store([unwritable]);
      onLoaded([unwritable], loader.process([unwritable]));
    }
  }

  function received(result: Attempt | NotSent): void {
    if ('callId' in result) intake.take(result);
    else notSent(result);
  }

  function notSent({ call, why }: NotSent): void {
    started -= 1;
    choice.release(call);
    if (why !== null) unreachable(why);
  }

  function onLoaded(outcomes: readonly Outcome[], results: readonly LoadResult[]): void {
    for (const result of results) {
      choice.learn(result);
      totals = withLoadResult(totals, result);
    }
    for (const outcome of outcomes) {
      totals = withOutcome(totals, outcome);
      if (outcome.verdict.is === 'exhausted') exhausted = outcome.verdict.why;
      if (outcome.verdict.is === 'unauthorised') end({ ended: 'unauthorised', why: outcome.verdict.why });
    }
    if (outcomes.length > 0) bounds.onProgress?.(totals, outcomes);
    wake();
    const why = health.observe(results, clock.now()) ?? health.addressFault(outcomes);
    if (why === null) return;
    // If the failed calls returned responses that do not match the dialect, the run reports drift instead of failures.
    drifted = choice.look({ nowMs: clock.now(), left: chooseFrom }).drift;
    end({ ended: 'failed', why });
  }

  function noSlot(because: NoSlot): void {
    if (because.is === 'unreachable') unreachable(errorText(because.error));
    else end(endingOf(because));
  }

  function unreachable(why: string): void {
    const isOver = health.unreachable(clock.now());
    if (isOver) end({ ended: 'failed', why: `the upstream cannot be reached: ${why}` });
  }

  function end(how: Ending): void {
    ending ??= how;
    stop.abort();
  }

  /** Ends the run because of a defect or a file that cannot be written. A call's outcome never causes such an error. */
  function fail(error: unknown): void {
    failure ??= { error };
    end({ ended: 'failed', why: errorText(error) });
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
    if ((wakeAtMs ?? Infinity) - clock.now() <= LONGEST_RETRY_WAIT_MS) return wait(wakeAtMs ?? 0);
    end({ ended: 'done' });
    return 0;
  }

  async function wait(untilMs: number): Promise<0> {
    await clock.sleep(Math.max(untilMs - clock.now(), 1), stop.signal);
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

/** Adds the upstream's message to the ending if the quota is exhausted. */
function withReport(ending: Ending, exhausted: string | null): Ending {
  return ending.ended === 'allowance' && exhausted !== null ? { ...ending, why: exhausted } : ending;
}

/** Replaces the ending with drift, even if the run reached a limit or failed. */
function asDrift(ending: Ending, why: string): Ending {
  switch (ending.ended) {
    case 'done':
    case 'max_calls':
    case 'max_minutes':
    case 'allowance':
    case 'failed':
      return { ended: 'drift', why };
    default:
      return ending;
  }
}

function endingOf(because: Exclude<NoSlot, { is: 'unreachable' }>): Ending {
  switch (because.is) {
    case 'spent':
    case 'paused':
      return { ended: 'allowance', resumesAtMs: because.untilMs };
    case 'refused_key':
      return {
        ended: 'unauthorised',
        why: `this key was refused on ${new Date(because.sinceMs).toISOString()}`,
      };
    case 'interrupted':
      return { ended: 'interrupted' };
  }
}

interface Quota {
  /**
   * Returns the remaining quota, or how the run ends if the quota is exhausted or the account is paused for a long
   * time.
   */
  left(nowMs: number): QuotaLeft | Ending;
  /** Counts one unit as used. */
  countUsed(): void;
}

/**
 * Reads the ledger at most once every QUOTA_VALID_MS. An outdated value is harmless, because every debit checks the
 * ledger again.
 */
function openQuota(ledger: Ledger, purpose: Purpose): Quota {
  let read: { readonly left: QuotaLeft | Ending; readonly atMs: number } | null = null;
  let used = 0;
  return {
    left: (nowMs) => {
      if (read === null || Math.abs(nowMs - read.atMs) >= QUOTA_VALID_MS) {
        read = { left: leftToSpend(ledger, purpose, nowMs), atMs: nowMs };
        used = 0;
      }
      const { left } = read;
      if ('ended' in left || left.calls > used)
        return 'ended' in left ? left : { ...left, calls: left.calls - used };
      read = null;
      return leftToSpend(ledger, purpose, nowMs);
    },
    countUsed: () => {
      used += 1;
    },
  };
}

function leftToSpend(ledger: Ledger, purpose: Purpose, nowMs: number): QuotaLeft | Ending {
  const state = ledger.state(nowMs, purpose);
  if (state.left <= 0) return { ended: 'allowance', resumesAtMs: state.resumesAtMs };
  if (state.pausedUntilMs !== null && state.pausedUntilMs - nowMs > MAX_PAUSE_MS)
    return { ended: 'allowance', resumesAtMs: state.pausedUntilMs };
  return {
    calls: state.left,
    lifetimeLimit: state.windows.find(({ name }) => name === 'total')?.limit ?? null,
  };
}

interface Health {
  /**
   * After several consecutive failures, no call is sent before this time (epoch milliseconds). It is 0 if calls may be
   * sent.
   */
  readonly resumesAtMs: number;
  /** Evaluates processed responses. Returns why the run must end, or null if it continues. */
  observe(results: readonly LoadResult[], nowMs: number): string | null;
  /** Evaluates outcomes. Returns why the base URL is probably wrong, or null if the run continues. */
  addressFault(outcomes: readonly Outcome[]): string | null;
  /** Records that no connection could be opened. Returns true if the run must end. */
  unreachable(nowMs: number): boolean;
}

/**
 * Detects that every call to the upstream fails. It doubles the wait after each additional failure, and ends the run
 * before the failures use up the quota. Only a target's first failure causes a wait, because retries have their own
 * backoff. A few targets that always fail therefore do not delay the others.
 */
function openHealth(startedMs: number, wrongAddressLimit: number): Health {
  let failuresInARow = 0;
  let newFailuresInARow = 0;
  let lastGoodMs = startedMs;
  let hasSucceeded = false;
  let resumesAtMs = 0;
  const misdirected: Outcome[] = [];

  /** Counts a failure. Returns true if the run must end. */
  function countFailure(isNewTarget: boolean, nowMs: number): boolean {
    failuresInARow += 1;
    if (isNewTarget) newFailuresInARow += 1;
    const doublings = newFailuresInARow - FAILURES_BEFORE_WAITING;
    if (doublings >= 0) resumesAtMs = nowMs + Math.min(250 * 2 ** doublings, 4000);
    if (!hasSucceeded) return failuresInARow >= FAILURES_AT_START;
    // Once everything else is done, a few targets being retried do not indicate an outage, however long that takes.
    const isLong = newFailuresInARow >= FAILURES_AT_START && nowMs - lastGoodMs >= LONGEST_OUTAGE_MS;
    const isDown = newFailuresInARow >= FAILURES_IN_A_ROW || isLong;
    return failuresInARow >= FAILURES_IN_A_ROW && isDown;
  }

  return {
    get resumesAtMs() {
      return resumesAtMs;
    },
    observe: (results, nowMs) => {
      for (const { call, verdict, failure } of results) {
        if (failure === null || verdict === 'refused') {
          [failuresInARow, newFailuresInARow, lastGoodMs, hasSucceeded] = [0, 0, nowMs, true];
          resumesAtMs = 0;
        } else if (countFailure(failure.tries === 1, nowMs))
          return `${failuresInARow} calls in a row failed; the last one was for ${call.kind} ${targetOf(call)}: ${failure.why}`;
      }
      return null;
    },
    addressFault: (outcomes) => {
      misdirected.push(
        ...outcomes.filter(({ verdict }) => verdict.is === 'broken' && verdict.isWrongAddress),
      );
      const last = misdirected.at(-1)?.verdict;
      if (hasSucceeded || last?.is !== 'broken') return null;
      // An API without statistics returns a 404 for them.
      if (misdirected.every(({ call }) => call.kind === 'stats')) return null;
      const targets = new Set(misdirected.map(({ call }) => `${call.kind} ${targetOf(call)}`));
      if (targets.size < wrongAddressLimit && misdirected.length <= wrongAddressLimit) return null;
      const calls = misdirected.length === 1 ? 'the first call' : `the first ${misdirected.length} calls`;
      return `${calls} did not reach the API: ${last.why}`;
    },
    unreachable: (nowMs) => countFailure(true, nowMs),
  };
}

function startTimer(delayMs: number, action: () => void): { cancel(): void } {
  if (delayMs === Infinity) return { cancel: () => {} };
  const timer = setTimeout(action, Math.min(Math.max(delayMs, 0), 2 ** 31 - 1));
  return { cancel: () => clearTimeout(timer) };
}

const LONGEST_RETRY_WAIT_MS = 60_000;
const QUOTA_VALID_MS = 200;
const FAILURES_BEFORE_WAITING = 3;
const FAILURES_AT_START = 6;
const FAILURES_IN_A_ROW = 12;
const LONGEST_OUTAGE_MS = 15_000;
