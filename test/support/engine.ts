import { setImmediate } from 'node:timers/promises';
import { type Call, targetOf } from '../../src/call.ts';
import { type Clock, systemClock } from '../../src/clock.ts';
import type { Loader } from '../../src/load/load.ts';
import { type LoadResult, noChange } from '../../src/load_result.ts';
import { type Bounds, type Mirrored, mirror } from '../../src/mirror.ts';
import type { Attempt, Outcome } from '../../src/outcome.ts';
import type { Plan, Planner, QuotaLeft } from '../../src/planner.ts';
import { entityOf, searchFor } from './dialect.ts';
import {
  answerWith,
  type Handler,
  type Rig,
  type RigOptions,
  rigOf,
  type Upstream,
  upstreamOf,
} from './fetch.ts';

/** One run of the engine with a real upstream. */
export interface Run {
  readonly upstream: Upstream;
  readonly rig: Rig;
  /** The attempts that were stored and the outcomes that were processed, in order. */
  readonly stored: Attempt[];
  readonly loaded: Outcome[];
  /** Each choice by the planner, with the remaining quota and the number of results known at that time. */
  readonly choices: {
    readonly target: string;
    readonly left: QuotaLeft;
    readonly learned: number;
    readonly atMs: number;
  }[];
  /** Targets that were planned but were neither processed nor released. */
  readonly missing: () => string[];
  mirror(bounds?: Partial<Bounds>): Promise<Mirrored>;
}

export interface RunOptions extends Partial<RigOptions> {
  /** Runs before the loader records attempts, and can throw as if the disk were full. */
  readonly onStore?: (attempts: readonly Attempt[]) => void;
  readonly onProcess?: (outcomes: readonly Outcome[]) => void;
  /** Runs before each slot, and can throw as if the disk were nearly full. */
  readonly requireSpace?: () => void;
  /** Runs before each choice. */
  readonly onChoice?: (choices: number) => void;
  /** Changes the list of due calls after a result. */
  readonly onLearn?: (due: Call[], result: LoadResult) => void;
  /** Additional properties for each plan, which has no retry and no drift by default. */
  readonly plan?: () => Partial<Plan>;
}

/** Runs the engine with a real upstream, a list of due calls and a loader that records the outcomes. */
export async function runOf(
  handler: Handler,
  calls: readonly Call[],
  options: RunOptions = {},
): Promise<Run> {
  const upstream = await upstreamOf(handler);
  const rig = rigOf({ baseUrl: `${upstream.origin}/api`, connections: 4, ...options });
  const due = [...calls];
  const planned = new Set<string>();
  const stored: Attempt[] = [];
  const loaded: Outcome[] = [];
  const choices: Run['choices'] = [];
  let asks = 0;
  let learned = 0;
  const planner: Planner = {
    next: ({ most, left }) => {
      asks += 1;
      options.onChoice?.(asks);
      const next = due.splice(0, most);
      for (const call of next) {
        planned.add(targetOf(call));
        choices.push({ target: targetOf(call), left, learned, atMs: Date.now() });
      }
      return { calls: next, wakeAtMs: null, drift: null, ...options.plan?.() };
    },
    learn: (result) => {
      learned += 1;
      options.onLearn?.(due, result);
    },
    release: (call) => {
      planned.delete(targetOf(call));
      due.unshift(call);
    },
  };
  const resultOf = (outcome: Outcome): LoadResult => {
    const { call, verdict } = outcome;
    const isFailure = verdict.is === 'broken' || verdict.is === 'refused';
    const failure = { kind: call.kind, target: targetOf(call), tries: 1, step: 1, nextTryAtMs: Infinity };
    return {
      ...noChange(outcome),
      record: verdict.is === 'ok' && call.kind === 'entity' ? { isNew: true, changed: true } : null,
      failure: isFailure ? { ...failure, why: verdict.why } : null,
    };
  };
  const loader: Pick<Loader, 'store' | 'process'> = {
    store: (attempts) => {
      options.onStore?.(attempts);
      stored.push(...attempts);
    },
    process: (outcomes) => {
      options.onProcess?.(outcomes);
      loaded.push(...outcomes);
      for (const { call } of outcomes) planned.delete(targetOf(call));
      return outcomes.map(resultOf);
    },
  };
  const { clock = systemClock, watchLedger } = options;
  const ledger = watchLedger?.(rig.ledger) ?? rig.ledger;
  const { requireSpace = () => {} } = options;
  const parts = { ...rig, ledger, planner, loader, clock, requireSpace };
  const bounds: Bounds = {
    purpose: 'scheduled',
    maxCalls: Infinity,
    deadlineMs: Infinity,
    signal: new AbortController().signal,
  };
  return {
    upstream,
    rig,
    stored,
    loaded,
    choices,
    missing: () => [...planned],
    mirror: (more) => mirror(parts, { ...bounds, ...more }),
  };
}

/** A clock that moves only when a caller sleeps, which gives a run with one connection exact times. */
export interface SteppedClock extends Clock {
  /** The delays for which callers slept, in order. */
  readonly sleepsMs: number[];
  step(byMs: number): void;
}

export function steppedClock(startMs = Date.now()): SteppedClock {
  const sleepsMs: number[] = [];
  let nowMs = startMs;
  return {
    sleepsMs,
    now: () => nowMs,
    step: (byMs) => {
      nowMs += byMs;
    },
    sleep: async (delayMs, signal) => {
      if (signal?.aborted) return;
      sleepsMs.push(delayMs);
      nowMs += Math.max(0, delayMs);
      await setImmediate();
    },
  };
}

export const records = (count: number) =>
  Array.from({ length: count }, (_, index) => entityOf(String(1000 + index)));

export const searches = (count: number) => Array.from({ length: count }, (_, at) => searchFor(`query ${at}`));

/** Responds with a record that has the requested id. */
export const echo: Handler = (request, response, index) =>
  answerWith(200, JSON.stringify({ id: request.url?.split('/').at(-1) }))(request, response, index);

/** Closes the connection without a response. */
export const hangUp: Handler = (request) => void request.socket.destroy();
