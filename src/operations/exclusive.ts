import type { Clock } from '../clock.ts';
import { FailedError, messageOf } from '../errors.ts';
import { acquireLock, heartbeat, releaseLock } from '../warehouse/lock.ts';
import { finishRun, startRun } from '../warehouse/run.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { HEARTBEAT_MS, lockRequest } from './run_lock.ts';

/**
 * Runs `work` while holding the warehouse's lock, and records it as a run in `_run`. `work` reports how the run ended.
 *
 * @throws FailedError if another run holds the lock.
 */
export async function exclusively<T extends { readonly ended: string }>(
  { warehouse, clock, command }: { warehouse: Warehouse; clock: Clock; command: string },
  work: (runId: number) => Promise<T> | T,
): Promise<T> {
  const { db } = warehouse;
  const owner = takeLock(db, clock);
  const heartbeatTimer = setInterval(() => heartbeat(db, owner, clock.now()), HEARTBEAT_MS);
  const runId = startRun(db, { command, owner, nowMs: clock.now() });
  try {
    const result = await work(runId);
    finishRun(db, { runId, ended: result.ended, nowMs: clock.now() });
    return result;
  } catch (error) {
    const message = messageOf(error);
    finishRun(db, { runId, ended: 'failed', error: message, nowMs: clock.now() });
    throw error;
  } finally {
    clearInterval(heartbeatTimer);
    releaseLock(db, owner);
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
