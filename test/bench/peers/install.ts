import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Installs what the benchmarks compare with, into this folder alone, unless it is there already. Throws when it
 * cannot: a comparison without its other side is none.
 */
export function installPeers(): void {
  const folder = import.meta.dirname;
  if (areInstalled(folder)) return;
  process.stderr.write('Installing what the benchmark compares with …\n');
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
  const { status, error } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--prefix', folder], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0 || !areInstalled(folder))
    throw new Error(
      `the peers could not be installed (npm ci --prefix test/bench/peers): ${error ?? `exit ${status}`}`,
    );
}

/** npm notes in `node_modules` what it installed: it must be what the lockfile asks for. */
function areInstalled(folder: string): boolean {
  try {
    const asked = versionsIn(join(folder, 'package-lock.json'));
    const there = versionsIn(join(folder, 'node_modules/.package-lock.json'));
    return Object.keys(manifest(folder).dependencies).every((name) => {
      const place = `node_modules/${name}`;
      return asked[place] !== undefined && asked[place]?.version === there[place]?.version;
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

function manifest(folder: string): { dependencies: Record<string, string> } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function versionsIn(path: string): Record<string, { version?: string }> {
  return JSON.parse(readFileSync(path, 'utf8')).packages;
}
