import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** These tests need a separate process, because they change modules or expect a warning that Node prints only once. */
const ISOLATED = [
  'test/allowance/window_table.test.ts',
  'test/cli/restore.test.ts',
  'test/cli/snapshots.test.ts',
  'test/fetch/smoother.test.ts',
];

const CACHE = join(tmpdir(), 'registry-mirror-test-cache');

/**
 * Tests write to memory if possible, because SQLite waits for the disk at each commit. Set TMPDIR to test with files on
 * a disk.
 */
export const TMPDIR = process.env.TMPDIR ?? (hasSpace('/dev/shm') ? '/dev/shm' : tmpdir());

/** These tests wait for processes for up to a minute. One that started last would run while other processors idle. */
const LONG = /^test\/(jobs|operations|page|trust)\//;

/** Starts the long tests first, each beside another one that keeps a processor busy. The default is by file size. */
class LongTestsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.test(relative(import.meta.dirname, moduleId));
    const long = bySize.filter(isLong);
    const others = bySize.filter((file) => !isLong(file));
    return others.flatMap((file, at) => [...long.slice(at, at + 1), file]).concat(long.slice(others.length));
  }
}

/** Returns a configuration that runs the included files. */
export function configOf(include: string[], exclude: string[] = [], isolated: string[] = ISOLATED) {
  return defineConfig({
    test: {
      // Time limits only end tests that hang. They are long, so that no test fails on a busy machine.
      testTimeout: 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 30_000 } },
      env: {
        TMPDIR,
        // The scripts that tests start as processes are compiled once, not at each start.
        NODE_COMPILE_CACHE: join(CACHE, 'compiled'),
      },
      pool: 'forks',
      // Many tests wait for processes and servers, so more files and tests run in parallel than there are processors.
      maxWorkers: 4,
      maxConcurrency: 10,
      sequence: { sequencer: LongTestsFirst },
      projects: [
        // Files of one process share the loaded modules, because loading them takes longer than most tests.
        {
          extends: true,
          test: { name: 'shared', include, exclude: [...exclude, ...ISOLATED], isolate: false },
        },
        { extends: true, test: { name: 'isolated', include: isolated } },
      ],
    },
  });
}

function hasSpace(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > 2 ** 30;
}

export default configOf(['test/**/*.test.ts']);
