import type { BootTime } from '../clock.ts';
import { DAY_MS } from '../durations.ts';
import { LostFileError, openFileCheck } from '../sqlite/file_check.ts';
import { type Account, AccountTable, type Recount, recountedAccount } from './account.ts';
import { AccountWindows, type LedgerState, smallestLeft } from './account_windows.ts';
import { CallCounts } from './call_counts.ts';
import { CONFIRMED, correctedAccount, withBoot } from './ledger_clock.ts';
import { explainLedger, isBusy, LOST_LEDGER_REMEDY, openLedgerFile, whenFree } from './ledger_file.ts';
import { openSlots, type Slot, type Spending, type Spent } from './slots.ts';
import { type QuotaReport, smallestReport } from './upstream_reports.ts';
import { type Allowance, believableUntilMs, exhaustionEndsMs, type Purpose, spacingMs } from './windows.ts';

export type { LedgerState, WindowState } from './account_windows.ts';
export { isBusy, LOST_LEDGER_REMEDY } from './ledger_file.ts';
export { LOOKAHEAD_MS, type Slot, type Spending, type Spent } from './slots.ts';

/**
 * The ledger counts each account's calls. It is a separate file because the allowance belongs to the account, and
 * several warehouses can share an account. Every process debits the ledger immediately before it sends a call. All
 * processes together therefore never exceed the rate or the allowance, and the remaining quota is exact. Times are epoch
 * milliseconds.
 *
 * If the file is busy, methods throw an SQLite error that `isBusy` recognises, and the caller should try again. Other
 * failures throw a FailedError that states the remedy.
 */
export interface Ledger extends Disposable {
  /**
   * Takes up to `most` slots in one transaction, or returns why no slot is available.
   *
   * @throws LostFileError if the file was deleted or replaced since it was opened.
   */
  spend(request: Spending): Spent;
  /** Gives back the unit spent on a call that was not sent. The slot stays used. */
  giveBack(slot: Slot): void;
  /**
   * Pauses the account until `untilMs`, as the upstream requested, but for at most a day. A longer stored pause is kept.
   */
  pauseUntil(untilMs: number, nowMs: number): void;
  /**
   * Records that the upstream reported an exhausted allowance until `untilMs`. If the upstream gave no date (null), the
   * account waits until the next window resets, or for a day if no window resets. The wait becomes longer with each
   * further report until a call succeeds. Few calls are therefore wasted if the upstream's total limit is smaller than
   * the configured limit.
   */
  exhaustedUntil(untilMs: number | null, nowMs: number): void;
  /**
   * Records the remaining quota that a response reports. The reported quota limits further calls until the window
   * resets or another response reports a quota. The configured limits still apply.
   */
  reportQuota(report: QuotaReport, nowMs: number): void;
  /** Records the minimum interval between calls that a response specified. It applies for a day. */
  reportSpacing(spacingMs: number, nowMs: number): void;
  /**
   * Records that the upstream rejected the key. From then on, `spend` permits this key one call a day, until a call
   * succeeds, another key is used or `liftStops` is called.
   */
  refuseKey(fingerprint: string, nowMs: number): void;
  /**
   * Records that the upstream rejected a key that has worked, in a call for this target. The account pauses until
   * `untilMs`. Then a call for another target confirms or refutes the rejection.
   */
  doubtKey(target: string, untilMs: number, nowMs: number): void;
  /** Lifts everything that the upstream's responses have stopped: a rejected key, pauses and reported quotas. */
  liftStops(): void;
  /** Records that a call with this key succeeded: the key is valid, and the allowance is not exhausted. */
  keyWorked(fingerprint: string): void;
  keyState(fingerprint: string): KeyState;
  /** Counts a slot's unit at the real time of its call, which was sent while the clock was wrong. */
  redate(slot: Slot, realMs: number): void;
  /**
   * Records that the clock showed `nowMs` when the real time was `realMs`, as a response's `Date` shows it. Calls that are
   * counted at later times are moved to it.
   */
  setTime(nowMs: number, realMs: number): void;
  /** Records that this warehouse spends the account's allowance. */
  usedBy(warehouse: string, nowMs: number): void;
  /** The warehouses that spent the allowance in the last two months, most recent first. */
  warehouses(nowMs: number): string[];
  /** Returns the ledger's identity and progress. Throws a LostFileError if the file was deleted or replaced. */
  mark(): LedgerMark;
  /**
   * Counts another started run. The count shows whether the ledger is an older copy, even before the run makes a call.
   */
  startRun(): void;
  /** Adds calls that a lost ledger had counted. */
  recount(recount: Recount): void;
  /** Returns the account's windows and closures for one purpose (default: `scheduled`). */
  state(nowMs: number, purpose?: Purpose): LedgerState;
  close(): void;
}

interface KeyState {
  /** True if a call with the key has succeeded, and the key has not been rejected since. */
  readonly hasWorked: boolean;
  /** The target whose call was rejected although the key has worked (`doubtKey`); null if there is none. */
  readonly doubtedTarget: string | null;
}

interface LedgerMark {
  /** A new ledger at the same path has a different id. A copy has the same id. */
  readonly ledgerId: string;
  /** The number of units ever debited from the account. It is smaller in an older copy of the file. */
  readonly debits: number;
  /** The number of runs ever started with the account. It is smaller in an older copy of the file. */
  readonly starts: number;
  readonly lastSpentMs: number;
}

export interface LedgerOptions {
  readonly path: string;
  readonly accountId: string;
  readonly allowance: Allowance;
  /** Reads the boot time, which shows whether the clock has jumped forward. Without it, such jumps are not noticed. */
  readonly boot?: (() => BootTime | null) | undefined;
  /** The configured key. The state then shows no rejection of another key. Null or absent if the key is not known. */
  readonly keyFingerprint?: string | null;
}

/**
 * Opens one account's ledger, and creates the file if it is missing.
 *
 * @throws UsageError if the file cannot be opened.
 */
export function openLedger(options: LedgerOptions): Ledger {
  const { path, accountId, allowance, boot = () => null, keyFingerprint = null } = options;
  const db = openLedgerFile(path);
  // The caller retries if the ledger is busy. Any other failure ends the run.
  const explained = <A extends unknown[], R>(action: (...args: A) => R) => {
    return (...args: A): R => {
      try {
        return action(...args);
      } catch (error) {
        throw isBusy(error) ? error : explainLedger(error, path);
      }
    };
  };

  const account = explained(() => whenFree(() => new AccountTable(db, accountId)))();
  const counts = new CallCounts(db, accountId);
  const windows = new AccountWindows(allowance, counts);
  const configuredSpacingMs = spacingMs(allowance.perMinute);
  const takeSlots = openSlots({ account, counts, windows, configuredSpacingMs });
  const ledgerId = db.prepare('SELECT ledger_id FROM identity').pluck().get() as string;
  const checkFile = openFileCheck({ path, name: 'the ledger', remedy: LOST_LEDGER_REMEDY });
  let debitsSeen = 0;

  /** Reads the account. If its debit count has decreased, an older copy has overwritten the open file. */
  function readAccount(): Account {
    const row = account.read();
    if (row === undefined || row.debits < debitsSeen)
      throw new LostFileError(path, `the ledger ${path} was replaced by an older copy`, LOST_LEDGER_REMEDY);
    debitsSeen = row.debits;
    return row;
  }

  /** Changes the account in one transaction. `from` returns null if nothing changes. */
  const change = db.transaction((from: (row: Account) => Account | null) => {
    const changed = from(readAccount());
    if (changed !== null) account.write(changed);
  }).immediate;

  const spend = db.transaction((request: Spending): Spent => {
    const stored = readAccount();
    const row = withBoot(stored, request.nowMs, boot());
    if (row !== stored) account.write(row);
    return takeSlots(row, boot(), request);
  });

  function exhaustedAccount(row: Account, namedMs: number | null, nowMs: number): Account {
    const states = windows.windowStates(nowMs, row, 'scheduled');
    // All calls that are in flight at the same time receive the same report. Count these reports as one.
    const isRepeated = row.exhausted_until_ms !== null && row.exhausted_until_ms > nowMs;
    const times = isRepeated ? row.exhausted_times - 1 : row.exhausted_times;
    const untilMs = exhaustionEndsMs({ namedMs, windows: states, times, nowMs });
    return {
      ...row,
      exhausted_at_ms: nowMs,
      exhausted_until_ms: isRepeated ? Math.max(row.exhausted_until_ms ?? 0, untilMs) : untilMs,
      exhausted_left: finiteOrNull(smallestLeft(states)),
      exhausted_times: times + 1,
    };
  }

  function reportedAccount(row: Account, report: QuotaReport, nowMs: number): Account | null {
    const smallest = smallestReport(report, {
      row,
      nowMs,
      windowOf: (...given) => windows.reportedWindow(...given),
      believableUntilMs: believableUntilMs(windows.windowsAt(nowMs), nowMs),
    });
    if (smallest === null) return null;
    const { left, atMs, untilMs } = smallest;
    return { ...row, reported_left: left, reported_at_ms: atMs, reported_until_ms: untilMs };
  }

  function giveBack(slot: Slot): void {
    change((row) => {
      counts.takeBack(slot.countedAtMs);
      const reportedLeft = row.reported_left === null ? null : row.reported_left + 1;
      return { ...row, spent_ever: row.spent_ever - 1, reported_left: reportedLeft };
    });
  }

  function setTime(nowMs: number, realMs: number): void {
    change((row) => {
      counts.bringBack(nowMs + CONFIRMED.laterMs);
      const corrected = correctedAccount(row, nowMs, configuredSpacingMs);
      return withBoot({ ...corrected, boot_id: null }, realMs, boot());
    });
  }

  function redate(slot: Slot, realMs: number): void {
    change(() => {
      // `setTime` may already have moved the call to its real time.
      if (counts.takeBack(slot.countedAtMs)) counts.add(1, realMs + CONFIRMED.laterMs);
      return null;
    });
  }

  function recount(given: Recount): void {
    change((row) => {
      for (const [minuteMs, calls] of given.calls) counts.add(calls, minuteMs);
      return recountedAccount(row, given, configuredSpacingMs);
    });
  }

  const state = db.transaction((nowMs: number, purpose: Purpose): LedgerState => {
    const current = windows.stateAt(nowMs, account.read(), purpose, boot());
    const isOfOtherKey = keyFingerprint !== null && current.refusedKey?.fingerprint !== keyFingerprint;
    return isOfOtherKey ? { ...current, refusedKey: null } : current;
  });

  return {
    spend: explained((request) => {
      checkFile();
      return spend.immediate(request);
    }),
    giveBack: explained(giveBack),
    pauseUntil: explained((requestedMs, nowMs) => {
      const untilMs = Math.min(requestedMs, nowMs + DAY_MS);
      change((row) => (row.paused_until_ms >= untilMs ? null : pausedAccount(row, untilMs, nowMs)));
    }),
    exhaustedUntil: explained((untilMs, nowMs) => change((row) => exhaustedAccount(row, untilMs, nowMs))),
    reportQuota: explained((report, nowMs) => change((row) => reportedAccount(row, report, nowMs))),
    reportSpacing: explained((reportedMs, nowMs) =>
      change((row) => ({ ...row, reported_spacing_ms: reportedMs, spaced_at_ms: nowMs })),
    ),
    refuseKey: explained((fingerprint, nowMs) =>
      change((row) => ({ ...row, refused_key: fingerprint, refused_at_ms: nowMs, doubted_target: null })),
    ),
    doubtKey: explained((target, untilMs, nowMs) =>
      change((row) => ({ ...pausedAccount(row, untilMs, nowMs), doubted_target: target })),
    ),
    liftStops: explained(() => change((row) => ({ ...row, ...NO_STOPS }))),
    keyWorked: explained((fingerprint) =>
      change((row) => ({
        ...row,
        worked_key: fingerprint,
        exhausted_times: 0,
        doubted_target: null,
        refused_key: row.refused_key === fingerprint ? null : row.refused_key,
      })),
    ),
    keyState: explained((fingerprint) => {
      const { worked_key, refused_key, doubted_target } = account.read();
      return {
        hasWorked: worked_key === fingerprint && refused_key !== fingerprint,
        doubtedTarget: doubted_target,
      };
    }),
    redate: explained(redate),
    setTime: explained(setTime),
    usedBy: explained((warehouse, nowMs) => whenFree(() => account.usedBy(warehouse, nowMs))),
    warehouses: explained((nowMs) => account.users(nowMs)),
    mark: explained(() => {
      checkFile();
      const { debits, starts, last_spent_ms } = whenFree(readAccount);
      return { ledgerId, debits, starts, lastSpentMs: last_spent_ms };
    }),
    startRun: explained(() => whenFree(() => change((row) => ({ ...row, starts: row.starts + 1 })))),
    recount: explained((given) => whenFree(() => recount(given))),
    state: explained((nowMs, purpose = 'scheduled') => state(nowMs, purpose)),
    close: () => db.close(),
    [Symbol.dispose]: () => db.close(),
  };
}

function pausedAccount(row: Account, untilMs: number, nowMs: number): Account {
  return { ...row, paused_at_ms: nowMs, paused_until_ms: Math.max(row.paused_until_ms, untilMs) };
}

const NO_STOPS = {
  doubted_target: null,
  refused_key: null,
  refused_at_ms: null,
  paused_until_ms: 0,
  exhausted_until_ms: null,
  reported_left: null,
  reported_spacing_ms: 0,
} satisfies Partial<Account>;

function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
