import type { BootTime } from '../clock.ts';
import type { Account } from './account.ts';
import type { CallCounts } from './call_counts.ts';
import { behindFault, type ClockFault, uncertaintyOf } from './ledger_clock.ts';
import { currentReport, currentSpacingMs, type ReportedLeft } from './upstream_reports.ts';
import {
  type Allowance,
  isLifetime,
  isRolling,
  limitFor,
  type Purpose,
  rollingLengthMs,
  unlimitedWindowAt,
  type Window,
  type WindowName,
  windowsAt,
} from './windows.ts';

export interface LedgerState {
  readonly windows: readonly WindowState[];
  /** The calls that every window still permits; Infinity if there is no window. */
  readonly left: number;
  /** The time at which an exhausted account can spend again; null if it never can, or if it is not exhausted. */
  readonly resumesAtMs: number | null;
  readonly pausedUntilMs: number | null;
  /**
   * The upstream's report of an exhausted allowance; null if there is none. `left` is the quota that was left by the
   * ledger's own count.
   */
  readonly exhausted: { readonly atMs: number; readonly untilMs: number; readonly left: number } | null;
  /**
   * The remaining quota that the upstream reported; null if it reported none. The state's own `left` never exceeds it.
   */
  readonly reported: ReportedLeft | null;
  /** The shortest time between two calls that the upstream accepts; 0 if no response has shown it. */
  readonly acceptedSpacingMs: number;
  readonly refusedKey: { readonly fingerprint: string; readonly sinceMs: number } | null;
  /** The number of calls counted since the ledger was created. It excludes `already_spent`. */
  readonly spentEver: number;
  /** Why no call can be sent until the clock is set or confirmed; null if the clock seems right. */
  readonly clockFault: ClockFault | null;
}

export interface WindowState extends Window {
  readonly spent: number;
  /** The calls that the given purpose can still spend. */
  readonly left: number;
}

/** Why an account cannot spend, and until when. */
export interface Closure {
  readonly window: WindowName | 'upstream';
  /** The time at which the account can spend again; null if it never can. */
  readonly untilMs: number | null;
}

/** A call at `atMs` by the clock, which can have been made `earlierMs` earlier. */
interface CallTime {
  readonly nowMs: number;
  readonly atMs: number;
  readonly earlierMs: number;
  readonly purpose: Purpose;
}

/**
 * An account's allowance windows, and how many calls each still permits. Call every method inside a ledger transaction.
 */
export class AccountWindows {
  readonly #allowance: Allowance;
  readonly #counts: CallCounts;

  constructor(allowance: Allowance, counts: CallCounts) {
    this.#allowance = allowance;
    this.#counts = counts;
  }

  windowsAt(atMs: number): Window[] {
    return windowsAt(this.#allowance, atMs);
  }

  windowStates(atMs: number, row: Account, purpose: Purpose): WindowState[] {
    return this.windowsAt(atMs).map((window) => {
      const spent = this.#spentIn(window, row);
      const limit = limitFor(window.limit, this.#allowance.reserve, purpose);
      return { ...window, spent, left: Math.max(0, limit - spent) };
    });
  }

  /**
   * Returns the closure that ends last, or null if the account can spend. `earlier` are the windows at the earliest
   * possible time of a call at `atMs`.
   */
  closureOf(
    row: Account,
    earlier: readonly WindowState[],
    { nowMs, atMs, earlierMs, purpose }: CallTime,
  ): Closure | null {
    const isClosed = ({ left }: WindowState) => left <= 0;
    // When the earlier window has reset, the later one can be exhausted too.
    const later = earlier.some(isClosed) ? this.windowStates(atMs, row, purpose) : [];
    const closures = [...earlier, ...later].filter(isClosed).map((state): Closure => {
      const reopensMs = this.#reopensAtMs(state, purpose);
      return { window: state.name, untilMs: reopensMs === null ? null : reopensMs + earlierMs };
    });
    if (row.exhausted_until_ms !== null && row.exhausted_until_ms > nowMs)
      closures.push({ window: 'upstream', untilMs: row.exhausted_until_ms });
    const report = currentReport(row, nowMs);
    if (report !== null && report.left <= 0) closures.push({ window: 'upstream', untilMs: report.untilMs });
    return closures.reduce<Closure | null>(
      (longest, closure) => (lastsLonger(closure, longest) ? closure : longest),
      null,
    );
  }

  stateAt(
    nowMs: number,
    row: Account,
    purpose: Purpose,
    { boot, key }: { readonly boot: BootTime | null; readonly key: string | null },
  ): LedgerState {
    const { earlierMs, fault } = uncertaintyOf(row, nowMs, boot);
    const earlier = this.windowStates(nowMs - earlierMs, row, purpose);
    const states = this.windowStates(nowMs, row, purpose).map((state, at) => ({
      ...state,
      left: Math.min(state.left, earlier[at]?.left ?? Infinity),
    }));
    const closure = this.closureOf(row, earlier, { nowMs, atMs: nowMs, earlierMs, purpose });
    return {
      windows: states,
      left: closure === null ? leftOf(row, states, nowMs) : 0,
      resumesAtMs: closure?.untilMs ?? null,
      pausedUntilMs: row.paused_until_ms > nowMs ? row.paused_until_ms : null,
      exhausted: exhaustionIn(row, nowMs),
      reported: currentReport(row, nowMs),
      acceptedSpacingMs: currentSpacingMs(row, 0, nowMs),
      refusedKey: rejectionIn(row, key),
      spentEver: row.spent_ever,
      clockFault: behindFault(row, nowMs) ?? fault,
    };
  }

  /** Returns the current window with this name and its calls, even if the configuration sets no limit for it. */
  reportedWindow(name: WindowName, row: Account, nowMs: number): Window & { readonly spent: number } {
    const window = unlimitedWindowAt(name, this.#allowance.day, nowMs);
    return { ...window, spent: this.#spentIn(window, row) };
  }

  #spentIn(window: Window, row: Account): number {
    return isLifetime(window)
      ? row.spent_ever + this.#allowance.alreadySpent
      : this.#counts.since(window.sinceMs);
  }

  /** The time at which an exhausted window next permits a call; null if it never does. */
  #reopensAtMs(state: WindowState, purpose: Purpose): number | null {
    if (!isRolling(state)) return state.resetsAtMs;
    const excess = state.spent - limitFor(state.limit, this.#allowance.reserve, purpose) + 1;
    return this.#counts.endOfOldestMs({
      sinceMs: state.sinceMs,
      lengthMs: rollingLengthMs(state),
      calls: excess,
    });
  }
}

/** Returns the calls that every window and the upstream's report still permit; Infinity if there is no limit. */
export function leftOf(row: Account, states: readonly WindowState[], nowMs: number): number {
  return Math.min(smallestLeft(states), currentReport(row, nowMs)?.left ?? Infinity);
}

/** The calls that every window still permits; Infinity if there is no window. */
export function smallestLeft(states: readonly WindowState[]): number {
  return Math.min(Infinity, ...states.map(({ left }) => left));
}

function lastsLonger(closure: Closure, than: Closure | null): boolean {
  return than === null || (closure.untilMs ?? Infinity) > (than.untilMs ?? Infinity);
}

function exhaustionIn(row: Account, nowMs: number): LedgerState['exhausted'] {
  const { exhausted_at_ms: atMs, exhausted_until_ms: untilMs, exhausted_left: left } = row;
  if (atMs === null || untilMs === null || untilMs <= nowMs) return null;
  return { atMs, untilMs, left: left ?? Infinity };
}

/**
 * Returns the rejection of the configured key. If that key is not known, it is probably the one that has worked. A
 * rejection that no second call has confirmed yet counts too.
 */
function rejectionIn(
  { refused_key, worked_key, doubted_target, refused_at_ms }: Account,
  key: string | null,
): LedgerState['refusedKey'] {
  const fingerprint = refused_key ?? (doubted_target === null ? null : worked_key);
  if (fingerprint === null || fingerprint !== (key ?? worked_key ?? fingerprint)) return null;
  return { fingerprint, sinceMs: refused_at_ms ?? 0 };
}
