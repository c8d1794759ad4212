import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { runCommand } from '../support/command.ts';
import { temporaryFolder } from '../support/loader.ts';

const SECRET = `whsec_${'A'.repeat(32)}`;

/** Runs a command in a subfolder of the folder that contains the configuration. */
async function run(...args: string[]) {
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
  return { folder, ...(await runCommand([...args, '--json'], { cwd })) };
}

test('config show prints the file and every value, without secrets', async () => {
  const { folder, stdout } = await run('config', 'show');
  const { file, values } = JSON.parse(stdout).data;
  expect(file).toBe(join(folder, 'registry-mirror.yaml'));
  expect(values).toMatchObject({
    upstream: { api_key: '[key]', concurrency: 4, max_body: '8MiB' },
    allowance: { day_starts: '06:30 Europe/Oslo' },
    max_age: { records: '36h' },
  });
  expect(stdout).not.toMatch(/a-key-of-a-test|a-password|a-token|AAAA/);
});

test('shared flags also work before the command', async () => {
  const { folder } = await run('--version');
  writeFileSync(join(folder, 'other.yaml'), 'version: 1\nupstreem: {}\n');
  const { stdout, code } = await run('--json', '--config', join(folder, 'other.yaml'), 'config', 'validate');
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ command: 'config validate', ok: false });
  expect(await run('--quiet', 'config', 'validate')).toMatchObject({ code: 0, stdout: '' });
  expect(await run('config', '--quiet', 'validate')).toMatchObject({ code: 0, stdout: '' });
});
