import type { Account } from './account.ts';
import type { Counts } from './call_counts.ts';
import { allDatedByMs, type ClockDoubt, clockDoubtOf } from './clock_doubt.ts';
import {
  type Allowance,
  ARRIVAL_MS,
  isLifetime,
  isRolling,
  limitFor,
  type Purpose,
  rememberWindows,
  rollingLengthMs,
  type Window,
  type WindowName,
} from './windows.ts';

export interface LedgerState {
  readonly windows: readonly WindowState[];
  /** Infinity where no window limits the calls. */
  readonly left: number;
  /** With nothing left: when something is again; null: never, or unlimited. */
  readonly resumesAtMs: number | null;
  readonly pausedUntilMs: number | null;
  /** The upstream's own word that the allowance is spent, since when, and what this ledger thought was left. */
  readonly exhausted: { readonly atMs: number; readonly untilMs: number; readonly left: number } | null;
  readonly refusedKey: { readonly fingerprint: string; readonly sinceMs: number } | null;
  /** Calls this ledger has counted in all, without `already_spent`. */
  readonly spentEver: number;
  /** Our clock was set back, and may be late. */
  readonly clockDoubt: ClockDoubt | null;
}

export interface WindowState extends Window {
  readonly spent: number;
  /** What the purpose that was asked for can still spend. */
  readonly left: number;
}

export interface Shut {
  readonly window: WindowName | 'upstream';
  /** Null: for good. */
  readonly untilMs: number | null;
}

/** How an account stands: what its windows have left, and what keeps it shut. Every method belongs inside a transaction. */
export interface Standing {
  windowsAt(atMs: number): Window[];
  windowStates(atMs: number, row: Account, purpose: Purpose, count: CountSince): WindowState[];
  /** Of several reasons the one that lasts longest. */
  shutBy(row: Account, states: readonly WindowState[], nowMs: number, purpose: Purpose): Shut | null;
  stateAt(nowMs: number, row: Account, purpose: Purpose): LedgerState;
}

type CountSince = Counts['since'];

export function openStanding(allowance: Allowance, counts: Counts): Standing {
  const windowsAt = rememberWindows(allowance);

  function windowStates(atMs: number, row: Account, purpose: Purpose, count: CountSince): WindowState[] {
    return windowsAt(atMs).map((window) => {
      const ever = row.spent_ever + allowance.alreadySpent;
      const spent = isLifetime(window) ? ever : count(window.name, countedSinceMs(window));
      const limit = limitFor(window.limit, allowance.reserve, purpose);
      return { ...window, spent, left: Math.max(0, limit - spent) };
    });
  }

  function shutBy(row: Account, states: readonly WindowState[], nowMs: number, purpose: Purpose) {
    const reasons: Shut[] = states
      .filter(({ left }) => left <= 0)
      .map((state) => ({ window: state.name, untilMs: opensAgainMs(state, row, purpose) }));
    if (row.exhausted_until_ms !== null && row.exhausted_until_ms > nowMs)
      reasons.push({ window: 'upstream', untilMs: row.exhausted_until_ms });
    return reasons.reduce<Shut | null>(
      (longest, reason) => (lastsLonger(reason, longest) ? reason : longest),
      null,
    );
  }

  /** When a window with nothing left opens again; null: never. */
  function opensAgainMs(state: WindowState, row: Account, purpose: Purpose): number | null {
    if (!isRolling(state)) return state.resetsAtMs;
    const excess = state.spent - limitFor(state.limit, allowance.reserve, purpose) + 1;
    const endsMs = counts.endOfOldestMs({
      sinceMs: countedSinceMs(state),
      lengthMs: rollingLengthMs(state),
      calls: excess,
      datedByMs: allDatedByMs(row),
    });
    return endsMs === null ? null : endsMs + ARRIVAL_MS;
  }

  function stateAt(nowMs: number, row: Account, purpose: Purpose): LedgerState {
    const windows = windowStates(nowMs, row, purpose, counts.peek);
    const shut = shutBy(row, windows, nowMs, purpose);
    return {
      windows,
      left: shut === null ? smallestLeft(windows) : 0,
      resumesAtMs: shut === null ? null : shut.untilMs,
      pausedUntilMs: row.paused_until_ms > nowMs ? row.paused_until_ms : null,
      exhausted: exhaustionIn(row, nowMs),
      refusedKey: refusalIn(row),
      spentEver: row.spent_ever,
      clockDoubt: clockDoubtOf(row, nowMs),
    };
  }

  return { windowsAt, windowStates, shutBy, stateAt };
}

/** Infinity where no window limits the calls. */
export function smallestLeft(states: readonly WindowState[]): number {
  return Math.min(Infinity, ...states.map(({ left }) => left));
}

function lastsLonger(reason: Shut, than: Shut | null): boolean {
  return than === null || (reason.untilMs ?? Infinity) > (than.untilMs ?? Infinity);
}

/** A call of a rolling day counts until its arrival, not only its sending, is a day old. */
function countedSinceMs(window: Window): number {
  return isRolling(window) ? window.sinceMs - ARRIVAL_MS : window.sinceMs;
}

function exhaustionIn(row: Account, nowMs: number): LedgerState['exhausted'] {
  const { exhausted_at_ms: atMs, exhausted_until_ms: untilMs, exhausted_left: left } = row;
  if (atMs === null || untilMs === null || untilMs <= nowMs) return null;
  return { atMs, untilMs, left: left ?? Infinity };
}

function refusalIn({ refused_key: fingerprint, refused_at_ms: sinceMs }: Account): LedgerState['refusedKey'] {
  return fingerprint === null ? null : { fingerprint, sinceMs: sinceMs ?? 0 };
}
