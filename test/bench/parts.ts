import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { COMMAND_FLAGS } from '../support/command_flags.ts';
import { say } from './figures.ts';
import type { Filled } from './growth/fill.ts';

/** Starts a part of a benchmark in a process of its own: a script of this folder. */
export function startPart(script: string, ...args: string[]): ChildProcess {
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
  return fork(join(import.meta.dirname, script), args, { execArgv: COMMAND_FLAGS, stdio: [...stdio] });
}

/** What a part says in the end. */
export async function toldBy<T>(child: ChildProcess): Promise<T> {
  const ended = once(child, 'exit');
  const first = await Promise.race([once(child, 'message'), ended.then(() => null)]);
  if (first === null) throw new Error('a part of the benchmark ended without a result');
  await ended;
  return first[0] as T;
}

/** Fills a warehouse with a registry of this size, if it is not there. */
export async function fillWarehouse(path: string, companies: number): Promise<void> {
  if (existsSync(path)) return say(`  ${companies} companies: filled before`);
  const startedMs = performance.now();
  const part = startPart('growth/fill.ts', path, String(companies));
  const { listedBytes, fetchedBytes, records } = await toldBy<Filled>(part);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  const perListed = (listedBytes / companies).toFixed(0);
  const perRecord = ((fetchedBytes - listedBytes) / records).toFixed(0);
  say(
    `  ${companies} companies filled in ${seconds} s: ${perListed} bytes per listed company, ${perRecord} more per record`,
  );
}
