import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { UpstreamReady } from './throughput/upstream.ts';

/** What a contender is asked to do, in a process of its own. */
export interface ContenderOrder extends UpstreamReady {
  /** For its files; emptied afterwards. */
  readonly folder: string;
  /** Requests at once. */
  readonly lanes: number;
  /** Records to fetch. */
  readonly records: number;
  /** Requests a minute; null: as many as it can. */
  readonly perMinute: number | null;
  /** Of a run at a rate: what is left out at the start, and how long the stretch is that is measured. */
  readonly warmUpMs?: number;
  readonly measuredMs?: number;
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
  script: 'peers/script.js',
  limit: 'peers/limit.js',
  crawlee: 'peers/crawlee.js',
} as const;
/** The same two at a rate. */
export const AT_RATE = { mirror: 'cost/mirror.ts', script: 'peers/script_at_rate.js' } as const;
export type Contender = keyof typeof CONTENDERS;

/** Runs one contender to its end. Throws when it did not do all that it was asked for. */
export async function perform(
  program: string,
  order: Omit<ContenderOrder, 'folder'>,
  parent: string,
  execArgv: readonly string[] = [],
): Promise<Performed> {
  const folder = mkdtempSync(join(parent, 'contender-'));
  const child = fork(join(import.meta.dirname, program), [JSON.stringify({ ...order, folder })], {
    execArgv: [...execArgv],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const first = await Promise.race([once(child, 'message'), ended.then(() => null)]);
  if (first === null) throw new Error(`${program} ended without a result`);
  // Some leave timers behind; what they did is reported.
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  if (child.connected) child.disconnect();
  await ended;
  clearTimeout(timer);
  rmSync(folder, { recursive: true, force: true });
  return first[0] as Performed;
}

const PATIENCE_MS = 10_000;
