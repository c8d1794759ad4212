import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Gives memory back once the worker has nothing to do. V8 keeps what a busy hour needed (300 MiB after some
 * thousand calls a second) until something else needs it, which for a worker that looks every ten minutes is
 * never. One full collection when it falls idle costs some 50 ms and leaves a third; until it has been busy for
 * a while again, the room for new objects stays as small as that. Looks and runs that found nothing due leave
 * little each, but no collection comes by itself: every other minute one is made.
 */
export function giveBackWhenIdle(isBusy: () => boolean): { stop(): void } {
  const collect = openCollector();
  let idleLooks = 0;
  const timer = setInterval(() => {
    const wasIdle = idleLooks >= IDLE_LOOKS;
    idleLooks = isBusy() ? 0 : idleLooks + 1;
    if (wasIdle && idleLooks === 0) letGrow(true);
    if (idleLooks % AGAIN_AFTER_LOOKS !== IDLE_LOOKS) return;
    letGrow(false);
    collect();
  }, LOOK_EVERY_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** Whether V8 may enlarge the room for new objects, which work at thousands of calls a second is faster with. */
function letGrow(may: boolean): void {
  setFlagsFromString(`--semi-space-growth-factor=${may ? 2 : 1}`);
}

type Collect = (options?: object) => void;

function openCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as Collect;
  // "last-resort" also returns the room for new objects, which an ordinary full collection keeps.
  return () => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

const LOOK_EVERY_MS = 2000;
// Not between two slices that follow each other, and not under a schedule of every few seconds.
const IDLE_LOOKS = 3;
const AGAIN_AFTER_LOOKS = 60;
