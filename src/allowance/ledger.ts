import { explainSqlite } from '../sqlite/database_file.ts';
import { type Account, openAccount, openUsers } from './account.ts';
import { type LedgerState, openStanding, type Shut, smallestLeft } from './account_state.ts';
import { openCounts } from './call_counts.ts';
import { believeClock, type Look, latestDateMs, lookAtClock } from './clock_doubt.ts';
import { isBusy, openLedgerFile, whenFree } from './ledger_file.ts';
import {
  type Allowance,
  ARRIVAL_MS,
  clearOfResets,
  exhaustionEndsMs,
  type Purpose,
  spacingMs,
} from './windows.ts';

export type { LedgerState, WindowState } from './account_state.ts';
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
  /** The upstream's clock shows the same as ours: whatever doubt there was of ours is over. */
  clockAgrees(nowMs: number): void;
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
  /** The allowance is spent. */
  | ({ readonly is: 'spent' } & Shut)
  | { readonly is: 'refused_key'; readonly sinceMs: number };

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
  const standing = openStanding(allowance, counts);
  const spacing = spacingMs(allowance.perMinute);

  /** The account at a moment that the clock shows, which may have been set. */
  function accountAt(nowMs: number): Account {
    const row = account.read();
    const look = lookAtClock(row, nowMs, spacing);
    if (look.account !== row) keep(look);
    return look.account;
  }

  function keep(look: Look): void {
    account.write(look.account);
    if (look.madeByMs !== null) counts.bringBack(look.madeByMs);
  }

  const spend = db.transaction(({ nowMs, most, purpose, keyFingerprint }: Spending): Spent => {
    const row = accountAt(nowMs);
    if (row.refused_key === keyFingerprint) return { is: 'refused_key', sinceMs: row.refused_at_ms ?? nowMs };
    const earliestMs = Math.max(earliestSlotMs(row, nowMs, spacing), row.paused_until_ms);
    const firstMs = clearOfResets(earliestMs, standing.windowsAt(earliestMs));
    const states = standing.windowStates(firstMs, row, purpose, counts.since);
    const shut = standing.shutBy(row, states, nowMs, purpose);
    if (shut !== null) return { is: 'spent', ...shut };
    if (firstMs > nowMs + LOOKAHEAD_MS) return { is: 'wait', untilMs: firstMs - LOOKAHEAD_MS };

    const affordable = Math.min(most, ...states.map(({ left }) => left));
    const resets = states.map(({ resetsAtMs }) => (resetsAtMs ?? Infinity) - ARRIVAL_MS);
    const lastMs = Math.min(nowMs + LOOKAHEAD_MS, ...resets);
    const countedAtMs = latestDateMs(row, firstMs);
    const slots: Slot[] = [{ atMs: firstMs, countedAtMs }];
    for (let atMs = firstMs + spacing; slots.length < affordable && atMs <= lastMs; atMs += spacing)
      slots.push({ atMs, countedAtMs });
    account.take(slots.length, firstMs, firstMs + slots.length * spacing);
    counts.add(slots.length, countedAtMs);
    // By the call before this one: one glance at a clock that shows 2099 must not cost what is known of today.
    if (dayNumber(firstMs) !== dayNumber(row.last_spent_ms))
      counts.forget(Math.min(firstMs, row.last_spent_ms));
    return { is: 'go', slots };
  });

  const giveBack = db.transaction((slot: Slot) => {
    account.giveBack();
    counts.takeBack(slot.countedAtMs);
  });

  const exhaust = db.transaction((namedMs: number | null, nowMs: number) => {
    const row = accountAt(nowMs);
    const states = standing.windowStates(nowMs, row, 'scheduled', counts.peek);
    // Calls that were in flight together are told the same thing, once each.
    const isToldAgain = row.exhausted_until_ms !== null && row.exhausted_until_ms > nowMs;
    const times = isToldAgain ? row.exhausted_times - 1 : row.exhausted_times;
    const untilMs = exhaustionEndsMs({ namedMs, windows: states, times, nowMs });
    account.write({
      ...row,
      exhausted_at_ms: nowMs,
      exhausted_until_ms: isToldAgain ? Math.max(row.exhausted_until_ms ?? 0, untilMs) : untilMs,
      exhausted_left: finiteOrNull(smallestLeft(states)),
      exhausted_times: times + 1,
    });
  });

  /** `isDatedAnew`: the clock shows when calls were made that had no date; the state counts them once that is kept. */
  const state = db.transaction((nowMs: number, purpose: Purpose) => {
    const row = account.read();
    const isDatedAnew = lookAtClock(row, nowMs, spacing).madeByMs !== null;
    return { isDatedAnew, state: standing.stateAt(nowMs, row, purpose) };
  });

  const look = db.transaction((nowMs: number) => void accountAt(nowMs));

  const clockAgrees = db.transaction((nowMs: number) => keep(believeClock(account.read(), nowMs, spacing)));

  const use = db.transaction((warehouse: string, nowMs: number) => {
    accountAt(nowMs);
    users.note(warehouse, nowMs);
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
    clockAgrees: explained((nowMs) => whenFree(() => clockAgrees.immediate(nowMs))),
    usedBy: explained((warehouse, nowMs) => whenFree(() => use.immediate(warehouse, nowMs))),
    warehouses: explained((nowMs) => users.list(nowMs)),
    state: explained((nowMs, purpose = 'scheduled') => {
      const seen = state(nowMs, purpose);
      if (!seen.isDatedAnew) return seen.state;
      whenFree(() => look.immediate(nowMs));
      return state(nowMs, purpose).state;
    }),
    close: () => db.close(),
  };
}

/** A slot that only just passed can still be used: a call may leave so late, and no slot after it moves. */
function earliestSlotMs({ next_slot_ms: nextMs }: Account, nowMs: number, spacing: number): number {
  return spacing > 0 && nextMs >= nowMs - LATENESS_MS ? nextMs : nowMs;
}

function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

function dayNumber(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

const DURABLE_PER_MINUTE = 600;
const DAY_MS = 24 * 60 * 60 * 1000;
