import { setTimeout as sleep } from 'node:timers/promises';
import type { Upstream } from './upstream.ts';

/**
 * Starts `sync`, and sends SIGKILL 0 to 8 ms after the upstream has received `calls` more calls, so that the kill can
 * hit any point in a transaction. Returns false if `sync` ended before the kill.
 */
export async function killAfterArrivals(upstream: Upstream, calls: number): Promise<boolean> {
  const command = upstream.start('sync', '--json');
  await upstream.arrived(upstream.sandbox.arrivals().length + calls, command);
  if (command.process.exitCode === null) await sleep(Math.random() * 8);
  command.process.kill('SIGKILL');
  return (await command.finished).signal === 'SIGKILL';
}
