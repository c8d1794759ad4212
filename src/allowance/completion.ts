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

/** When so many calls could be made, if nothing else spent the allowance meanwhile. */
export interface Completion {
  /** How many of them the account can make at all. */
  readonly affordable: number;
  /** When the last affordable one is made. */
  readonly finishesAtMs: number;
  /** On how many days, of 24 hours from now, calls are made. */
  readonly days: number;
  /** How long they take at the rate alone; 0 without a rate. */
  readonly atRateMs: number;
}

export interface CompletionInput {
  readonly allowance: Allowance;
  /** What is left now in each window, for this purpose. */
  readonly left: readonly { readonly name: WindowName; readonly left: number }[];
  readonly purpose: Purpose;
  readonly calls: number;
  readonly nowMs: number;
}

/** Plays the windows forward: each pause ends when the next window opens. A rolling day counts from now. */
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
    const room = spacing === 0 ? Infinity : Math.max(1, Math.floor((untilMs - atMs) / spacing));
    const now = Math.max(0, Math.min(affordable - made, room, ...lefts.values()));
    if (now > 0) for (const day of daysBetween(atMs, now * spacing)) days.add(day);
    made += now;
    for (const [name, calls] of lefts) lefts.set(name, calls - now);
    atMs += now * spacing;
    if (made >= affordable) break;
    // Of the windows that are shut, the one that stays so longest decides.
    const opensMs = Math.max(
      untilMs,
      ...[...lefts].filter(([, calls]) => calls <= 0).map(([name]) => resets.get(name) ?? Infinity),
    );
    if (opensMs === Infinity) break;
    atMs = Math.max(atMs, opensMs);
    for (const [name, resetMs] of resets) if (resetMs <= atMs) lefts.set(name, fullLimitOf(name));
  }
  return { affordable: made, finishesAtMs: atMs, days: days.size, atRateMs: calls * spacing };

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
// A hundred years: the forecast of a plan that needs longer ends there.
const HORIZON_MS = 36_525 * DAY_MS;
