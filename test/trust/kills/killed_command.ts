import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../..');
const LONGEST_MS = 600_000;

/** When to kill the command: before the n-th SQL statement, or some time after the first statement. */
export type Blow = { readonly statement: number } | { readonly afterMs: number } | null;

export interface Struck {
  readonly killed: boolean;
  /** Present only if the command was not killed. */
  readonly statements: number;
  readonly lastedMs: number;
}

/** Runs a command and kills it, and throws if the command failed before the kill. */
export async function strike(args: readonly string[], blow: Blow): Promise<Struck> {
  const child = spawn(
    process.execPath,
    ['--import', join(import.meta.dirname, 'kill_at.ts'), 'src/cli/bin.js', ...args],
    { cwd: root, env: { ...process.env, ...orderOf(blow) }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let stderr = '';
  let startedMs = 0;
  const timers: NodeJS.Timeout[] = [];
  const killAfter = (delayMs: number) => timers.push(setTimeout(() => child.kill('SIGKILL'), delayMs));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    if (startedMs > 0 || !stderr.includes('first statement')) return;
    startedMs = performance.now();
    if (blow !== null && 'afterMs' in blow) killAfter(blow.afterMs);
    // A worker ends only when it receives a signal. If it executes too few statements to be killed, it is stopped after
    // a while.
    else if (blow !== null && args[0] === 'worker') killAfter(LONGEST_WORKER_MS);
  });
  timers.push(setTimeout(() => child.kill('SIGTERM'), LONGEST_MS));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  for (const timer of timers) clearTimeout(timer);
  if (signal !== 'SIGKILL' && code !== 0)
    throw new Error(`${args.join(' ')} ended with ${code ?? signal}: ${stderr}`);
  const [, counted] = /statements: (\d+)/.exec(stderr) ?? [];
  return {
    killed: signal === 'SIGKILL',
    statements: Number(counted ?? 0),
    lastedMs: performance.now() - startedMs,
  };
}

function orderOf(blow: Blow): NodeJS.ProcessEnv {
  return blow !== null && 'statement' in blow ? { KILL_AT: String(blow.statement) } : {};
}

const LONGEST_WORKER_MS = 2500;
