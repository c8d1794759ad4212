import { setTimeout as sleep } from 'node:timers/promises';
import type { Upstream } from './upstream.ts';

/**
 * Starts `sync` and kills it (SIGKILL) once so many more calls have arrived upstream, up to some milliseconds
 * later: before, in the middle of, and after its transactions. False: it had ended by itself.
 */
export async function killAfterArrivals(upstream: Upstream, calls: number): Promise<boolean> {
  const command = upstream.start('sync', '--json');
  await upstream.arrived(upstream.sandbox.arrivals().length + calls, command);
  if (command.process.exitCode === null) await sleep(Math.random() * 8);
  command.process.kill('SIGKILL');
  return (await command.finished).signal === 'SIGKILL';
}
