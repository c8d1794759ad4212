import { spawnSync } from 'node:child_process';

/** Returns whether Prometheus's `promtool` is installed. With REQUIRE_PROMTOOL=1, a missing `promtool` is an error. */
export function hasPromtool(): boolean {
  const isInstalled = spawnSync('promtool', ['--version']).status === 0;
  if (!isInstalled && process.env.REQUIRE_PROMTOOL === '1')
    throw new Error(
      'REQUIRE_PROMTOOL is set, but promtool is missing. Install it: apt-get install prometheus',
    );
  return isInstalled;
}

/** Runs promtool. Returns its output, which contains the failed tests. */
export function promtool(...args: string[]): { readonly passes: boolean; readonly output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
  return { passes: status === 0, output: stdout + stderr };
}
