import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

const root = resolve(import.meta.dirname, '../..');
const IS_ROOT = process.getuid?.() === 0;

/** Removes write permission on the folder, or on files in it, from the user that `asNeighbour` runs as. */
export function permit(folder: string, may: { writeFolder: boolean; write: readonly string[] }): void {
  for (const name of readdirSync(folder))
    chmodSync(join(folder, name), may.write.includes(name) ? 0o644 : 0o444);
  chmodSync(folder, may.writeFolder ? 0o755 : 0o555);
}

/**
 * Runs the command as a user to whom file permissions apply. Root gives up the capabilities to ignore them, and stays
 * root, so that it can read a checkout in a folder that only its owner may enter.
 */
export async function asNeighbour(...args: string[]): Promise<{ code: number | null; said: string }> {
  const command = [process.execPath, 'src/cli/bin.js', ...args];
  const [program = '', ...given] = IS_ROOT ? ['setpriv', WITHOUT_OVERRIDES, ...command] : command;
  const child = spawn(program, given, { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return { code, said };
}

const WITHOUT_OVERRIDES = '--bounding-set=-dac_override,-dac_read_search';
