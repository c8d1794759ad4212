import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Purpose } from '../allowance/windows.ts';
import type { Clock } from '../clock.ts';
import { FailedError, messageOf } from '../errors.ts';
import {
  acquireLock,
  askToStandAside,
  heartbeat,
  isAlive,
  type LockRequest,
  releaseLock,
} from '../warehouse/lock.ts';
import { finishRun, startRun } from '../warehouse/run.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';

/** An open warehouse, and the clock for its runs. */
interface Place {
  readonly warehouse: Warehouse;
  readonly clock: Clock;
}

/** A new run's lock request, without its time. */
type RunLockRequest = Omit<LockRequest, 'nowMs'>;

export function lockRequest(yields = false): RunLockRequest {
  const host = hostname();
  return { owner: `${host}:${process.pid}:${randomUUID()}`, pid: process.pid, host, isAlive, yields };
}

/**
 * Takes the lock. If a backfill holds it, a scheduled run waits until the backfill has loaded its in-flight calls and
 * released the lock.
 */
export async function lockFor(
  { warehouse: { db }, clock }: Place,
  { purpose, signal }: { readonly purpose: Purpose; readonly signal: AbortSignal },
  request: RunLockRequest,
) {
  const untilMs = clock.now() + LONGEST_WAIT_FOR_LOCK_MS;
  for (;;) {
    const lock = acquireLock(db, { ...request, nowMs: clock.now() });
    const mayWait = !lock.taken && lock.holder.yields && purpose === 'scheduled' && clock.now() < untilMs;
    if (!mayWait || signal.aborted) return lock;
    askToStandAside(db, lock.holder, clock.now());
    await clock.sleep(LOCK_POLL_MS, signal);
  }
}

/**
 * Takes the warehouse's lock and returns the name of its owner.
 *
 * @throws FailedError if another run holds the lock.
 */
export function takeLock(db: Warehouse['db'], clock: Clock): string {
  const request = lockRequest();
  const lock = acquireLock(db, { ...request, nowMs: clock.now() });
  if (lock.taken) return request.owner;
  throw new FailedError(
    `another run holds the warehouse's lock (process ${lock.holder.pid} on ${lock.holder.host})`,
    { hint: 'Wait until that run ends, or stop it. Then retry.' },
  );
}

/**
 * Runs `work` while holding the warehouse's lock, and records it as a run in `_run`. `work` reports how the run ended.
 * `lost` aborts if the lock is lost.
 *
 * @throws FailedError if another run holds the lock.
 */
export function exclusively<T extends Ended>(
  { command, ...place }: Place & { readonly command: string },
  work: (runId: number, lost: AbortSignal) => Promise<T> | T,
): Promise<T> {
  const owner = takeLock(place.warehouse.db, place.clock);
  return recordedRun(place, { command, owner }, work);
}

interface Ended {
  /** The value for `_run.ended`. */
  readonly ended: string;
  readonly error?: string | null;
}

interface LockedRun {
  readonly command: string;
  /** The owner of the lock, which the run releases when it ends. */
  readonly owner: string;
  /** Called before each heartbeat. */
  readonly onBeat?: () => void;
}

/**
 * Records `work` as a run in `_run`, keeps the lock with a heartbeat, and releases it. `lost` aborts if another run has
 * taken the lock or if the warehouse cannot be written.
 */
export async function recordedRun<T extends Ended>(
  { warehouse: { db }, clock }: Place,
  { command, owner, onBeat }: LockedRun,
  work: (runId: number, lost: AbortSignal) => Promise<T> | T,
): Promise<T> {
  const lost = new AbortController();
  let failure: { readonly error: unknown } | null = null;
  const beating = setInterval(() => {
    try {
      onBeat?.();
      if (!heartbeat(db, owner, clock.now())) lost.abort();
    } catch (error) {
      failure ??= { error };
      lost.abort();
    }
  }, HEARTBEAT_MS);
  let runId: number | null = null;
  const finish = ({ ended, error = null }: Ended) => {
    if (runId !== null) finishRun(db, { runId, ended, error, nowMs: clock.now() });
    releaseLock(db, owner);
  };
  try {
    runId = startRun(db, { command, owner, nowMs: clock.now() });
    const result = await work(runId, lost.signal);
    if (failure !== null) throw (failure as { readonly error: unknown }).error;
    finish(result);
    return result;
  } catch (error) {
    try {
      finish({ ended: 'failed', error: messageOf(error) });
    } catch {
      // The original error is reported. The lock expires after this process ends, and the run is then shown as killed.
    }
    throw error;
  } finally {
    clearInterval(beating);
  }
}

const HEARTBEAT_MS = 5000;
const LOCK_POLL_MS = 250;
// This limit is longer than one heartbeat interval plus the slowest response.
const LONGEST_WAIT_FOR_LOCK_MS = 60_000;
