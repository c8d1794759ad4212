import type { Database } from 'better-sqlite3';
import type { BootTime } from '../clock.ts';
import { DAY_MS } from '../durations.ts';
import { LostFileError, openFileCheck } from '../sqlite/file_check.ts';
import { type Account, AccountTable, type Recount, recountedAccount } from './account.ts';
import { AccountWindows, type LedgerState, smallestLeft } from './account_windows.ts';
import { CallCounts } from './call_counts.ts';
import { CONFIRMED, correctedAccount, withBoot } from './ledger_clock.ts';
import { explainLedger, isBusy, LOST_LEDGER_REMEDY, openLedgerFile, whenFree } from './ledger_file.ts';
import { type Slot, Slots, type Spending, type Spent } from './slots.ts';
import { type QuotaReport, smallestReport } from './upstream_reports.ts';
import { type Allowance, believableUntilMs, exhaustionEndsMs, type Purpose, spacingMs } from './windows.ts';

export type { LedgerState, WindowState } from './account_windows.ts';
export { isBusy, LOST_LEDGER_REMEDY } from './ledger_file.ts';
export { LOOKAHEAD_MS, type Slot, type Spending, type Spent } from './slots.ts';

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
  /** The configured key. The state shows no rejection of another key. Null or absent if the key is not known. */
  readonly keyFingerprint?: string | null;
}

/**
 * The ledger counts each account's calls. It is a separate file because the allowance belongs to the account, and
 * several warehouses can share an account. Every process debits the ledger immediately before it sends a call. All
 * processes together therefore never exceed the rate or the allowance, and the remaining quota is exact. Times are epoch
 * milliseconds.
 *
 * If the file is busy, methods throw an SQLite error that `isBusy` recognises, and the caller should try again. Other
 * failures throw a FailedError that states the remedy.
 */
export class Ledger implements Disposable {
  readonly #path: string;
  readonly #db: Database;
  readonly #account: AccountTable;
  readonly #counts: CallCounts;
  readonly #windows: AccountWindows;
  readonly #slots: Slots;
  readonly #boot: () => BootTime | null;
  readonly #keyFingerprint: string | null;
  readonly #configuredSpacingMs: number;
  readonly #ledgerId: string;
  readonly #checkFile: () => void;
  #debitsSeen = 0;
  #startsSeen = 0;

  /**
   * Opens one account's ledger, and creates the file if it is missing.
   *
   * @throws UsageError if the file cannot be opened.
   */
  constructor({ path, accountId, allowance, boot = () => null, keyFingerprint = null }: LedgerOptions) {
    const db = openLedgerFile(path, allowance.perMinute);
    this.#path = path;
    this.#db = db;
    this.#boot = boot;
    this.#keyFingerprint = keyFingerprint;
    this.#configuredSpacingMs = spacingMs(allowance.perMinute);
    this.#checkFile = openFileCheck({ path, name: 'the ledger', remedy: LOST_LEDGER_REMEDY });
    this.#account = this.#explained(() => whenFree(() => new AccountTable(db, accountId)));
    this.#counts = new CallCounts(db, accountId);
    this.#windows = new AccountWindows(allowance, this.#counts);
    this.#slots = new Slots(this.#account, this.#counts, this.#windows, this.#configuredSpacingMs);
    this.#ledgerId = db.prepare('SELECT ledger_id FROM identity').pluck().get() as string;
  }

  /**
   * Takes up to `most` slots in one transaction, or returns why no slot is available.
   *
   * @throws LostFileError if the file was deleted or replaced since it was opened.
   */
  spend(request: Spending): Spent {
    return this.#explained(() => {
      this.#checkFile();
      const spent = this.#db
        .transaction(() => {
          const stored = this.#readAccount();
          const boot = this.#boot();
          const row = withBoot(stored, request.nowMs, boot);
          if (row !== stored) this.#account.write(row);
          return this.#slots.take(row, boot, request);
        })
        .immediate();
      if (spent.is === 'go') this.#debitsSeen += spent.slots.length;
      return spent;
    });
  }

  /** Gives back the units spent on calls that were not sent, in one transaction. The slots stay used. */
  giveBack(slots: readonly Slot[]): void {
    const units = slots.length;
    this.#change((row) => {
      for (const { countedAtMs } of slots) this.#counts.takeBack(countedAtMs);
      const reportedLeft = row.reported_left === null ? null : row.reported_left + units;
      return { ...row, spent_ever: row.spent_ever - units, reported_left: reportedLeft };
    });
  }

  /**
   * Pauses the account until `requestedMs`, as the upstream requested, but for at most a day. A longer stored pause is
   * kept.
   */
  pauseUntil(requestedMs: number, nowMs: number): void {
    const untilMs = Math.min(requestedMs, nowMs + DAY_MS);
    this.#change((row) => (row.paused_until_ms >= untilMs ? null : pausedAccount(row, untilMs, nowMs)));
  }

  /**
   * Records that the upstream reported an exhausted allowance until `namedMs`. If the upstream gave no date (null), the
   * account waits until the next window resets, or for a day if no window resets. The wait becomes longer with each
   * further report until a call succeeds. Few calls are therefore wasted if the upstream's total limit is smaller than
   * the configured limit.
   */
  exhaustedUntil(namedMs: number | null, nowMs: number): void {
    this.#change((row) => {
      const states = this.#windows.windowStates(nowMs, row, 'scheduled');
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
    });
  }

  /**
   * Records the remaining quota that a response reports. The reported quota limits further calls until the window
   * resets or another response reports a quota. The configured limits still apply.
   */
  reportQuota(report: QuotaReport, nowMs: number): void {
    this.#change((row) => {
      const smallest = smallestReport(report, {
        row,
        nowMs,
        windowOf: (...given) => this.#windows.reportedWindow(...given),
        believableUntilMs: believableUntilMs(this.#windows.windowsAt(nowMs), nowMs),
      });
      if (smallest === null) return null;
      const { left, atMs, untilMs } = smallest;
      return { ...row, reported_left: left, reported_at_ms: atMs, reported_until_ms: untilMs };
    });
  }

  /** Records the minimum interval between calls that a response specified. It applies for a day. */
  reportSpacing(reportedMs: number, nowMs: number): void {
    this.#change((row) => ({ ...row, reported_spacing_ms: reportedMs, spaced_at_ms: nowMs }));
  }

  /**
   * Records that the upstream rejected the key. From then on, `spend` permits this key one call a day, until a call
   * succeeds, another key is used or `liftStops` is called.
   */
  refuseKey(fingerprint: string, nowMs: number): void {
    this.#change((row) => ({ ...row, refused_key: fingerprint, refused_at_ms: nowMs, doubted_target: null }));
  }

  /**
   * Records that the upstream rejected a key that has worked, in a call for this target. The account pauses until
   * `untilMs`. Then a call for another target confirms or refutes the rejection.
   */
  doubtKey(target: string, untilMs: number, nowMs: number): void {
    this.#change((row) => ({
      ...pausedAccount(row, untilMs, nowMs),
      doubted_target: target,
      refused_at_ms: nowMs,
    }));
  }

  /** Lifts everything that the upstream's responses have stopped: a rejected key, pauses and reported quotas. */
  liftStops(): void {
    this.#change((row) => ({ ...row, ...NO_STOPS }));
  }

  /** Records that a call with this key succeeded: the key is valid, and the allowance is not exhausted. */
  keyWorked(fingerprint: string): void {
    this.#change((row) => ({
      ...row,
      worked_key: fingerprint,
      exhausted_times: 0,
      doubted_target: null,
      refused_key: row.refused_key === fingerprint ? null : row.refused_key,
    }));
  }

  keyState(fingerprint: string): KeyState {
    const { worked_key, refused_key, doubted_target } = this.#explained(() => this.#account.read());
    return {
      hasWorked: worked_key === fingerprint && refused_key !== fingerprint,
      doubtedTarget: doubted_target,
    };
  }

  /** Counts a slot's unit at the real time of its call, which was sent while the clock was wrong. */
  redate(slot: Slot, realMs: number): void {
    this.#change(() => {
      // `setTime` may already have moved the call to its real time.
      if (this.#counts.takeBack(slot.countedAtMs)) this.#counts.add(1, realMs + CONFIRMED.laterMs);
      return null;
    });
  }

  /**
   * Records that the clock showed `nowMs` when the real time was `realMs`, as a response's `Date` shows it. Calls that are
   * counted at later times are moved to it.
   */
  setTime(nowMs: number, realMs: number): void {
    this.#change((row) => {
      this.#counts.bringBack(nowMs + CONFIRMED.laterMs);
      const corrected = correctedAccount(row, nowMs, this.#configuredSpacingMs);
      return withBoot({ ...corrected, boot_id: null }, realMs, this.#boot());
    });
  }

  /** Records that this warehouse spends the account's allowance. */
  usedBy(warehouse: string, nowMs: number): void {
    this.#explained(() => whenFree(() => this.#account.usedBy(warehouse, nowMs)));
  }

  /** The warehouses that spent the allowance in the last two months, most recent first. */
  warehouses(nowMs: number): string[] {
    return this.#explained(() => this.#account.users(nowMs));
  }

  /** Returns the ledger's identity and progress. Throws a LostFileError if the file was deleted or replaced. */
  mark(): LedgerMark {
    return this.#explained(() => {
      this.#checkFile();
      const { debits, starts, last_spent_ms } = whenFree(() => this.#readAccount());
      return { ledgerId: this.#ledgerId, debits, starts, lastSpentMs: last_spent_ms };
    });
  }

  /**
   * Returns the progress that this process knows, even if the file was replaced since. It includes the units of the calls
   * in flight, which the new file can lack.
   */
  knownMark(): Omit<LedgerMark, 'lastSpentMs'> {
    return this.#explained(() => {
      const { debits = 0, starts = 0 } = whenFree(() => this.#account.read()) ?? {};
      return {
        ledgerId: this.#ledgerId,
        debits: Math.max(debits, this.#debitsSeen),
        starts: Math.max(starts, this.#startsSeen),
      };
    });
  }

  /**
   * Counts another started run. The count shows whether the ledger is an older copy, even before the run makes a call.
   */
  startRun(): void {
    whenFree(() => this.#change((row) => ({ ...row, starts: row.starts + 1 })));
  }

  /** Adds calls that a lost ledger had counted. */
  recount(given: Recount): void {
    whenFree(() =>
      this.#change((row) => {
        for (const [minuteMs, calls] of given.calls) this.#counts.add(calls, minuteMs);
        return recountedAccount(row, given, this.#configuredSpacingMs);
      }),
    );
  }

  /** Returns the account's windows and closures for one purpose. */
  state(nowMs: number, purpose: Purpose = 'scheduled'): LedgerState {
    const known = { boot: this.#boot(), key: this.#keyFingerprint };
    return this.#explained(() =>
      this.#db.transaction(() => this.#windows.stateAt(nowMs, this.#account.read(), purpose, known))(),
    );
  }

  close(): void {
    this.#db.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Changes the account in one transaction. `from` returns null if nothing changes. */
  #change(from: (row: Account) => Account | null): void {
    this.#explained(() =>
      this.#db
        .transaction(() => {
          const changed = from(this.#readAccount());
          if (changed !== null) this.#account.write(changed);
        })
        .immediate(),
    );
  }

  /** Reads the account. If its debit count has decreased, an older copy has overwritten the open file. */
  #readAccount(): Account {
    const row = this.#account.read();
    if (row === undefined || row.debits < this.#debitsSeen)
      throw new LostFileError(
        this.#path,
        `the ledger ${this.#path} was replaced by an older copy`,
        LOST_LEDGER_REMEDY,
      );
    this.#debitsSeen = row.debits;
    this.#startsSeen = row.starts;
    return row;
  }

  /** Explains a failure, unless the ledger is busy: then the caller tries again. */
  #explained<R>(action: () => R): R {
    try {
      return action();
    } catch (error) {
      if (isBusy(error)) throw error;
      // SQLite reports a deleted file only as a disk error.
      this.#checkFile();
      throw explainLedger(error, this.#path);
    }
  }
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
