import { explainSqlite } from '../sqlite_failure.ts';
import { type Account, openAccount } from './account.ts';
import { openCounts } from './counts.ts';
import { isBusy, openLedgerFile, whenFree } from './ledger_file.ts';
import { ARRIVAL_MS, clearOfResets, exhaustionEndsMs, onClockSetBack } from './moments.ts';
import { openUsers } from './users.ts';
import {
  type Allowance,
  limitFor,
  type Purpose,
  rememberWindows,
  spacingMs,
  type Window,
  type WindowName,
} from './windows.ts';

export { isBusy } from './ledger_file.ts';

/**
 * The ledger: what each account has spent, in a file of its own, because the account owns the allowance.
 * Every process of an account spends here, immediately before sending, so that together they never exceed
 * its rate or its allowance, and "how much is left" is always exact.
 */
export interface Ledger {
  /** Takes up to `most` slots in one transaction, or says why not. */
  spend(ask: Spending): Spent;
  /** Gives back the unit of a call that never left; its slot stays used. */
  giveBack(slot: Slot): void;
  /** The upstream asked for silence until then. Only ever lengthens a pause. */
  pauseUntil(untilMs: number, nowMs: number): void;
  /**
   * The upstream says that the allowance is spent, before the ledger did. Null: it names no date, and the
   * next window is waited for, or a day where no window opens by itself. Every further time without an
   * answer in between, the wait grows: a total that is smaller than configured costs a few calls, not all.
   */
  exhaustedUntil(untilMs: number | null, nowMs: number): void;
  /** The upstream refused the key: no further call until another one is used, or the refusal is forgotten. */
  refuseKey(fingerprint: string, nowMs: number): void;
  forgetRefusal(): void;
  /** A call with this key was answered: the key is good, and the allowance is not exhausted. */
  keyWorked(fingerprint: string): void;
  hasKeyWorked(fingerprint: string): boolean;
  /** Notes that this warehouse spends the account's allowance. */
  usedBy(warehouse: string, nowMs: number): void;
  /** The warehouses that did lately, the latest first. */
  warehouses(nowMs: number): string[];
  state(nowMs: number, purpose?: Purpose): LedgerState;
  close(): void;
}

export interface Spending {
  readonly nowMs: number;
  readonly most: number;
  readonly purpose: Purpose;
  readonly keyFingerprint: string;
}

export interface Slot {
  /** When the call may be sent: epoch milliseconds, with fractions. */
  readonly atMs: number;
  /** The moment under which its unit was counted. */
  readonly countedAtMs: number;
}

export type Spent =
  | { readonly is: 'go'; readonly slots: readonly Slot[] }
  /** Ask again then: the next slot is further away than LOOKAHEAD_MS, or the upstream asked for a pause. */
  | { readonly is: 'wait'; readonly untilMs: number }
  /** The allowance is spent; null: for good. */
  | { readonly is: 'spent'; readonly untilMs: number | null; readonly window: WindowName | 'upstream' }
  | { readonly is: 'refused_key'; readonly sinceMs: number };

export interface WindowState extends Window {
  readonly spent: number;
  /** What the purpose that was asked for can still spend. */
  readonly left: number;
}

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
}

/** A slot is taken at most this long before it comes, so that a killed process wastes little. */
export const LOOKAHEAD_MS = 200;

/** And at most this long after it came: well within the time in which its call may still leave. */
const LATENESS_MS = 100;

/** Opens (and creates) the ledger for one account. */
export function openLedger(options: { path: string; accountId: string; allowance: Allowance }): Ledger {
  const { path, accountId, allowance } = options;
  // Above this rate a flush to disk for every call would cost more than the calls; a power cut may then
  // forget the last moments, a killed process never does.
  const db = openLedgerFile(path, allowance.perMinute !== null && allowance.perMinute <= DURABLE_PER_MINUTE);
  const account = whenFree(() => openAccount(db, accountId));
  const counts = openCounts(db, accountId);
  const users = openUsers(db, accountId);
  const windowsAt = rememberWindows(allowance);
  const spacing = spacingMs(allowance.perMinute);

  /** The account, after a clock that was set back: what lies ahead of it must not freeze the account. */
  function accountAt(nowMs: number): Account {
    const row = account.read();
    if (latestMs(row) <= nowMs + CLOCK_STEP_MS) return row;
    const corrected = onClockSetBack(row, nowMs, spacing);
    account.write(corrected);
    counts.bringBack(nowMs);
    return corrected;
  }

  type CountSince = (window: WindowName, sinceMs: number) => number;

  function statesAt(atMs: number, row: Account, purpose: Purpose, count: CountSince): WindowState[] {
    return windowsAt(atMs).map((window) => {
      const ever = row.spent_ever + allowance.alreadySpent;
      const spent = window.name === 'total' ? ever : count(window.name, countedSinceMs(window));
      const limit = limitFor(window.limit, allowance.reserve, purpose);
      return { ...window, spent, left: Math.max(0, limit - spent) };
    });
  }

  /** What keeps the account shut; of several reasons the one that lasts longest. */
  function shutBy(row: Account, states: readonly WindowState[], nowMs: number, purpose: Purpose) {
    const reasons: Shut[] = states
      .filter(({ left }) => left <= 0)
      .map((state) => ({ window: state.name, untilMs: opensAgainMs(state, purpose) }));
    if (row.exhausted_until_ms !== null && row.exhausted_until_ms > nowMs)
      reasons.push({ window: 'upstream', untilMs: row.exhausted_until_ms });
    return reasons.reduce<Shut | null>(
      (longest, reason) => (lastsLonger(reason, longest) ? reason : longest),
      null,
    );
  }

  /** When a window with nothing left opens again; null: never. */
  function opensAgainMs(state: WindowState, purpose: Purpose): number | null {
    if (!isRolling(state)) return state.resetsAtMs;
    const excess = state.spent - limitFor(state.limit, allowance.reserve, purpose) + 1;
    const dayOldMs = counts.dayOldAtMs(countedSinceMs(state), excess);
    return dayOldMs === null ? null : dayOldMs + ARRIVAL_MS;
  }

  const spend = db.transaction(({ nowMs, most, purpose, keyFingerprint }: Spending): Spent => {
    const row = accountAt(nowMs);
    if (row.refused_key === keyFingerprint) return { is: 'refused_key', sinceMs: row.refused_at_ms ?? nowMs };
    const earliestMs = Math.max(earliestSlotMs(row, nowMs, spacing), row.paused_until_ms);
    const firstMs = clearOfResets(earliestMs, windowsAt(earliestMs));
    const states = statesAt(firstMs, row, purpose, counts.since);
    const shut = shutBy(row, states, nowMs, purpose);
    if (shut !== null) return { is: 'spent', ...shut };
    if (firstMs > nowMs + LOOKAHEAD_MS) return { is: 'wait', untilMs: firstMs - LOOKAHEAD_MS };

    const affordable = Math.min(most, ...states.map(({ left }) => left));
    const resets = states.map(({ resetsAtMs }) => (resetsAtMs ?? Infinity) - ARRIVAL_MS);
    const lastMs = Math.min(nowMs + LOOKAHEAD_MS, ...resets);
    const slots: Slot[] = [{ atMs: firstMs, countedAtMs: firstMs }];
    for (let atMs = firstMs + spacing; slots.length < affordable && atMs <= lastMs; atMs += spacing)
      slots.push({ atMs, countedAtMs: firstMs });
    account.take(slots.length, firstMs, firstMs + slots.length * spacing);
    counts.add(slots.length, firstMs);
    return { is: 'go', slots };
  });

  const giveBack = db.transaction((slot: Slot) => {
    account.giveBack();
    counts.add(-1, slot.countedAtMs);
  });

  const exhaust = db.transaction((namedMs: number | null, nowMs: number) => {
    const row = accountAt(nowMs);
    const states = statesAt(nowMs, row, 'scheduled', counts.peek);
    // Calls that were in flight together are told the same thing, once each.
    const isToldAgain = row.exhausted_until_ms !== null && row.exhausted_until_ms > nowMs;
    const times = isToldAgain ? row.exhausted_times - 1 : row.exhausted_times;
    const untilMs = exhaustionEndsMs({ namedMs, states, times, nowMs });
    account.write({
      ...row,
      exhausted_at_ms: nowMs,
      exhausted_until_ms: isToldAgain ? Math.max(row.exhausted_until_ms ?? 0, untilMs) : untilMs,
      exhausted_left: finiteOrNull(smallest(states)),
      exhausted_times: times + 1,
    });
  });

  const state = db.transaction((nowMs: number, purpose: Purpose): LedgerState => {
    const row = account.read();
    const windows = statesAt(nowMs, row, purpose, counts.peek);
    const shut = shutBy(row, windows, nowMs, purpose);
    return {
      windows,
      left: shut === null ? smallest(windows) : 0,
      resumesAtMs: shut === null ? null : shut.untilMs,
      pausedUntilMs: row.paused_until_ms > nowMs ? row.paused_until_ms : null,
      exhausted: exhaustionIn(row, nowMs),
      refusedKey: refusalIn(row),
      spentEver: row.spent_ever,
    };
  });

  // A busy ledger means "ask again"; whatever else fails ends the run.
  const explained = <A extends unknown[], R>(action: (...args: A) => R) => {
    return (...args: A): R => {
      try {
        return action(...args);
      } catch (error) {
        throw isBusy(error) ? error : explainSqlite(error, `the ledger ${path}`);
      }
    };
  };

  return {
    spend: explained((ask) => spend.immediate(ask)),
    giveBack: explained((slot) => giveBack.immediate(slot)),
    pauseUntil: explained((untilMs, nowMs) => account.pause(untilMs, nowMs)),
    exhaustedUntil: explained((untilMs, nowMs) => exhaust.immediate(untilMs, nowMs)),
    refuseKey: explained((fingerprint, nowMs) => account.refuse(fingerprint, nowMs)),
    forgetRefusal: explained(() => account.refuse(null, null)),
    keyWorked: explained((fingerprint) => account.prove(fingerprint)),
    hasKeyWorked: explained((fingerprint) => account.read().worked_key === fingerprint),
    usedBy: explained((warehouse, nowMs) => whenFree(() => users.note(warehouse, nowMs))),
    warehouses: explained((nowMs) => users.list(nowMs)),
    state: explained((nowMs, purpose = 'scheduled') => state(nowMs, purpose)),
    close: () => db.close(),
  };
}

/** A slot that only just passed can still be used: a call may leave so late, and no slot after it moves. */
function earliestSlotMs({ next_slot_ms: nextMs }: Account, nowMs: number, spacing: number): number {
  return spacing > 0 && nextMs >= nowMs - LATENESS_MS ? nextMs : nowMs;
}

interface Shut {
  readonly window: WindowName | 'upstream';
  readonly untilMs: number | null;
}

function lastsLonger(reason: Shut, than: Shut | null): boolean {
  return than === null || (reason.untilMs ?? Infinity) > (than.untilMs ?? Infinity);
}

function isRolling(window: Window): boolean {
  return window.name === 'day' && window.resetsAtMs === null;
}

/** A call of a rolling day counts until its arrival, not only its sending, is a day old. */
function countedSinceMs(window: Window): number {
  return isRolling(window) ? window.sinceMs - ARRIVAL_MS : window.sinceMs;
}

function smallest(states: readonly WindowState[]): number {
  return Math.min(Infinity, ...states.map(({ left }) => left));
}

function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

function latestMs(row: Account): number {
  return Math.max(row.last_spent_ms, row.paused_at_ms, row.exhausted_at_ms ?? 0);
}

function exhaustionIn(row: Account, nowMs: number): LedgerState['exhausted'] {
  const { exhausted_at_ms: atMs, exhausted_until_ms: untilMs, exhausted_left: left } = row;
  if (atMs === null || untilMs === null || untilMs <= nowMs) return null;
  return { atMs, untilMs, left: left ?? Infinity };
}

function refusalIn({ refused_key: fingerprint, refused_at_ms: sinceMs }: Account): LedgerState['refusedKey'] {
  return fingerprint === null ? null : { fingerprint, sinceMs: sinceMs ?? 0 };
}

const DURABLE_PER_MINUTE = 600;
const CLOCK_STEP_MS = 5000;
