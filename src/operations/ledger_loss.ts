import { existsSync, renameSync } from 'node:fs';
import type { Recount } from '../allowance/account.ts';
import { type Ledger, LOST_LEDGER_REMEDY } from '../allowance/ledger.ts';
import { CONFIRMED } from '../allowance/ledger_clock.ts';
import { DamagedLedgerError } from '../allowance/ledger_file.ts';
import { type Clock, isoTime } from '../clock.ts';
import type { Config } from '../config/config.ts';
import { MINUTE_MS } from '../durations.ts';
import { FailedError, UsageError } from '../errors.ts';
import { counted } from '../report/figures.ts';
import { spentCalls, spentCallsByTime } from '../warehouse/call_counts.ts';
import { metaTable } from '../warehouse/meta.ts';
import { killedRuns } from '../warehouse/run.ts';
import { openWarehouse, type Warehouse } from '../warehouse/warehouse.ts';
import { openLedgerOf } from './configured_ledger.ts';
import { exclusively } from './locked_run.ts';

/** A warehouse and its account's ledger. */
interface LedgerUse {
  readonly config: Config;
  readonly warehouse: Pick<Warehouse, 'db'>;
  readonly ledger: Ledger;
}

/** The run in `_run` that holds the warehouse's lock. */
interface CurrentRun {
  readonly runId: number;
}

/**
 * Returns the number of calls missing from a lost ledger. Returns 0 if the ledger is complete, or if no window limits
 * the account. Without a window, the next run counts the calls again.
 */
export function lostCalls(use: LedgerUse, nowMs: number): number {
  return hasWindows(use, nowMs) ? missingCalls(use, nowMs) : 0;
}

/** Returns the number of calls that a new ledger would lack, because the ledger file does not exist. */
export function callsWithoutLedger(
  { account, allowance, upstream }: Config,
  { db }: Pick<Warehouse, 'db'>,
): number {
  const mark = { ledgerId: '', debits: 0, starts: 0 };
  return allowance.unlimited ? 0 : missingFrom(mark, recordedMark(db, account.id), upstream.concurrency);
}

/**
 * Returns how many calls are missing from the ledger because it was deleted, or replaced by another file or an older
 * copy. 0 means that no warehouse that has used the ledger knows of more calls. The other warehouses are those that the
 * ledger names.
 */
function missingCalls({ config, warehouse, ledger }: LedgerUse, nowMs: number): number {
  const { account, upstream } = config;
  const marks = [
    recordedMark(warehouse.db, account.id),
    ...otherUsers({ config, ledger }, nowMs).map(({ mark }) => mark),
  ];
  // Read the ledger after the warehouses, because a run may be using one of them.
  const now = ledger.mark();
  return Math.max(...marks.map((mark) => missingFrom(now, mark, upstream.concurrency)));
}

/** The other warehouses that last used this ledger, and can be read. */
function otherUsers({ config, ledger }: Pick<LedgerUse, 'config' | 'ledger'>, nowMs: number) {
  const { ledgerId } = ledger.mark();
  return ledger.warehouses(nowMs).flatMap((path) => {
    const mark = path === config.warehouse ? null : markIn(path, config.account.id, nowMs);
    return mark?.ledgerId === ledgerId ? [{ path, mark }] : [];
  });
}

function markIn(path: string, accountId: string, nowMs: number): RecordedMark | null {
  try {
    using warehouse = openWarehouse({ path, readonly: true, nowMs });
    return recordedMark(warehouse.db, accountId);
  } catch {
    // The file was moved or deleted, or belongs to another user.
    return null;
  }
}

/** The ledger's progress as a warehouse knows it. An older version of the program recorded no `ledgerId`. */
interface RecordedMark {
  readonly ledgerId: string | null;
  readonly debits: number;
  readonly starts: number;
}

/** Returns null if no run has used this warehouse with the account. */
function recordedMark(db: Warehouse['db'], accountId: string): RecordedMark | null {
  const stamps = metaTable(db).get('ledger');
  if (stamps === null) return { ledgerId: null, debits: spentCalls(db), starts: 0 };
  const stamp = stamps.accounts[accountId];
  if (stamp === undefined) return null;
  const { ledgerId, debits, starts = 0 } = stamp;
  return { ledgerId, debits, starts };
}

/**
 * Returns how many recorded calls the ledger lacks. If it is not the ledger that the warehouse used last, calls that the
 * warehouse does not know can be missing too: those in flight and those made for other warehouses. The result is then
 * at least the maximum number of calls in flight.
 */
function missingFrom(ledger: RecordedMark, recorded: RecordedMark | null, concurrency: number): number {
  if (recorded === null) return 0;
  const isSame = recorded.ledgerId === null || recorded.ledgerId === ledger.ledgerId;
  const isLast = isSame && ledger.starts >= recorded.starts;
  return Math.max(0, recorded.debits - (isSame ? ledger.debits : 0), isLast ? 0 : concurrency);
}

/**
 * Stops a run if the ledger was lost, because the run could spend the same units again. Otherwise records the ledger's
 * state in the warehouse. Call this function while holding the warehouse's lock, before the first call of a run.
 *
 * @throws FailedError if calls are missing from the ledger.
 */
export function requireLedger(use: LedgerUse & CurrentRun, nowMs: number): void {
  const missing = requireCounts(use, nowMs);
  // Without a window, only the rate is limited, so only the time of the last call matters.
  if (missing > 0) use.ledger.recount(recountOf([use], nowMs));
  use.ledger.startRun();
  stampLedger(use);
}

/**
 * Returns the number of calls missing from the ledger, which can be positive only if there is no allowance window.
 *
 * @throws FailedError if there is an allowance window and calls are missing from the ledger.
 */
function requireCounts(use: LedgerUse, nowMs: number): number {
  const missing = missingCalls(use, nowMs);
  if (missing > 0 && hasWindows(use, nowMs)) throw lostLedger(use.config, missing);
  return missing;
}

function hasWindows({ ledger }: Pick<LedgerUse, 'ledger'>, nowMs: number): boolean {
  return ledger.state(nowMs).windows.length > 0;
}

function lostLedger({ ledger }: Config, missing: number): FailedError {
  return new FailedError(
    `the ledger ${ledger} can lack ${counted(missing, 'call')}, because it was deleted, or replaced by another file or an older copy. No call was sent`,
    { hint: LOST_LEDGER_REMEDY },
  );
}

/**
 * Records the ledger's state in the warehouse. It also counts the calls for other warehouses. A run records it after each
 * batch, so that it is complete even if the run is killed, or if the ledger was replaced while calls were in flight.
 */
export function stampLedger({ config, warehouse: { db }, ledger }: LedgerUse): void {
  const meta = metaTable(db);
  meta.set('ledger', {
    accounts: { ...meta.get('ledger')?.accounts, [config.account.id]: ledger.knownMark() },
  });
}

/**
 * Counts the calls in the warehouses that the ledger lacks because it was lost. If a warehouse was last used with this
 * ledger, these are the calls after the ledger's last one. No warehouse contains the calls that were in flight when a
 * run was killed. If the ledger was lost, each killed run therefore adds `upstream.concurrency` calls.
 */
function recountOf(uses: readonly (LedgerUse & CurrentRun)[], nowMs: number): Recount {
  const calls = new Map<number, number>();
  let lastSentMs = 0;
  if (!uses.some((use) => missingCalls(use, nowMs) > 0)) return { calls, lastSentMs };
  for (const { config, warehouse, ledger, runId } of uses) {
    const { db } = warehouse;
    const { ledgerId, lastSpentMs } = ledger.mark();
    const stamp = metaTable(db).get('ledger')?.accounts[config.account.id];
    const countedUntilMs = stamp === undefined || stamp.ledgerId === ledgerId ? lastSpentMs : 0;
    const stored = spentCallsByTime(db, isoTime(lastSpentMs)).map(({ time, calls: sent }) => ({
      atMs: Date.parse(time),
      sent,
    }));
    // The calls in flight can have been sent up to a minute after the last stored call.
    const inFlight = killedRuns(db, runId).map((time) => ({
      atMs: Date.parse(time) + MINUTE_MS,
      sent: config.upstream.concurrency,
    }));
    for (const { atMs, sent } of [...stored, ...inFlight]) {
      if (atMs <= countedUntilMs) continue;
      const sentAtMs = Math.min(atMs, nowMs);
      const minuteMs = Math.floor((sentAtMs + CONFIRMED.laterMs) / MINUTE_MS) * MINUTE_MS;
      calls.set(minuteMs, (calls.get(minuteMs) ?? 0) + sent);
      lastSentMs = Math.max(lastSentMs, Math.min(sentAtMs + MINUTE_MS, nowMs));
    }
  }
  return { calls, lastSentMs };
}

/**
 * Counts the calls of these warehouses, and of those that the ledger names, and stores the counts in the ledger. Holds
 * the warehouses' locks, so that no run spends quota meanwhile. A corrupt ledger file is renamed first.
 *
 * @throws UsageError if a warehouse does not exist; FailedError if a run holds a lock.
 */
export async function rebuildLedger(config: Config, paths: readonly string[], clock: Clock) {
  for (const path of paths)
    if (!existsSync(path))
      throw new UsageError(`there is no warehouse at ${path}`, { hint: 'Correct --warehouse.' });
  const opened = openOrReplace(config, clock.now());
  using ledger = opened.ledger;
  const others = otherUsers({ config, ledger }, clock.now()).map(({ path }) => path);
  /** The warehouses whose calls are counted. */
  const warehouses = [...new Set([...paths, ...others])];
  const recounted = await recountUnderLocks({ config, ledger, clock }, warehouses, []);
  return { ...recounted, warehouses, movedTo: opened.movedTo };
}

/** Takes the locks one by one, then counts the calls. Returns how many of them the ledger lacked. */
async function recountUnderLocks(
  parts: Pick<LedgerUse, 'config' | 'ledger'> & { readonly clock: Clock },
  paths: readonly string[],
  uses: readonly (LedgerUse & CurrentRun)[],
): Promise<{ readonly ended: 'done'; readonly added: number }> {
  const { config, ledger, clock } = parts;
  const [path, ...others] = paths;
  if (path !== undefined) {
    using warehouse = openWarehouse({ path, nowMs: clock.now() });
    return await exclusively({ warehouse, clock, command: 'doctor' }, (runId) =>
      recountUnderLocks(parts, others, [...uses, { config, ledger, warehouse, runId }]),
    );
  }
  const before = ledger.state(clock.now()).spentEver;
  ledger.recount(recountOf(uses, clock.now()));
  for (const use of uses) stampLedger(use);
  return { ended: 'done', added: ledger.state(clock.now()).spentEver - before };
}

/** Opens the ledger. A corrupt file is moved to `movedTo` first. */
function openOrReplace(config: Config, nowMs: number): { ledger: Ledger; movedTo: string | null } {
  try {
    return { ledger: openLedgerOf(config), movedTo: null };
  } catch (error) {
    if (!(error instanceof DamagedLedgerError)) throw error;
    const movedTo = `${config.ledger}.damaged-${isoTime(nowMs).replaceAll(':', '')}`;
    for (const end of ['', '-journal', '-wal', '-shm'])
      if (existsSync(config.ledger + end)) renameSync(config.ledger + end, movedTo + end);
    return { ledger: openLedgerOf(config), movedTo };
  }
}
