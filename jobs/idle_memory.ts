import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Releases memory while the worker is idle. V8 keeps the heap of a busy hour (300 MiB after some thousand calls a
 * second) and an idle process triggers no collection. One full collection takes about 50 ms and leaves a third.
 *
 * After the collection the young generation stays small until the worker is busy. Short runs allocate little, so that
 * they trigger no collection. The collection is therefore repeated every two minutes.
 */
export function releaseMemoryWhenIdle(isBusy: () => boolean): { stop(): void } {
  const collect = openCollector();
  let idleChecks = 0;
  const timer = setInterval(() => {
    const wasIdle = idleChecks >= IDLE_CHECKS;
    idleChecks = isBusy() ? 0 : idleChecks + 1;
    if (wasIdle && idleChecks === 0) setGrowth(true);
    if (idleChecks % REPEAT_AFTER_CHECKS !== IDLE_CHECKS) return;
    setGrowth(false);
    collect();
  }, CHECK_EVERY_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** Permits or prevents growth of V8's young generation. Thousands of calls a second are faster with a large one. */
function setGrowth(isPermitted: boolean): void {
  setFlagsFromString(`--semi-space-growth-factor=${isPermitted ? 2 : 1}`);
}

type Collect = (options?: object) => void;

function openCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as Collect;
  // "last-resort" also releases the young generation, which an ordinary full collection keeps.
  return () => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

const CHECK_EVERY_MS = 2000;
// Long enough that the time between two consecutive batches, or a schedule of every few seconds, does not count as idle.
const IDLE_CHECKS = 3;
const REPEAT_AFTER_CHECKS = 60;
