import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Starts a script, waits until it prints `started`, and kills it after a delay. Returns whether the script ended before
 * the kill.
 */
export async function startAndKill(
  script: string,
  args: readonly string[],
  afterMs: number,
): Promise<'killed' | 'ended'> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let complaint = '';
  child.stderr.on('data', (data) => {
    complaint += String(data);
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  await Promise.race([once(child.stdout, 'data'), exited]);
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  child.kill('SIGKILL');
  const [code] = await exited;
  if (code !== null && code !== 0) throw new Error(`${script} failed: ${complaint}`);
  return code === 0 ? 'ended' : 'killed';
}
