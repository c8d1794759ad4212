import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { say } from '../support/script.ts';
import type { Filled } from './growth/fill.ts';

/** Starts a script in this folder as a process with an IPC channel. */
export function startPart(script: string, ...args: string[]): ChildProcess {
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
  return fork(join(import.meta.dirname, script), args, { stdio: [...stdio] });
}

/** Waits for the result that the part sends before it exits. */
export async function resultOf<T>(child: ChildProcess): Promise<T> {
  const ended = once(child, 'exit');
  const first = await Promise.race([once(child, 'message'), ended.then(() => null)]);
  if (first === null) throw new Error('a part of the benchmark ended without a result; see its output');
  await ended;
  return first[0] as T;
}

/** Fills a warehouse with a registry of this size, unless the file already exists. */
export async function fillWarehouse(path: string, companies: number): Promise<void> {
  if (existsSync(path)) return say(`  ${companies} companies: warehouse exists`);
  const startedMs = performance.now();
  const part = startPart('growth/fill.ts', path, String(companies));
  const { listedBytes, fetchedBytes, records } = await resultOf<Filled>(part);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  const perListed = (listedBytes / companies).toFixed(0);
  const perRecord = ((fetchedBytes - listedBytes) / records).toFixed(0);
  say(
    `  ${companies} companies filled in ${seconds} s: ${perListed} bytes per listed company, ${perRecord} more per record`,
  );
}
