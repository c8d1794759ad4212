import type { Ledger } from './allowance/ledger.ts';
import type { Purpose } from './allowance/windows.ts';
import { targetOf } from './call.ts';
import type { Clock } from './clock.ts';
import type { Fetch, Halt, NotMade } from './fetch/fetch.ts';
import { openFlight } from './fetch/flight.ts';
import type { Lane } from './fetch/lane.ts';
import type { Load } from './load/load.ts';
import { type Outcome, wasSent } from './outcome.ts';
import type { News } from './plan/knowledge.ts';
import type { Left, Planner } from './plan/plan.ts';
import { EMPTY_TALLY, type Tally, withNews, withOutcome } from './tally.ts';

/** What a run stands on; all of it is made in assemble.ts. */
export interface MirrorParts {
  readonly planner: Planner;
  readonly fetch: Fetch;
  readonly load: Load;
  readonly ledger: Ledger;
  readonly lanes: readonly Lane[];
  readonly clock: Clock;
}

/** How far a run may go. */
export interface Bounds {
  readonly purpose: Purpose;
  /** Infinity: no bound. */
  readonly maxCalls: number;
  /** Epoch milliseconds; Infinity: no bound. */
  readonly deadlineMs: number;
  /** Aborts at Ctrl-C or SIGTERM: what is in flight is finished and loaded. */
  readonly signal: AbortSignal;
  /** Told after each load. */
  readonly onProgress?: (tally: Tally, last: Outcome) => void;
}

export type Ending =
  | { readonly ended: 'done' | 'max_calls' | 'max_minutes' | 'interrupted' }
  /** Nothing can be spent until then; null: this account has no more. */
  | { readonly ended: 'allowance'; readonly resumesAtMs: number | null }
  | { readonly ended: 'unauthorised' | 'drift' | 'failed'; readonly why: string };

export interface Mirrored {
  readonly ending: Ending;
  readonly tally: Tally;
}

/**
 * The engine: plan which calls are worth most, fetch each with one attempt, load what it meant; again,
 * until nothing is due or nothing is left to spend.
 */
export async function mirror(parts: MirrorParts, bounds: Bounds): Promise<Mirrored> {
  const { planner, ledger, clock } = parts;
  const stop = new AbortController();
  const flight = openFlight({ ...parts, signal: stop.signal, onNotMade });
  const health = openHealth(clock.now());
  let ending: Ending | null = null;
  let tally = EMPTY_TALLY;
  let started = 0;
  let drifted: string | null = null;

  const end = (how: Ending) => {
    ending ??= how;
    stop.abort();
  };
  const interrupt = () => end({ ended: 'interrupted' });
  bounds.signal.addEventListener('abort', interrupt);
  if (bounds.signal.aborted) interrupt();
  const overtime = startTimer(bounds.deadlineMs - clock.now(), () => end({ ended: 'max_minutes' }));

  try {
    while (ending === null) {
      const wakeAtMs = plan();
      load(await flight.landed());
      flight.check();
      if (ending === null && flight.isEmpty && wakeAtMs !== undefined) await waitOrEnd(wakeAtMs);
    }
  } finally {
    overtime.cancel();
    bounds.signal.removeEventListener('abort', interrupt);
    stop.abort();
    load(await flight.settled());
  }
  flight.check();
  return { ending: drifted === null ? ending : asDrift(ending, drifted), tally };

  /**
   * Gives every free lane a call. Answers undefined while calls are under way, else when the earliest
   * retry becomes possible, or null when nothing is due.
   */
  function plan(): number | null | undefined {
    if (flight.freeLanes === 0 || flight.holdsLessons) return undefined;
    const nowMs = clock.now();
    if (nowMs < health.resumesAtMs) return flight.isEmpty ? health.resumesAtMs : undefined;
    const left = leftToSpend(ledger, bounds.purpose, nowMs);
    if ('ended' in left) {
      end(left);
      return undefined;
    }
    const most = Math.min(flight.freeLanes, left.calls, bounds.maxCalls - started);
    if (most <= 0) {
      if (flight.isEmpty) end({ ended: 'max_calls' });
      return undefined;
    }
    const { calls, wakeAtMs, drift } = planner.next({ nowMs, left, most });
    drifted = drift;
    for (const call of calls) flight.start(call);
    started += calls.length;
    if (drift !== null && flight.isEmpty) end({ ended: 'drift', why: drift });
    return flight.isEmpty ? wakeAtMs : undefined;
  }

  function load(outcomes: Outcome[]): void {
    if (outcomes.length === 0) return;
    const learned = parts.load(outcomes);
    for (const news of learned) {
      planner.learn(news);
      tally = withNews(tally, news);
    }
    for (const outcome of outcomes) {
      tally = withOutcome(tally, outcome);
      if (!wasSent(outcome)) started -= 1;
      if (outcome.verdict.is === 'unauthorised') end({ ended: 'unauthorised', why: outcome.verdict.why });
    }
    bounds.onProgress?.(tally, outcomes[outcomes.length - 1] as Outcome);
    const failing = health.observe(learned, clock.now());
    if (failing === null) return;
    // Several misread answers at once: what the planner makes of them says more than that they failed.
    drifted = planner.next({ nowMs: clock.now(), left: NOTHING_LEFT, most: 0 }).drift;
    end({ ended: 'failed', why: failing });
  }

  function onNotMade({ call, because }: NotMade): void {
    started -= 1;
    planner.release(call);
    const how = endingOf(because);
    if (how !== null) end(how);
  }

  /** With nothing in flight: waits for the earliest retry if that is near, else the work is done. */
  async function waitOrEnd(wakeAtMs: number | null): Promise<void> {
    const waitMs = (wakeAtMs ?? Infinity) - clock.now();
    if (waitMs > LONGEST_RETRY_WAIT_MS) return end({ ended: 'done' });
    await clock.sleep(Math.max(waitMs, 1), stop.signal);
  }
}

const NOTHING_LEFT: Left = { calls: 0, lifetimeLimit: null };

/** A run that came to its bound in the meantime has found out all the same that the upstream has changed. */
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

/** What the account can spend now, or how the run ends because it can spend nothing for long. */
function leftToSpend(ledger: Ledger, purpose: Purpose, nowMs: number): Left | Ending {
  const state = ledger.state(nowMs, purpose);
  if (state.left <= 0) return { ended: 'allowance', resumesAtMs: state.resumesAtMs };
  if (state.pausedUntilMs !== null && state.pausedUntilMs - nowMs > LONGEST_PAUSE_MS)
    return { ended: 'allowance', resumesAtMs: state.pausedUntilMs };
  return {
    calls: state.left,
    lifetimeLimit: state.windows.find(({ name }) => name === 'total')?.limit ?? null,
  };
}

function endingOf(halt: Halt): Ending | null {
  switch (halt.is) {
    case 'spent':
      return { ended: 'allowance', resumesAtMs: halt.untilMs };
    case 'refused_key':
      return {
        ended: 'unauthorised',
        why: `this key was refused on ${new Date(halt.sinceMs).toISOString()}`,
      };
    case 'interrupted':
      return null;
  }
}

interface Health {
  /** Until then no call is sent, because several failed in a row. */
  readonly resumesAtMs: number;
  /** Answers why the run must end, or null. */
  observe(learned: readonly News[], nowMs: number): string | null;
}

/**
 * Notices an upstream that only fails: waits longer and longer, and gives up before the allowance is gone.
 * A target that failed before says less of the upstream than a new one, and waits longer each time by itself:
 * a handful that always fails must not stop the others.
 */
function openHealth(startedMs: number): Health {
  let failuresInARow = 0;
  let newFailuresInARow = 0;
  let lastGoodMs = startedMs;
  let hasSucceeded = false;
  let resumesAtMs = 0;
  return {
    get resumesAtMs() {
      return resumesAtMs;
    },
    observe: (learned, nowMs) => {
      for (const { call, verdict, failure } of learned) {
        if (failure === null || verdict === 'refused') {
          [failuresInARow, newFailuresInARow, lastGoodMs, hasSucceeded] = [0, 0, nowMs, true];
          continue;
        }
        failuresInARow += 1;
        if (failure.tries === 1) newFailuresInARow += 1;
        const isDown = newFailuresInARow >= FAILURES_IN_A_ROW || nowMs - lastGoodMs >= LONGEST_OUTAGE_MS;
        if (
          failuresInARow >= (hasSucceeded ? FAILURES_IN_A_ROW : FAILURES_AT_START) &&
          (isDown || !hasSucceeded)
        )
          return `${failuresInARow} calls in a row failed; the last one was for ${call.kind} ${targetOf(call)}: ${failure.why}`;
      }
      const doublings = newFailuresInARow - FAILURES_BEFORE_WAITING;
      if (doublings >= 0) resumesAtMs = nowMs + Math.min(250 * 2 ** doublings, 4000);
      return null;
    },
  };
}

function startTimer(delayMs: number, action: () => void): { cancel(): void } {
  if (delayMs === Infinity) return { cancel: () => {} };
  const timer = setTimeout(action, Math.min(Math.max(delayMs, 0), 2 ** 31 - 1));
  return { cancel: () => clearTimeout(timer) };
}

const LONGEST_RETRY_WAIT_MS = 60_000;
const LONGEST_PAUSE_MS = 10 * 60_000;
const FAILURES_BEFORE_WAITING = 3;
const FAILURES_AT_START = 6;
const FAILURES_IN_A_ROW = 12;
const LONGEST_OUTAGE_MS = 15_000;
