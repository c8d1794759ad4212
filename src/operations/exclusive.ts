import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock } from '../clock.ts';
import { FailedError, messageOf } from '../errors.ts';
import { acquireLock, heartbeat, isAlive, releaseLock } from '../warehouse/lock.ts';
import { finishRun, startRun } from '../warehouse/run.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';

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
  const owner = `${hostname()}:${process.pid}:${randomUUID()}`;
  const lock = acquireLock(db, { owner, pid: process.pid, host: hostname(), nowMs: clock.now(), isAlive });
  if (lock.taken) return owner;
  throw new FailedError(
    `another run holds the warehouse's lock (process ${lock.holder.pid} on ${lock.holder.host})`,
    { hint: 'Wait until that run ends, or stop it. Then retry.' },
  );
}

const HEARTBEAT_MS = 5000;
