import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { UsageError } from '../errors.ts';
import {
  type Allowance,
  limitFor,
  type Purpose,
  spacingMs,
  type Window,
  type WindowName,
  windowsAt,
} from './windows.ts';

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
  pauseUntil(untilMs: number): void;
  /** The upstream says that the allowance is spent, before the ledger did; null: until the next window. */
  exhaustedUntil(untilMs: number | null, nowMs: number): void;
  /** The upstream refused the key: no further call until another one is used, or the refusal is forgotten. */
  refuseKey(fingerprint: string, nowMs: number): void;
  forgetRefusal(): void;
  keyWorked(fingerprint: string): void;
  hasKeyWorked(fingerprint: string): boolean;
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
  /** The upstream's own word that the allowance is spent, and since when. */
  readonly exhausted: { readonly atMs: number; readonly untilMs: number } | null;
  readonly refusedKey: { readonly fingerprint: string; readonly sinceMs: number } | null;
  /** Calls this ledger has counted in all, without `already_spent`. */
  readonly spentEver: number;
}

/** A slot is taken at most this long before it comes, so that a killed process wastes little. */
export const LOOKAHEAD_MS = 200;

interface AccountRow {
  spent_ever: number;
  next_slot_ms: number;
  paused_until_ms: number;
  exhausted_at_ms: number | null;
  exhausted_until_ms: number | null;
  refused_key: string | null;
  refused_at_ms: number | null;
  worked_key: string | null;
}

/** Opens (and creates) the ledger for one account. */
export function openLedger(options: { path: string; accountId: string; allowance: Allowance }): Ledger {
  const { path, accountId, allowance } = options;
  const db = openFile(path, allowance.perMinute !== null && allowance.perMinute <= DURABLE_PER_MINUTE);
  const spacing = spacingMs(allowance.perMinute);

  db.prepare('INSERT INTO account (account_id) VALUES (?) ON CONFLICT DO NOTHING').run(accountId);
  const accountRow = db.prepare<[string], AccountRow>('SELECT * FROM account WHERE account_id = ?');
  const spentSince = db
    .prepare<[string, number], number>(
      'SELECT coalesce(sum(calls), 0) FROM spent WHERE account_id = ? AND bucket_ms >= ?',
    )
    .pluck();
  const spentSinceMinute = db
    .prepare<[string, number], number>(
      'SELECT coalesce(sum(calls), 0) FROM spent_minute WHERE account_id = ? AND minute_ms > ?',
    )
    .pluck();
  const oldestMinute = db
    .prepare<[string, number], number>(
      'SELECT min(minute_ms) FROM spent_minute WHERE account_id = ? AND minute_ms > ? AND calls > 0',
    )
    .pluck();
  const addToBucket = db.prepare(
    'INSERT INTO spent (account_id, bucket_ms, calls) VALUES (@accountId, @bucketMs, @calls) ON CONFLICT DO UPDATE SET calls = calls + excluded.calls',
  );
  const addToMinute = db.prepare(
    'INSERT INTO spent_minute (account_id, minute_ms, calls) VALUES (@accountId, @minuteMs, @calls) ON CONFLICT DO UPDATE SET calls = calls + excluded.calls',
  );
  const forgetMinutes = db.prepare('DELETE FROM spent_minute WHERE account_id = ? AND minute_ms < ?');
  const takeSlots = db.prepare(
    'UPDATE account SET spent_ever = spent_ever + @calls, next_slot_ms = @nextSlotMs WHERE account_id = @accountId',
  );
  const returnUnit = db.prepare('UPDATE account SET spent_ever = spent_ever - 1 WHERE account_id = ?');

  const account = (): AccountRow => accountRow.get(accountId) as AccountRow;

  function windowStates(row: AccountRow, nowMs: number, purpose: Purpose): WindowState[] {
    return windowsAt(allowance, nowMs).map((window) => {
      const spent = spentIn(window, row);
      const left = Math.max(0, limitFor(window.limit, allowance.reserve, purpose) - spent);
      return { ...window, spent, left };
    });
  }

  function spentIn(window: Window, row: AccountRow): number {
    if (window.name === 'total') return row.spent_ever + allowance.alreadySpent;
    if (window.resetsAtMs === null) return spentSinceMinute.get(accountId, window.sinceMs - MINUTE_MS) ?? 0;
    return spentSince.get(accountId, window.sinceMs) ?? 0;
  }

  /** When a window with nothing left opens again; null: never. */
  function opensAgainMs(window: WindowState): number | null {
    if (window.resetsAtMs !== null || window.name === 'total') return window.resetsAtMs;
    // A rolling day lets its oldest minute go as a whole, when the last moment of it is a day old.
    const oldest = oldestMinute.get(accountId, window.sinceMs - MINUTE_MS);
    return oldest === undefined || oldest === null ? null : oldest + MINUTE_MS + DAY_MS;
  }

  function spentWindow(states: readonly WindowState[]): WindowState | undefined {
    // The one that stays shut longest decides.
    const shut = states.filter((state) => state.left <= 0);
    return shut.sort((a, b) => (opensAgainMs(b) ?? Infinity) - (opensAgainMs(a) ?? Infinity))[0];
  }

  function count(calls: number, atMs: number): void {
    addToBucket.run({ accountId, bucketMs: Math.floor(atMs / QUARTER_HOUR_MS) * QUARTER_HOUR_MS, calls });
    if (allowance.perDay === null || allowance.day.kind !== 'rolling') return;
    addToMinute.run({ accountId, minuteMs: Math.floor(atMs / MINUTE_MS) * MINUTE_MS, calls });
    forgetMinutes.run(accountId, atMs - DAY_MS - QUARTER_HOUR_MS);
  }

  const spend = db.transaction(({ nowMs, most, purpose, keyFingerprint }: Spending): Spent => {
    const row = account();
    if (row.refused_key === keyFingerprint) return { is: 'refused_key', sinceMs: row.refused_at_ms ?? nowMs };
    if (row.exhausted_until_ms !== null && row.exhausted_until_ms > nowMs)
      return { is: 'spent', untilMs: finiteOrNull(row.exhausted_until_ms), window: 'upstream' };
    // A clock that was set back must not freeze the account: nothing can be due further ahead than one spacing.
    const nextSlotMs =
      row.next_slot_ms > nowMs + spacing + CLOCK_STEP_MS ? nowMs + spacing : row.next_slot_ms;
    const firstMs = clearOfResets(Math.max(nowMs, nextSlotMs, row.paused_until_ms));
    const states = windowStates(row, firstMs, purpose);
    const shut = spentWindow(states);
    if (shut !== undefined) return { is: 'spent', untilMs: opensAgainMs(shut), window: shut.name };
    if (firstMs > nowMs + LOOKAHEAD_MS) return { is: 'wait', untilMs: firstMs - LOOKAHEAD_MS };

    const affordable = Math.min(most, ...states.map((state) => state.left));
    const lastMs = Math.min(
      nowMs + LOOKAHEAD_MS,
      ...states.map((state) => (state.resetsAtMs ?? Infinity) - RESET_GUARD_MS),
    );
    const slots: Slot[] = [{ atMs: firstMs, countedAtMs: firstMs }];
    for (let atMs = firstMs + spacing; slots.length < affordable && atMs <= lastMs; atMs += spacing)
      slots.push({ atMs, countedAtMs: firstMs });
    takeSlots.run({ accountId, calls: slots.length, nextSlotMs: firstMs + slots.length * spacing });
    count(slots.length, firstMs);
    return { is: 'go', slots };
  });

  /** A call must arrive in the window that pays for it: none is sent in the last moment before a reset. */
  function clearOfResets(atMs: number): number {
    const next = windowsAt(allowance, atMs).map((window) => window.resetsAtMs ?? Infinity);
    const resetMs = Math.min(Infinity, ...next);
    return atMs > resetMs - RESET_GUARD_MS ? resetMs : atMs;
  }

  const giveBack = db.transaction((slot: Slot) => {
    returnUnit.run(accountId);
    count(-1, slot.countedAtMs);
  });

  const exhaustedUntil = db.transaction((untilMs: number | null, nowMs: number) => {
    const next = windowsAt(allowance, nowMs)
      .map((window) => (window.name === 'total' ? Infinity : (window.resetsAtMs ?? nowMs + DAY_MS)))
      .filter((resetsAtMs) => resetsAtMs !== Infinity);
    const until =
      untilMs ?? (next.length > 0 ? Math.min(...next) : allowance.total !== null ? FOR_GOOD : nowMs + DAY_MS);
    db.prepare('UPDATE account SET exhausted_at_ms = ?, exhausted_until_ms = ? WHERE account_id = ?').run(
      nowMs,
      until,
      accountId,
    );
  });

  return {
    spend: (ask) => spend.immediate(ask),
    giveBack: (slot) => giveBack.immediate(slot),
    pauseUntil: (untilMs) =>
      void db
        .prepare('UPDATE account SET paused_until_ms = max(paused_until_ms, ?) WHERE account_id = ?')
        .run(untilMs, accountId),
    exhaustedUntil: (untilMs, nowMs) => exhaustedUntil.immediate(untilMs, nowMs),
    refuseKey: (fingerprint, nowMs) =>
      void db
        .prepare('UPDATE account SET refused_key = ?, refused_at_ms = ? WHERE account_id = ?')
        .run(fingerprint, nowMs, accountId),
    forgetRefusal: () =>
      void db
        .prepare('UPDATE account SET refused_key = NULL, refused_at_ms = NULL WHERE account_id = ?')
        .run(accountId),
    keyWorked: (fingerprint) =>
      void db.prepare('UPDATE account SET worked_key = ? WHERE account_id = ?').run(fingerprint, accountId),
    hasKeyWorked: (fingerprint) => account().worked_key === fingerprint,
    state: (nowMs, purpose = 'scheduled') => {
      const row = account();
      const windows = windowStates(row, nowMs, purpose);
      const exhausted =
        row.exhausted_until_ms !== null && row.exhausted_until_ms > nowMs
          ? { atMs: row.exhausted_at_ms ?? nowMs, untilMs: row.exhausted_until_ms }
          : null;
      const shut = spentWindow(windows);
      const left = exhausted === null ? Math.min(Infinity, ...windows.map((window) => window.left)) : 0;
      const resumesAtMs =
        exhausted !== null ? finiteOrNull(exhausted.untilMs) : shut === undefined ? null : opensAgainMs(shut);
      return {
        windows,
        left,
        resumesAtMs,
        pausedUntilMs: row.paused_until_ms > nowMs ? row.paused_until_ms : null,
        exhausted,
        refusedKey:
          row.refused_key === null ? null : { fingerprint: row.refused_key, sinceMs: row.refused_at_ms ?? 0 },
        spentEver: row.spent_ever,
      };
    },
    close: () => db.close(),
  };
}

/** Is this error SQLite's "somebody else is writing"? Then the caller asks again. */
export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

function openFile(path: string, isDurable: boolean): Database.Database {
  try {
    mkdirSync(dirname(path), { recursive: true });
    const db = new Database(path, { timeout: BUSY_TIMEOUT_MS });
    db.pragma('journal_mode = WAL');
    // Above this rate a flush to disk for every call would cost more than the calls; a power cut may then
    // forget the last moments, a killed process never does.
    db.pragma(`synchronous = ${isDurable ? 'FULL' : 'NORMAL'}`);
    db.exec(SCHEMA);
    return db;
  } catch (error) {
    throw new UsageError(
      `cannot open the ledger ${path}: ${error instanceof Error ? error.message : String(error)}`,
      {
        hint: 'The key `ledger` in the configuration must name a file that this user may write.',
        cause: error,
      },
    );
  }
}

const SCHEMA = `
CREATE TABLE IF NOT EXISTS account (
  account_id         TEXT PRIMARY KEY,
  spent_ever         INTEGER NOT NULL DEFAULT 0,
  next_slot_ms       REAL    NOT NULL DEFAULT 0,
  paused_until_ms    REAL    NOT NULL DEFAULT 0,
  exhausted_at_ms    REAL,
  exhausted_until_ms REAL,
  refused_key        TEXT,
  refused_at_ms      REAL,
  worked_key         TEXT
) STRICT;

-- Calls per quarter of an hour: every time zone's days and months begin on one.
CREATE TABLE IF NOT EXISTS spent (
  account_id TEXT    NOT NULL,
  bucket_ms  INTEGER NOT NULL,
  calls      INTEGER NOT NULL,
  PRIMARY KEY (account_id, bucket_ms)
) STRICT, WITHOUT ROWID;

-- Calls per minute of the last day, kept only for a rolling day.
CREATE TABLE IF NOT EXISTS spent_minute (
  account_id TEXT    NOT NULL,
  minute_ms  INTEGER NOT NULL,
  calls      INTEGER NOT NULL,
  PRIMARY KEY (account_id, minute_ms)
) STRICT, WITHOUT ROWID;
`;

const FOR_GOOD = Number.MAX_SAFE_INTEGER;

function finiteOrNull(ms: number): number | null {
  return ms >= FOR_GOOD ? null : ms;
}

const DURABLE_PER_MINUTE = 600;
const BUSY_TIMEOUT_MS = 5000;
const CLOCK_STEP_MS = 5000;
const RESET_GUARD_MS = 1000;
const MINUTE_MS = 60_000;
const QUARTER_HOUR_MS = 15 * MINUTE_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;
