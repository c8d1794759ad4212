import { copyFileSync, existsSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isBusy,
  Ledger,
  LOOKAHEAD_MS,
  LOST_LEDGER_REMEDY,
  type Slot,
  type Spent,
} from '../../src/allowance/ledger.ts';
import { CONFIRMED } from '../../src/allowance/ledger_clock.ts';
import { DamagedLedgerError, openLedgerFile } from '../../src/allowance/ledger_file.ts';
import { UsageError } from '../../src/errors.ts';
import { LostFileError } from '../../src/sqlite/file_check.ts';
import { allowanceOf, KEY, ledgerOf, spendAll, spendAt } from '../support/ledger.ts';
import { makeOlder } from '../support/older_ledger.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';

const T0 = Date.parse('2026-03-01T12:00:00Z');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The clock may differ from the upstream's clock by this much. */
const UNCERTAIN_MS = CONFIRMED.laterMs;

function slotsOf(spent: Spent): readonly Slot[] {
  if (spent.is !== 'go') throw new Error(`expected slots, got ${JSON.stringify(spent)}`);
  return spent.slots;
}

describe("a ledger's rate limit", () => {
  test("the ledger's slots are one spacing apart, and a wait names the next attempt's time", () => {
    const ledger = ledgerOf({ perMinute: 10 });
    expect(spendAt(ledger, T0)).toEqual({ is: 'go', slots: [{ atMs: T0, countedAtMs: T0 + UNCERTAIN_MS }] });
    expect(spendAt(ledger, T0 + 1)).toEqual({ is: 'wait', untilMs: T0 + 6100 - LOOKAHEAD_MS });
    expect(slotsOf(spendAt(ledger, T0 + 5900))[0]?.atMs).toBe(T0 + 6100);
    expect(slotsOf(spendAt(ledger, T0 + 60_000))[0]?.atMs).toBe(T0 + 60_000);
  });

  test('a slot can still be taken just after its time', () => {
    const ledger = ledgerOf({ perMinute: 600 });
    spendAt(ledger, T0);
    const spacing = 61_000 / 600;
    expect(slotsOf(spendAt(ledger, T0 + spacing + 80))[0]?.atMs).toBeCloseTo(T0 + spacing, 2);
    expect(slotsOf(spendAt(ledger, T0 + 2 * spacing + 101))[0]?.atMs).toBeCloseTo(T0 + 2 * spacing + 101, 2);
  });

  test('one request gets all slots within the lookahead period', () => {
    const ledger = ledgerOf({ perMinute: 6000 });
    const slots = slotsOf(spendAt(ledger, T0, { most: 32 }));
    expect(slots).toHaveLength(20);
    expect(slots[19]?.atMs).toBeCloseTo(T0 + (19 * 61_000) / 6000, 2);
    expect(spendAt(ledger, T0, { most: 32 }).is).toBe('wait');
  });

  test('two processes never get more slots in 60 seconds than the rate permits', () => {
    const asks = fc.array(
      fc.record({
        waitMs: fc.integer({ min: 0, max: 20_000 }),
        most: fc.integer({ min: 1, max: 40 }),
        who: fc.nat(1),
      }),
      { minLength: 1, maxLength: 60 },
    );
    fc.assert(
      fc.property(fc.constantFrom(1, 7, 10, 60, 600, 6000), asks, (perMinute, script) => {
        const first = ledgerOf({ perMinute });
        const ledgers = [first, ledgerOf({ perMinute }, { path: first.path })];
        const sent: number[] = [];
        let nowMs = T0;
        for (const { waitMs, most, who } of script) {
          nowMs += waitMs;
          const spent = spendAt(ledgers[who] as typeof first, nowMs, { most });
          if (spent.is !== 'go') continue;
          expect(spent.slots.length).toBeLessThanOrEqual(most);
          for (const { atMs } of spent.slots) {
            expect(atMs >= nowMs - 100 && atMs <= nowMs + LOOKAHEAD_MS).toBe(true);
            sent.push(atMs);
          }
        }
        for (const [index, atMs] of sent.entries())
          expect(atMs - (sent[index - perMinute] ?? Number.NEGATIVE_INFINITY)).toBeGreaterThan(60_999);
      }),
      { numRuns: 60 },
    );
  });
});

describe("a ledger's windows", () => {
  test('a total quota includes calls spent before the first run, and never resets once exhausted', () => {
    const ledger = ledgerOf({ total: 100, alreadySpent: 30 });
    expect(spendAll(ledger, T0)).toBe(70);
    expect(spendAt(ledger, T0 + 400 * DAY_MS)).toEqual({ is: 'spent', untilMs: null, window: 'total' });
    expect(ledger.state(T0)).toMatchObject({ left: 0, resumesAtMs: null, spentEver: 70 });
  });

  test("a fixed day's limit resets when the next day begins", () => {
    const ledger = ledgerOf({ perDay: 50 });
    expect(spendAll(ledger, T0)).toBe(50);
    const midnightMs = Date.parse('2026-03-02T00:00Z');
    const resumesAtMs = midnightMs + UNCERTAIN_MS;
    expect(spendAt(ledger, T0)).toEqual({ is: 'spent', untilMs: resumesAtMs, window: 'day' });
    expect(ledger.state(midnightMs + 1)).toMatchObject({ left: 0, resumesAtMs });
    expect(ledger.state(resumesAtMs).left).toBe(50);
    expect(spendAll(ledger, resumesAtMs)).toBe(50);
  });

  test('monthly and daily limits apply together, and the result names the window that resets last', () => {
    const ledger = ledgerOf({ perDay: 50, perMonth: 80 });
    expect(spendAll(ledger, T0)).toBe(50);
    expect(spendAll(ledger, T0 + DAY_MS)).toBe(30);
    expect(spendAt(ledger, T0 + DAY_MS)).toEqual({
      is: 'spent',
      untilMs: Date.parse('2026-04-01T00:00Z') + UNCERTAIN_MS,
      window: 'month',
    });
    expect(spendAll(ledger, Date.parse('2026-04-01T00:00Z') + UNCERTAIN_MS)).toBe(50);
  });

  test('a call leaves a rolling day once it is certainly older than 24 hours', () => {
    const ledger = ledgerOf({ perDay: 10, day: { kind: 'rolling' } });
    expect(spendAt(ledger, T0)).toMatchObject({ is: 'go' });
    expect(spendAll(ledger, T0 + HOUR_MS)).toBe(9);
    const { untilMs, ...rest } = spendAt(ledger, T0 + 2 * HOUR_MS) as Spent & { is: 'spent' };
    expect(rest).toEqual({ is: 'spent', window: 'day' });
    const resumesAtMs = untilMs ?? Number.NaN;
    const lateMs = resumesAtMs - (T0 + DAY_MS + 2 * UNCERTAIN_MS);
    expect(lateMs >= 0 && lateMs <= MINUTE_MS).toBe(true);
    expect(spendAll(ledger, resumesAtMs - 1)).toBe(0);
    expect(spendAll(ledger, resumesAtMs)).toBe(1);
  });

  test('after its limit is lowered, a rolling day permits calls again once enough have left it', () => {
    const before = ledgerOf({ perDay: 20, day: { kind: 'rolling' } });
    expect(spendAt(before, T0, { most: 10 })).toMatchObject({ is: 'go' });
    expect(spendAll(before, T0 + HOUR_MS)).toBe(10);
    const after = ledgerOf({ perDay: 5, day: { kind: 'rolling' } }, { path: before.path });
    const resumesAtMs = after.state(T0 + 2 * HOUR_MS).resumesAtMs ?? Number.NaN;
    expect(resumesAtMs).toBeGreaterThan(T0 + HOUR_MS + DAY_MS);
    expect(spendAll(after, resumesAtMs)).toBe(5);
  });

  test("earlier calls are still counted exactly after the day's start time changes", () => {
    const first = ledgerOf({ perDay: 100 });
    spendAt(first, Date.parse('2026-03-01T09:58Z'), { most: 30 });
    spendAt(first, Date.parse('2026-03-01T10:03Z'), { most: 5 });
    const second = ledgerOf(
      { perDay: 100, day: { kind: 'fixed', minuteOfDay: 602, timeZone: 'UTC' } },
      { path: first.path },
    );
    expect(second.state(T0).left).toBe(95);
    expect(spendAll(second, T0)).toBe(95);
  });

  test('a call near a reset counts in both windows, because the clock is only approximately right', () => {
    const midnightMs = Date.parse('2026-03-02T00:00Z');
    const ledger = ledgerOf({ perDay: 50 });
    spendAt(ledger, midnightMs - 3 * MINUTE_MS, { most: 20 });
    spendAt(ledger, midnightMs - MINUTE_MS, { most: 20 });
    expect(spendAll(ledger, midnightMs + MINUTE_MS)).toBe(10);
    expect(spendAll(ledger, midnightMs + 3 * MINUTE_MS)).toBe(20);
  });

  test('backfills leave the reserve to scheduled work', () => {
    const ledger = ledgerOf({ perDay: 50, reserve: 0.1 });
    expect(spendAll(ledger, T0, { purpose: 'backfill' })).toBe(45);
    expect(ledger.state(T0, 'backfill').left).toBe(0);
    expect(ledger.state(T0).left).toBe(5);
    expect(spendAll(ledger, T0)).toBe(5);
  });

  test('an unsent call returns its unit to its own window', () => {
    const ledger = ledgerOf({ perDay: 1, total: 5 });
    const midnightMs = Date.parse('2026-03-02T00:00Z');
    const [slot] = slotsOf(spendAt(ledger, T0));
    expect(spendAt(ledger, T0).is).toBe('spent');
    ledger.giveBack([slot as Slot]);
    expect(ledger.state(T0)).toMatchObject({ left: 1, spentEver: 0 });
    const [again] = slotsOf(spendAt(ledger, T0));
    spendAt(ledger, midnightMs + UNCERTAIN_MS);
    ledger.giveBack([again as Slot]);
    expect(ledger.state(midnightMs + UNCERTAIN_MS)).toMatchObject({ left: 0, spentEver: 1 });
  });

  test('two accounts in one file do not affect each other', () => {
    const one = ledgerOf({ total: 10, perMinute: 10 });
    const two = ledgerOf({ total: 10, perMinute: 10 }, { path: one.path, accountId: 'other' });
    spendAt(one, T0);
    one.refuseKey(KEY, T0);
    one.pauseUntil(T0 + HOUR_MS, T0);
    expect(slotsOf(spendAt(two, T0))[0]?.atMs).toBe(T0);
    expect(two.state(T0)).toMatchObject({ left: 9, pausedUntilMs: null, refusedKey: null });
    expect(one.state(T0).left).toBe(9);
  });
});

describe('limits that the upstream reports', () => {
  test('a shorter pause does not replace a longer one', () => {
    const ledger = ledgerOf({ perMinute: 600 });
    ledger.pauseUntil(T0 + 5000, T0);
    ledger.pauseUntil(T0 + 1000, T0);
    expect(spendAt(ledger, T0)).toEqual({ is: 'wait', untilMs: T0 + 5000 - LOOKAHEAD_MS });
    expect(ledger.state(T0).pausedUntilMs).toBe(T0 + 5000);
    expect(slotsOf(spendAt(ledger, T0 + 5000))).toHaveLength(1);
    expect(ledger.state(T0 + 5000).pausedUntilMs).toBeNull();
  });

  test('an exhaustion or a pause with a nonsensical date ends after a day, and one call asks again', () => {
    for (const report of ['exhaustedUntil', 'pauseUntil'] as const) {
      const ledger = ledgerOf({ total: 1000 });
      ledger[report](T0 + 2_147_483_647_000, T0);
      expect(spendAt(ledger, T0 + DAY_MS - 1000).is).not.toBe('go');
      expect(spendAt(ledger, T0 + DAY_MS + 1000).is).toBe('go');
    }
  });

  test('lifting stops ends a pause, an exhaustion and a reported quota', () => {
    const ledger = ledgerOf({ total: 1000 });
    ledger.exhaustedUntil(T0 + HOUR_MS, T0);
    ledger.pauseUntil(T0 + HOUR_MS, T0);
    expect(spendAt(ledger, T0 + 1000).is).not.toBe('go');
    ledger.liftStops();
    expect(spendAt(ledger, T0 + 1000).is).toBe('go');
  });

  test("an exhaustion that is reported with a date lasts until then, and the state shows the ledger's own remaining quota", () => {
    const ledger = ledgerOf({ perDay: 100, perMonth: 1000 });
    spendAt(ledger, T0, { most: 40 });
    ledger.exhaustedUntil(T0 + 3 * DAY_MS, T0);
    expect(ledger.state(T0).exhausted).toEqual({ atMs: T0, untilMs: T0 + 3 * DAY_MS, left: 60 });
    expect(spendAt(ledger, T0 + 2 * DAY_MS).is).toBe('spent');
    expect(spendAt(ledger, T0 + 3 * DAY_MS).is).toBe('go');
  });

  test("a total quota's exhaustion lasts longer than a day's", () => {
    const ledger = ledgerOf({ total: 2 });
    expect(spendAll(ledger, T0)).toBe(2);
    ledger.exhaustedUntil(T0 + DAY_MS, T0);
    expect(spendAt(ledger, T0)).toEqual({ is: 'spent', untilMs: null, window: 'total' });
    expect(ledger.state(T0).resumesAtMs).toBeNull();
  });

  test('a report repeated by several in-flight calls is counted once', () => {
    const ledger = ledgerOf({ total: 1000 });
    for (let call = 0; call < 16; call++) ledger.exhaustedUntil(null, T0 + call);
    expect(ledger.state(T0 + 16).exhausted?.untilMs).toBe(T0 + 15 + DAY_MS);
  });

  test('each further report of exhaustion doubles the wait, and a successful call resets it', () => {
    const ledger = ledgerOf({ total: 1000 });
    const waits: number[] = [];
    let nowMs = T0;
    for (let time = 0; time < 8; time++) {
      expect(spendAt(ledger, nowMs).is).toBe('go');
      ledger.exhaustedUntil(null, nowMs);
      const untilMs = ledger.state(nowMs).resumesAtMs ?? Number.NaN;
      waits.push((untilMs - nowMs) / DAY_MS);
      nowMs = untilMs;
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 32, 32]);
    ledger.keyWorked(KEY);
    ledger.exhaustedUntil(null, nowMs);
    expect(ledger.state(nowMs).resumesAtMs).toBe(nowMs + DAY_MS);
  });

  test('the ledger believes only the first report that the quota resets in a minute', () => {
    const ledger = ledgerOf({ total: 1000 });
    ledger.exhaustedUntil(T0 + MINUTE_MS, T0);
    ledger.exhaustedUntil(T0 + 2 * MINUTE_MS, T0 + MINUTE_MS);
    expect(ledger.state(T0 + MINUTE_MS).resumesAtMs).toBe(T0 + MINUTE_MS + HOUR_MS);
  });

  test('a rejected key stops all processes from making calls until another key is used', () => {
    const first = ledgerOf({ total: 10 });
    first.refuseKey(KEY, T0);
    const second = ledgerOf({ total: 10 }, { path: first.path });
    expect(spendAt(second, T0 + 22 * HOUR_MS)).toEqual({ is: 'refused_key', sinceMs: T0 });
    expect(second.state(T0).refusedKey).toEqual({ fingerprint: KEY, sinceMs: T0 });
    const third = ledgerOf({ total: 10 }, { path: first.path, keyFingerprint: 'another' });
    expect(third.state(T0).refusedKey).toBeNull();
    expect(spendAt(second, T0, { keyFingerprint: 'another' }).is).toBe('go');
    expect(spendAt(second, T0).is).toBe('refused_key');
    second.liftStops();
    expect(spendAt(second, T0).is).toBe('go');
  });

  test('without a configured key, the rejection of a key that another one has replaced is not shown', () => {
    const ledger = ledgerOf({ total: 10 });
    ledger.refuseKey(KEY, T0);
    ledger.keyWorked('another');
    expect(ledger.state(T0).refusedKey).toBeNull();
    ledger.doubtKey('entity 1', T0, T0);
    ledger.refuseKey('another', T0);
    expect(ledger.state(T0).refusedKey).toEqual({ fingerprint: 'another', sinceMs: T0 });
  });

  test('a rejected key permits one call a day, until a call succeeds', () => {
    const ledger = ledgerOf({ total: 10 });
    ledger.keyWorked(KEY);
    ledger.refuseKey(KEY, T0);
    expect(ledger.keyState(KEY).hasWorked).toBe(false);
    const tomorrow = T0 + DAY_MS;
    expect(spendAt(ledger, tomorrow, { most: 5 })).toMatchObject({ is: 'go', slots: [{}] });
    expect(spendAt(ledger, tomorrow + 1)).toEqual({ is: 'refused_key', sinceMs: tomorrow });
    ledger.keyWorked(KEY);
    expect(spendAt(ledger, tomorrow + 2, { most: 5 })).toMatchObject({ is: 'go' });
    expect(ledger.state(tomorrow).refusedKey).toBeNull();
  });

  test('the next process can read which key the upstream has accepted', () => {
    const first = ledgerOf();
    expect(first.keyState(KEY).hasWorked).toBe(false);
    first.keyWorked(KEY);
    const second = ledgerOf({}, { path: first.path });
    expect(second.keyState(KEY).hasWorked).toBe(true);
    expect(second.keyState('another').hasWorked).toBe(false);
  });
});

describe('the ledger file', () => {
  test('if the ledger file cannot be opened, the error contains its path', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'ledger.db');
    writeFileSync(
      path,
      'this is no database, but a text that is long enough to be read as a header'.repeat(20),
    );
    const open = (at: string) => () =>
      new Ledger({ path: at, accountId: 'main', allowance: allowanceOf({}) });
    expect(open(path)).toThrow(UsageError);
    expect(open(path)).toThrow(/cannot open the ledger .*not a database/);
    expect(open('/proc/none/ledger.db')).toThrow(/cannot open the ledger/);
    expect(open(folder)).toThrow(UsageError);
  });

  test.each<[string, RegExp, (path: string) => void]>([
    ['was emptied', /it is empty/, (path) => truncateSync(path)],
    [
      'was deleted without its journal',
      /it was deleted; only its journal remains/,
      (path) => renameSync(path, `${path}-journal`),
    ],
    [
      'is another SQLite file',
      /a SQLite file but not a ledger/,
      (path) => {
        rmSync(path);
        new Database(path).exec('CREATE TABLE other (x)').close();
      },
    ],
    ['was truncated', /malformed/, (path) => truncateSync(path, 8192)],
    ['is a text', /not a database/, (path) => writeFileSync(path, 'no database '.repeat(500))],
  ])('a ledger file that %s is not replaced, and the error names the remedy', (_fault, message, damage) => {
    const path = join(temporaryFolder(), 'ledger.db');
    const open = () => new Ledger({ path, accountId: 'main', allowance: allowanceOf({}) });
    open().close();
    damage(path);
    expect(open).toThrow(DamagedLedgerError);
    expect(open).toThrow(message);
    expect(open).toThrow(expect.objectContaining({ hint: LOST_LEDGER_REMEDY }));
  });

  test('the journal of completed transactions does not prevent a new ledger', () => {
    const path = join(temporaryFolder(), 'ledger.db');
    const before = ledgerOf({ perDay: 50, perMinute: 600 }, { path });
    spendAt(before, T0);
    expect(statSync(`${path}-journal`).size).toBeGreaterThan(0);
    before.close();
    rmSync(path);
    expect(ledgerOf({ perDay: 50 }, { path }).state(T0).left).toBe(50);
  });

  test('a ledger file overwritten with an older copy of itself permits no call', () => {
    const ledger = ledgerOf();
    spendAt(ledger, T0, { most: 3 });
    spendAt(ledger, T0);
    const db = new Database(ledger.path);
    db.exec('UPDATE account SET debits = 2');
    expect(() => spendAt(ledger, T0)).toThrow(LostFileError);
    expect(() => ledger.mark()).toThrow(/was replaced by an older copy/);
    db.exec('DELETE FROM account');
    expect(() => spendAt(ledger, T0)).toThrow(LostFileError);
    db.close();
  });

  test('an open ledger file contains each call as soon as it is spent', () => {
    const ledger = ledgerOf({ perDay: 50, perMinute: 600 });
    spendAt(ledger, T0);
    const path = join(temporaryFolder(), 'copy.db');
    copyFileSync(ledger.path, path);
    expect(ledgerOf({ perDay: 50 }, { path }).state(T0).left).toBe(49);
  });

  test.each([
    [10, 'persist', 'FULL'],
    [600, 'persist', 'FULL'],
    [601, 'wal', 'NORMAL'],
    [null, 'wal', 'NORMAL'],
  ])(
    'a ledger for %s calls a minute has the journal %s and flushes %s',
    (perMinute, journal, synchronous) => {
      const db = openLedgerFile(join(temporaryFolder(), 'ledger.db'), perMinute);
      expect(db.pragma('journal_mode', { simple: true })).toBe(journal);
      expect(db.pragma('synchronous', { simple: true })).toBe({ NORMAL: 1, FULL: 2 }[synchronous]);
      db.close();
    },
  );

  test('a killed process without a rate leaves all its debits to the next one', () => {
    const killed = ledgerOf({ perDay: 50 });
    spendAt(killed, T0, { most: 20 });
    const path = join(temporaryFolder(), 'ledger.db');
    for (const end of ['', '-wal']) copyFileSync(killed.path + end, path + end);
    expect(ledgerOf({ perDay: 50 }, { path }).state(T0).left).toBe(30);
  });

  test('a ledger file keeps its WAL while another process has it open', () => {
    const path = join(temporaryFolder(), 'ledger.db');
    const fast = new Ledger({ path, accountId: 'main', allowance: allowanceOf({ perDay: 50 }) });
    fast.startRun();
    const slow = { perDay: 50, perMinute: 600 };
    const shared = new Ledger({ path, accountId: 'main', allowance: allowanceOf(slow) });
    expect(spendAt(shared, T0).is).toBe('go');
    expect(existsSync(`${path}-wal`)).toBe(true);
    fast.close();
    shared.close();
    const alone = ledgerOf(slow, { path });
    expect(alone.state(T0).left).toBe(49);
    expect(alone.mark().starts).toBe(1);
    spendAt(alone, T0 + HOUR_MS);
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  test('a ledger file from a newer version of the program is rejected', () => {
    const { path } = ledgerOf();
    const db = new Database(path);
    db.pragma('user_version = 99');
    db.close();
    const open = () => new Ledger({ path, accountId: 'main', allowance: allowanceOf({}) });
    expect(open).toThrow(/its format is 99/);
    expect(open).not.toThrow(DamagedLedgerError);
  });

  test('a ledger file from an older version of the program is migrated and keeps its counts', () => {
    const path = join(temporaryFolder(), 'ledger.db');
    const older = new Ledger({ path, accountId: 'main', allowance: allowanceOf({ perDay: 50 }) });
    expect(spendAt(older, T0, { most: 20 }).is).toBe('go');
    older.close();
    makeOlder(path);
    const newer = ledgerOf({ perDay: 50 }, { path });
    expect(newer.state(T0)).toMatchObject({ left: 30, clockFault: null });
    expect(spendAll(newer, T0 + HOUR_MS)).toBe(30);
  });

  test('spending fails with a busy error while another process writes to the ledger file', () => {
    const ledger = ledgerOf();
    const other = new Database(ledger.path);
    other.exec('BEGIN IMMEDIATE');
    let caught: unknown = null;
    try {
      spendAt(ledger, T0);
    } catch (error) {
      caught = error;
    }
    expect(isBusy(caught)).toBe(true);
    expect(ledger.state(T0).spentEver).toBe(0);
    other.exec('COMMIT');
    other.close();
    expect(spendAt(ledger, T0).is).toBe('go');
    expect(isBusy(new Error('busy'))).toBe(false);
  });

  test('the ledger file keeps the calls per minute for the last 62 days', () => {
    const ledger = ledgerOf({ perDay: 1000 });
    for (let day = 0; day < 400; day++) spendAt(ledger, T0 + day * DAY_MS);
    const db = new Database(ledger.path, { readonly: true });
    const minutes = db.prepare<[], number>('SELECT minute_ms FROM spent ORDER BY minute_ms').pluck().all();
    db.close();
    expect((T0 + 399 * DAY_MS - (minutes[0] ?? 0)) / DAY_MS).toBeCloseTo(62 + 1, 1);
    expect(minutes).toHaveLength(62 + 2);
    expect(ledger.state(T0).spentEver).toBe(400);
  });
});

describe('recounting a lost ledger', () => {
  const minute = Math.floor((T0 + UNCERTAIN_MS) / MINUTE_MS) * MINUTE_MS;

  test('a recount adds the calls that the ledger lacks', () => {
    const ledger = ledgerOf({ perDay: 50 });
    spendAt(ledger, T0, { most: 3 });
    ledger.recount({ calls: new Map([[minute, 12]]), lastSentMs: T0 });
    expect(ledger.state(T0)).toMatchObject({ spentEver: 15, left: 35 });
    expect(ledger.mark()).toMatchObject({ debits: 15, lastSpentMs: T0 });
  });

  test('a recount keeps the spacing after the last call', () => {
    const ledger = ledgerOf({ perMinute: 10 });
    ledger.recount({ calls: new Map(), lastSentMs: T0 + 1000 });
    expect(spendAt(ledger, T0 + 1000)).toEqual({ is: 'wait', untilMs: T0 + 7100 - LOOKAHEAD_MS });
    expect(ledger.mark().lastSpentMs).toBe(T0 + 1000);
  });
});

test("the ledger lists an account's warehouses for two months, most recent first", () => {
  const ledger = ledgerOf();
  ledger.usedBy('old.db', T0);
  ledger.usedBy('new.db', T0 + DAY_MS);
  expect(ledger.warehouses(T0 + DAY_MS)).toEqual(['new.db', 'old.db']);
  ledger.usedBy('old.db', T0 + 2 * DAY_MS);
  expect(ledger.warehouses(T0 + 2 * DAY_MS)).toEqual(['old.db', 'new.db']);
  expect(ledger.warehouses(T0 + 63 * DAY_MS)).toEqual(['old.db', 'new.db']);
  expect(ledger.warehouses(T0 + 63 * DAY_MS + 1)).toEqual(['old.db']);
});
