import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

const root = resolve(import.meta.dirname, '../..');
const NOBODY = 65_534;
const IS_ROOT = process.getuid?.() === 0;

/** Removes write permission on the folder, or on files in it, from the user that `asNeighbour` runs as. */
export function permit(folder: string, may: { writeFolder: boolean; write: readonly string[] }): void {
  for (const name of readdirSync(folder)) setRight(join(folder, name), 0o644, may.write.includes(name));
  setRight(folder, 0o755, may.writeFolder);
}

/** Root can write to every file, so tests that root runs use another user to own the files and run the command. */
function setRight(path: string, mode: number, mayWrite: boolean): void {
  if (IS_ROOT) chownSync(path, mayWrite ? NOBODY : 0, mayWrite ? NOBODY : 0);
  chmodSync(path, mayWrite || IS_ROOT ? mode : mode & 0o555);
}

/** Runs the command as a user to whom file permissions apply. */
export async function asNeighbour(...args: string[]): Promise<{ code: number | null; said: string }> {
  const user = IS_ROOT ? { uid: NOBODY, gid: NOBODY } : {};
  const child = spawn(process.execPath, ['src/cli/bin.js', ...args], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...user,
  });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return { code, said };
}
