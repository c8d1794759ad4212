import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Installs the compared tools in this folder, unless they are already installed.
 *
 * @throws if the installation fails, because the benchmark needs these tools.
 */
export function installPeers(): void {
  const folder = import.meta.dirname;
  if (areInstalled(folder)) return;
  process.stderr.write('Installing the tools to compare in test/bench/peers …\n');
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
  const { status, error } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--prefix', folder], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0 || !areInstalled(folder))
    throw new Error(
      `the compared tools could not be installed (npm ci --prefix test/bench/peers): ${error ?? `exit ${status}`}`,
    );
}

/** Returns whether the packages that npm has installed in `node_modules` match the lockfile. */
function areInstalled(folder: string): boolean {
  try {
    const locked = versionsIn(join(folder, 'package-lock.json'));
    const there = versionsIn(join(folder, 'node_modules/.package-lock.json'));
    return Object.keys(manifest(folder).dependencies).every((name) => {
      const place = `node_modules/${name}`;
      return locked[place] !== undefined && locked[place]?.version === there[place]?.version;
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
