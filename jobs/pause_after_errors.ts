import type { Clock } from '../src/clock.ts';
import { isConnectionError } from '../src/redis/connection.ts';
import type { ErrorLog } from './error_log.ts';
import type { MirrorWorker } from './queue.ts';

/**
 * Pauses the worker after each error, because BullMQ immediately retries a command that Redis rejects. The pause
 * doubles while errors continue.
 */
export function pauseAfterErrors(
  worker: MirrorWorker,
  { clock, errors }: { readonly clock: Clock; readonly errors: ErrorLog },
  closing: AbortSignal,
): void {
  let lastErrorMs = 0;
  let delayMs = SHORTEST_PAUSE_MS;
  const pause = async (pauseMs: number): Promise<void> => {
    void worker.pause(true);
    await clock.sleep(pauseMs, closing);
    if (!closing.aborted) await worker.resume();
  };
  worker.on('error', (error) => {
    errors.log(error, 'the worker received an error from the queue');
    if (isConnectionError(error) || worker.isPaused() || closing.aborted) return;
    const nowMs = clock.now();
    const isRepeated = nowMs - lastErrorMs <= FORGET_ERRORS_MS;
    delayMs = isRepeated ? Math.min(2 * delayMs, LONGEST_PAUSE_MS) : SHORTEST_PAUSE_MS;
    lastErrorMs = nowMs;
    void pause(delayMs);
  });
}

const SHORTEST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 10_000;
const FORGET_ERRORS_MS = 60_000;
