import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { UpstreamReady } from './upstream.ts';

/** Starts the sandbox as its own process, which ends when its IPC channel closes. */
export async function openUpstream(
  folder: string,
  companies: number,
): Promise<{ ready: UpstreamReady; process: ChildProcess; close(): void }> {
  const child = fork(join(import.meta.dirname, 'upstream.ts'), [JSON.stringify({ companies, folder })]);
  const first = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => null)]);
  if (first === null) throw new Error('the sandbox did not start; see its output');
  const [ready] = first as [UpstreamReady];
  return { ready, process: child, close: () => child.disconnect() };
}
