import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Purpose } from '../allowance/windows.ts';
import { acquireLock, askToStandAside, isAlive, type LockRequest } from '../warehouse/lock.ts';
import type { Workspace } from './assemble.ts';

/** A new run's lock request, without its time. */
export type RunLockRequest = Omit<LockRequest, 'nowMs'>;

export function lockRequest(yields = false): RunLockRequest {
  const host = hostname();
  return { owner: `${host}:${process.pid}:${randomUUID()}`, pid: process.pid, host, isAlive, yields };
}

/**
 * Takes the lock. If a backfill holds it, a scheduled run waits until the backfill has loaded its in-flight calls and
 * released the lock.
 */
export async function lockFor(
  { warehouse: { db }, clock }: Workspace,
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

export interface Heartbeat {
  /** Aborts if another run has taken the lock or if the warehouse cannot be written. */
  readonly lost: AbortSignal;
  /** @throws the error from a failed heartbeat. */
  check(): void;
  stop(): void;
}

/** Calls `beat` periodically. `beat` returns whether this run still holds the lock. */
export function startHeartbeat(beat: () => boolean): Heartbeat {
  const lost = new AbortController();
  let failure: { readonly error: unknown } | null = null;
  const timer = setInterval(() => {
    try {
      if (!beat()) lost.abort();
    } catch (error) {
      failure ??= { error };
      lost.abort();
    }
  }, HEARTBEAT_MS);
  return {
    lost: lost.signal,
    check: () => {
      if (failure !== null) throw failure.error;
    },
    stop: () => clearInterval(timer),
  };
}

export const HEARTBEAT_MS = 5000;
const LOCK_POLL_MS = 250;
// This limit is longer than one heartbeat interval plus the slowest response.
const LONGEST_WAIT_FOR_LOCK_MS = 60_000;
