import {
  type Allowance,
  isLifetime,
  limitFor,
  type Purpose,
  rememberWindows,
  rollingLengthMs,
  spacingMs,
  type WindowName,
} from './windows.ts';

/** The forecast for a number of calls, if nothing else spends the allowance. */
export interface Completion {
  /** The calls that the account can make within a hundred years. */
  readonly affordable: number;
  /** The time of the last affordable call. */
  readonly finishesAtMs: number;
  /** The number of days with calls. Days are periods of 24 hours from now. */
  readonly days: number;
  /** The duration of all calls if only the rate limited them; 0 if there is no rate. */
  readonly atRateMs: number;
}

export interface CompletionInput {
  readonly allowance: Allowance;
  /** The calls that this purpose can still make in each window now. */
  readonly left: readonly { readonly name: WindowName; readonly left: number }[];
  readonly purpose: Purpose;
  readonly calls: number;
  readonly nowMs: number;
}

/**
 * Simulates the allowance windows. Calls are made at the rate until a window is exhausted, and resume when that window
 * resets. A rolling window is simulated as consecutive fixed windows of the same length; the first one starts now.
 */
export function forecastCompletion({ allowance, left, purpose, calls, nowMs }: CompletionInput): Completion {
  const spacing = spacingMs(allowance.perMinute);
  const windowsAt = rememberWindows(allowance);
  const limits = new Map(windowsAt(nowMs).map(({ name, limit }) => [name, limit]));
  const fullLimitOf = (name: WindowName) =>
    limitFor(limits.get(name) ?? Infinity, allowance.reserve, purpose);
  const lefts = new Map(left.map((window) => [window.name, window.left]));
  const affordable = Math.min(calls, ...left.filter(isLifetime).map((window) => window.left));
  const days = new Set<number>();
  let atMs = nowMs;
  let made = 0;

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
    for (const [name, resetMs] of resets) if (resetMs <= atMs) lefts.set(name, fullLimitOf(name));
  }
  return { affordable: made, finishesAtMs: atMs, days: days.size, atRateMs: calls * spacing };

  /** The next reset after `ms` of each window that has one. */
  function resetsAt(ms: number): Map<WindowName, number> {
    return new Map(
      windowsAt(ms).flatMap((window) => {
        if (window.resetsAtMs !== null) return [[window.name, window.resetsAtMs] as const];
        if (isLifetime(window)) return [];
        const lengthMs = rollingLengthMs(window);
        return [[window.name, nowMs + (Math.floor((ms - nowMs) / lengthMs) + 1) * lengthMs] as const];
      }),
    );
  }

  function* daysBetween(fromMs: number, durationMs: number): Generator<number> {
    const first = Math.floor((fromMs - nowMs) / DAY_MS);
    const last = Math.floor((fromMs + Math.max(durationMs - 1, 0) - nowMs) / DAY_MS);
    for (let day = first; day <= last; day++) yield day;
  }
}

const DAY_MS = 24 * 60 * 60 * 1000;
// A hundred years: the longest forecast.
const HORIZON_MS = 36_525 * DAY_MS;
