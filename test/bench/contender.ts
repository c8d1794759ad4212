import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { UpstreamReady } from './throughput/upstream.ts';

/** The task for a contender, which is one of the compared programs. Each contender runs as its own process. */
export interface ContenderOrder extends UpstreamReady {
  /** The folder for the contender's files, which is deleted afterwards. */
  readonly folder: string;
  /** The number of parallel requests. */
  readonly lanes: number;
  /** The number of records to fetch. */
  readonly records: number;
}

export interface Performed {
  readonly calls: number;
  readonly records: number;
  readonly ms: number;
  readonly cpuMs: number;
  readonly peakMb: number;
}

export const CONTENDERS = {
  mirror: 'throughput/mirror.ts',
  limit: 'throughput/limit.js',
} as const;
export type Contender = keyof typeof CONTENDERS;

/** Runs one contender until it ends, and throws if there is no result. */
export async function perform(
  program: string,
  order: Omit<ContenderOrder, 'folder'>,
  parent: string,
): Promise<Performed> {
  const folder = mkdtempSync(join(parent, 'contender-'));
  const child = fork(join(import.meta.dirname, program), [JSON.stringify({ ...order, folder })], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const first = await Promise.race([once(child, 'message'), ended.then(() => null)]);
  if (first === null) throw new Error(`${program} ended without a result`);
  // A contender is killed once its result has arrived, because some contenders leave timers running.
  const timer = setTimeout(() => child.kill('SIGKILL'), EXIT_WITHIN_MS);
  if (child.connected) child.disconnect();
  await ended;
  clearTimeout(timer);
  rmSync(folder, { recursive: true, force: true });
  return first[0] as Performed;
}

const EXIT_WITHIN_MS = 10_000;
