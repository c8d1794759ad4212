import { setTimeout as sleep } from 'node:timers/promises';
import type { Upstream } from '../e2e/upstream.ts';

/**
 * Starts `sync` and kills it (SIGKILL) once so many more calls have arrived upstream, up to some milliseconds
 * later: before, in the middle of, and after its transactions. False: it had ended by itself.
 */
export async function killAfterArrivals(upstream: Upstream, calls: number): Promise<boolean> {
  const { process: child, finished } = upstream.start('sync', '--json');
  const target = upstream.sandbox.arrivals().length + calls;
  let isOver = false;
  void finished.then(() => {
    isOver = true;
  });
  while (!isOver && upstream.sandbox.arrivals().length < target) await sleep(1);
  if (!isOver) await sleep(Math.random() * 8);
  child.kill('SIGKILL');
  return (await finished).signal === 'SIGKILL';
}
