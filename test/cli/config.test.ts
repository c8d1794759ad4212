import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { temporaryFolder } from '../support/loader.ts';

const BIN = resolve(import.meta.dirname, '../../src/cli/bin.js');

const SECRET = `whsec_${'A'.repeat(32)}`;

/** Runs a command in a folder below that of a configuration. */
function run(...args: string[]) {
  const folder = temporaryFolder();
  const cwd = join(folder, 'below');
  mkdirSync(cwd);
  const config = {
    version: 1,
    upstream: { base_url: 'http://127.0.0.1:9/api', api_key: 'a-key-of-a-test' },
    allowance: { per_day: 100, day_starts: '06:30 Europe/Oslo' },
    worker: { redis_url: 'redis://me:a-password@127.0.0.1:6379' },
    max_age: { records: '36h' },
    notify: [{ name: 'desk', webhook: { url: 'https://hooks.example/a-token', secret: SECRET } }],
  };
  writeFileSync(join(folder, 'registry-mirror.yaml'), stringify(config));
  const { stdout, stderr, status } = spawnSync(process.execPath, [BIN, ...args], { cwd, encoding: 'utf8' });
  return { folder, stdout, stderr, status };
}

test('config show prints the file and every value, without secrets', () => {
  const { folder, stdout } = run('config', 'show');
  const { file, values } = JSON.parse(stdout).data;
  expect(file).toBe(join(folder, 'registry-mirror.yaml'));
  expect(values).toMatchObject({
    upstream: { api_key: '[key]', concurrency: 4 },
    allowance: { day_starts: '06:30 Europe/Oslo' },
    max_age: { records: '36h' },
  });
  expect(stdout).not.toMatch(/a-key-of-a-test|a-password|a-token|AAAA/);
});

test('shared flags also work before the command', () => {
  const { folder } = run('--version');
  writeFileSync(join(folder, 'other.yaml'), 'version: 1\nupstreem: {}\n');
  const { stdout, status } = run('--json', '--config', join(folder, 'other.yaml'), 'config', 'validate');
  expect(status).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ command: 'config validate', ok: false });
  expect(run('--quiet', 'config', 'validate')).toMatchObject({ status: 0, stdout: '' });
});
