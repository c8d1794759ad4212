import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { UsageError } from '../errors.ts';
import { makeFolder } from '../sqlite/database_file.ts';

/**
 * Opens the file of the ledger, and creates it if it is missing. Each commit reaches the disk (`synchronous=FULL`).
 *
 * @throws UsageError if the file cannot be opened or was written by a newer version.
 */
export function openLedgerFile(path: string): Database.Database {
  try {
    makeFolder(dirname(path));
    const db = new Database(path, { timeout: BUSY_TIMEOUT_MS });
    // While another process turns on the WAL, SQLite fails without its busy timeout.
    whenFree(() => db.pragma('journal_mode = WAL'));
    db.pragma('synchronous = FULL');
    whenFree(() => db.transaction(() => migrate(db)).immediate());
    return db;
  } catch (error) {
    throw new UsageError(
      `cannot open the ledger ${path}: ${error instanceof Error ? error.message : String(error)}`,
      { hint: hintFor(error), cause: error },
    );
  }
}

/** Chooses the commits that reach the disk immediately. Such a commit also flushes all commits before it. */
export interface Flush {
  /** Flushes every commit from now on. */
  always(): void;
  /** Flushes the next commit only if the latest flush is older than FLUSH_EVERY_MS. */
  ifDue(nowMs: number): void;
  /** A commit was made. */
  committed(nowMs: number): void;
}

/**
 * A flush costs ten times as much processor time as a debit. At high rates, debits therefore share a flush. A power
 * failure can lose the debits of FLUSH_EVERY_MS; a killed process loses none.
 */
export function openFlush(db: Database.Database): Flush {
  let isOn = true;
  let flushedMs = Number.NEGATIVE_INFINITY;
  const set = (on: boolean): void => {
    if (on !== isOn) db.pragma(`synchronous = ${on ? 'FULL' : 'NORMAL'}`);
    isOn = on;
  };
  return {
    always: () => set(true),
    ifDue: (nowMs) => set(nowMs < flushedMs || nowMs - flushedMs >= FLUSH_EVERY_MS),
    committed: (nowMs) => {
      if (isOn) flushedMs = nowMs;
    },
  };
}

/** Did SQLite fail because another process is writing? The caller then tries again. */
export function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
}

function migrate(db: Database.Database): void {
  const version = db.pragma('user_version', { simple: true }) as number;
  if (version > SCHEMA_VERSION) throw new NewerLedger(version);
  if (version === SCHEMA_VERSION) return;
  for (const schema of SCHEMAS.slice(version)) db.exec(schema);
  db.pragma(`user_version = ${SCHEMA_VERSION}`);
}

class NewerLedger extends Error {
  constructor(version: number) {
    super(`its format is ${version}; this version of the program reads formats up to ${SCHEMA_VERSION}`);
  }
}

function hintFor(error: unknown): string {
  if (error instanceof NewerLedger)
    return 'A newer version of this program wrote the ledger. Use that version.';
  if (isBusy(error))
    return 'Another program holds the lock of the file. End that program, or try again later.';
  return 'The key `ledger` in the configuration must name a file that this user may write.';
}

/** Runs an action, and retries it while another process holds the lock of the file. */
export function whenFree<T>(action: () => T): T {
  for (let attempt = 1; ; attempt++) {
    try {
      return action();
    } catch (error) {
      if (!isBusy(error) || attempt >= OPENING_ATTEMPTS) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, OPENING_PAUSE_MS);
    }
  }
}

// Below 120 calls a minute, every debit is flushed.
const FLUSH_EVERY_MS = 500;

const FIRST_SCHEMA = `
CREATE TABLE account (
  account_id         TEXT PRIMARY KEY,
  spent_ever         INTEGER NOT NULL DEFAULT 0,
  last_spent_ms      REAL    NOT NULL DEFAULT 0,
  next_slot_ms       REAL    NOT NULL DEFAULT 0,
  paused_at_ms       REAL    NOT NULL DEFAULT 0,
  paused_until_ms    REAL    NOT NULL DEFAULT 0,
  exhausted_at_ms    REAL,
  exhausted_until_ms REAL,
  exhausted_left     INTEGER,           -- quota left by this ledger's count; NULL: no limit
  exhausted_times    INTEGER NOT NULL DEFAULT 0, -- since the last successful call
  refused_key        TEXT,
  refused_at_ms      REAL,
  worked_key         TEXT
) STRICT;

-- Calls per minute, because a window can begin at any minute.
CREATE TABLE spent (
  account_id TEXT    NOT NULL,
  minute_ms  INTEGER NOT NULL,
  calls      INTEGER NOT NULL,
  PRIMARY KEY (account_id, minute_ms)
) STRICT, WITHOUT ROWID;

-- The sum of spent since the start of a window. Without it, every call would add up a month.
CREATE TABLE window_spent (
  account_id TEXT    NOT NULL,
  name       TEXT    NOT NULL,
  since_ms   INTEGER NOT NULL,
  calls      INTEGER NOT NULL,
  PRIMARY KEY (account_id, name)
) STRICT, WITHOUT ROWID;
`;

const USERS_SCHEMA = `
-- The warehouses that spend an account's allowance.
CREATE TABLE user (
  account_id TEXT    NOT NULL,
  warehouse  TEXT    NOT NULL,
  used_at_ms INTEGER NOT NULL,
  PRIMARY KEY (account_id, warehouse)
) STRICT, WITHOUT ROWID;
`;

const CLOCK_SCHEMA = `
ALTER TABLE account ADD COLUMN latest_ms        REAL NOT NULL DEFAULT 0; -- the latest time of the clock
ALTER TABLE account ADD COLUMN set_back_at_ms   REAL;                    -- NULL: the clock was not set back
ALTER TABLE account ADD COLUMN late_ms          REAL NOT NULL DEFAULT 0; -- the clock may be late by this much
ALTER TABLE account ADD COLUMN doubted_until_ms REAL NOT NULL DEFAULT 0;
`;

/** Each schema migrates a file from the version before it. */
const SCHEMAS = [FIRST_SCHEMA, USERS_SCHEMA, CLOCK_SCHEMA];
const SCHEMA_VERSION = SCHEMAS.length;

// Longer than any commit. A process that is stopped during a commit must not stop the others.
const BUSY_TIMEOUT_MS = 1000;
const OPENING_ATTEMPTS = 250;
const OPENING_PAUSE_MS = 20;
