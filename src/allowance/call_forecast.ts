import { DAY_MS } from '../durations.ts';
import type { LedgerState } from './account_windows.ts';
import {
  type Allowance,
  isLifetime,
  limitFor,
  type Purpose,
  rollingLengthMs,
  spacingMs,
  unlimitedWindowAt,
  type WindowName,
  windowsAt,
} from './windows.ts';

/** A forecast of how long a number of calls takes if nothing else spends the allowance. */
export interface Completion {
  /** The number of these calls that the account can make within a hundred years. */
  readonly affordable: number;
  /** The time of the last affordable call; `nowMs` if there is none. */
  readonly finishesAtMs: number;
  /** The number of the account's days on which calls are made. If the day is rolling, 24-hour periods from now. */
  readonly days: number;
  /** The time that all calls would take if only the rate limited them; 0 if there is no rate. */
  readonly atRateMs: number;
}

interface CompletionInput {
  readonly allowance: Allowance;
  /** The number of calls that this purpose can still make now, by window. */
  readonly left: readonly { readonly name: WindowName; readonly left: number }[];
  readonly purpose: Purpose;
  readonly calls: number;
  readonly nowMs: number;
  /** The time of the first call; default: `nowMs`. Windows that reset before then are full again. */
  readonly startsAtMs?: number;
}

/** The lowest and the highest number of calls; `high` is null if there is no known upper bound. */
interface CallBounds {
  readonly low: number;
  readonly high: number | null;
}

/** The part of the ledger's state that a forecast needs. */
export type ForecastState = Pick<LedgerState, 'pausedUntilMs' | 'resumesAtMs'> & {
  readonly windows: CompletionInput['left'];
};

/** Forecasts the lowest and the highest number of calls, from the time at which the account permits calls. */
export function forecastRange(
  { low, high }: CallBounds,
  state: ForecastState,
  input: Pick<CompletionInput, 'allowance' | 'purpose' | 'nowMs'>,
): { readonly low: Completion; readonly high: Completion | null } {
  const startsAtMs = startOfCallsMs(state, input.nowMs);
  const forecast = (calls: number) =>
    forecastCompletion({ ...input, left: state.windows, calls, startsAtMs });
  return { low: forecast(low), high: high === null ? null : forecast(high) };
}

/** When the upstream's pause ends and the account can spend again, or `nowMs` if it can call now. */
export function startOfCallsMs(
  { pausedUntilMs, resumesAtMs }: Pick<LedgerState, 'pausedUntilMs' | 'resumesAtMs'>,
  nowMs: number,
): number {
  return Math.max(nowMs, pausedUntilMs ?? 0, resumesAtMs ?? 0);
}

/**
 * Simulates the allowance windows. Calls are made at the rate until a window is exhausted, and resume when it resets. A
 * rolling window is simulated as consecutive fixed windows of the same length, starting now.
 */
export function forecastCompletion(input: CompletionInput): Completion {
  const { allowance, left, purpose, calls, nowMs, startsAtMs = nowMs } = input;
  const spacing = spacingMs(allowance.perMinute);
  const limits = new Map(windowsAt(allowance, nowMs).map(({ name, limit }) => [name, limit]));
  const fullLimitOf = (name: WindowName) =>
    limitFor(limits.get(name) ?? Infinity, allowance.reserve, purpose);
  const lefts = new Map(left.map((window) => [window.name, window.left]));
  const affordable = Math.min(calls, ...left.filter(isLifetime).map((window) => window.left));
  const days = new Set<number>();
  let atMs = startsAtMs;
  let made = 0;
  renewLimits(resetsAt(nowMs));

  while (made < affordable && atMs < nowMs + HORIZON_MS) {
    const resets = resetsAt(atMs);
    const untilMs = Math.min(...resets.values());
    const slots = spacing === 0 ? Infinity : Math.max(1, Math.floor((untilMs - atMs) / spacing));
    const batch = Math.max(0, Math.min(affordable - made, slots, ...lefts.values()));
    if (batch > 0) for (const day of daysBetween(atMs, batch * spacing)) days.add(day);
    made += batch;
    for (const [name, calls] of lefts) lefts.set(name, calls - batch);
    atMs += batch * spacing;
    if (made >= affordable) break;
    // The account can spend again when all exhausted windows have reset.
    const reopensMs = Math.max(
      untilMs,
      ...[...lefts].filter(([, calls]) => calls <= 0).map(([name]) => resets.get(name) ?? Infinity),
    );
    if (reopensMs === Infinity) break;
    atMs = Math.max(atMs, reopensMs);
    renewLimits(resets);
  }
  return {
    affordable: made,
    finishesAtMs: made === 0 ? nowMs : atMs,
    days: days.size,
    atRateMs: calls * spacing,
  };

  /** Refills the windows that have reset by `atMs`. */
  function renewLimits(resets: ReadonlyMap<WindowName, number>): void {
    for (const [name, resetMs] of resets) if (resetMs <= atMs) lefts.set(name, fullLimitOf(name));
  }

  /** Returns each window's first reset after `ms`, except for windows that never reset. */
  function resetsAt(ms: number): Map<WindowName, number> {
    return new Map(
      windowsAt(allowance, ms).flatMap((window) => {
        if (window.resetsAtMs !== null) return [[window.name, window.resetsAtMs] as const];
        if (isLifetime(window)) return [];
        const lengthMs = rollingLengthMs(window);
        return [[window.name, nowMs + (Math.floor((ms - nowMs) / lengthMs) + 1) * lengthMs] as const];
      }),
    );
  }

  /** Returns the start of each day in this time. */
  function* daysBetween(fromMs: number, durationMs: number): Generator<number> {
    const lastMs = fromMs + Math.max(durationMs - 1, 0);
    for (let atMs = fromMs; atMs <= lastMs; ) {
      const [sinceMs, endsMs] = dayAt(atMs);
      yield sinceMs;
      atMs = endsMs;
    }
  }

  function dayAt(ms: number): readonly [sinceMs: number, endsMs: number] {
    const { sinceMs, resetsAtMs } = unlimitedWindowAt('day', allowance.day, ms);
    if (resetsAtMs !== null) return [sinceMs, resetsAtMs];
    const startMs = nowMs + Math.floor((ms - nowMs) / DAY_MS) * DAY_MS;
    return [startMs, startMs + DAY_MS];
  }
}

// Forecasts end after a hundred years.
const HORIZON_MS = 36_525 * DAY_MS;
