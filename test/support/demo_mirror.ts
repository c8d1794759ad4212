import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The mirror that `demo` creates, in its own folder. */
export interface DemoMirror {
  readonly folder: string;
  readonly warehouse: string;
  /** Runs a command on the mirror and returns its output. */
  run(...args: string[]): string;
  remove(): void;
}

const PROGRAM = resolve(import.meta.dirname, '../../src/cli/bin.js');

/** Runs `demo` in a new folder and writes a configuration for its mirror. */
export function openDemoMirror(): DemoMirror {
  const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-demo-'));
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [PROGRAM, ...args], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  run('demo');
  writeFileSync(join(folder, 'registry-mirror.yaml'), CONFIGURATION);
  return {
    folder,
    warehouse: join(folder, 'data/demo.db'),
    run,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

const CONFIGURATION = `version: 1
source: { name: Sample registry }
upstream: { base_url: http://127.0.0.1:9/api, api_key: unused }
account: { tier: paid }
allowance: { per_minute: 10, unlimited: true }
warehouse: data/demo.db
ledger: data/demo-ledger.db
`;
