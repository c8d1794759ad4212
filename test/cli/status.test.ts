import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { companies, type Mirrored, openMirrored } from '../support/served_mirror.ts';

const DAY_MS = 86_400_000;
const BIN = resolve(import.meta.dirname, '../../src/cli/bin.js');

let mirror: Mirrored;
let config: string;

beforeAll(async () => {
  let isRefused = false;
  mirror = await openMirrored({
    companies: companies(20),
    faults: () => (isRefused ? { kind: 'status', status: 401 } : null),
  });
  await mirror.sync();
  isRefused = true;
  await mirror.sync(100 * DAY_MS);
  config = join(mirror.folder, 'status.yaml');
  const { source, warehouse, ledger } = mirror.config;
  writeFileSync(
    config,
    stringify({
      version: 1,
      ...{ source: { name: source.name }, warehouse, ledger, account: { tier: 'paid' } },
      upstream: { base_url: mirror.sandbox.baseUrl, api_key: 'none' },
      allowance: { per_minute: 600, per_day: 1_000 },
    }),
  );
});
afterAll(() => mirror.close());

function status(...args: string[]) {
  const run = spawnSync(process.execPath, [BIN, 'status', '--config', config, ...args], { encoding: 'utf8' });
  return { exitCode: run.status, stdout: run.stdout, stderr: run.stderr };
}

test('status reports a rejected key with a remedy', () => {
  const { data } = JSON.parse(status('--json').stdout);
  expect(data.health).toMatchObject({ state: 'needs_you', problems: [{ name: 'key_refused' }] });
  expect(status('--quiet').stdout).toMatch(
    /^The upstream refused the key on .* UTC\. Correct `upstream\.api_key`/,
  );
});

test('status --run shows how one run ended, its calls and its failed calls', () => {
  const { data } = JSON.parse(status('--run', '2', '--json').stdout);
  expect(data).toMatchObject({ run_id: 2, command: 'sync', ended: 'unauthorised' });
  expect(data.calls_by_outcome).toContainEqual({ kind: 'stats', outcome: 'unauthorised', calls: 1 });
  expect(data.failed_calls).toContainEqual(
    expect.objectContaining({ kind: 'stats', outcome: 'unauthorised', status: 401 }),
  );
  expect(JSON.parse(status('--run', '1', '--json').stdout).data).toMatchObject({ failed_calls: [] });
});

test('status and doctor report a disabled receiver of notifications', () => {
  const { db } = mirror.house.warehouse;
  db.exec(
    `INSERT INTO _receiver (name, version, disabled_at, why) VALUES ('ops', 0, '2026-03-01', 'no response')`,
  );
  const text = readFileSync(config, 'utf8');
  writeFileSync(
    config,
    `${text}notify: [{ name: ops, command: [/bin/true] }, { name: new, command: [/bin/true] }]\n`,
  );
  const cause = 'The receiver ops is disabled and gets no notifications';
  const { data } = JSON.parse(status('--json').stdout);
  expect(data.health.problems).toContainEqual(expect.objectContaining({ cause: `${cause}.` }));
  const doctor = spawnSync(process.execPath, [BIN, 'doctor', '--config', config, '--json'], {
    encoding: 'utf8',
  });
  expect(JSON.parse(doctor.stdout).data.findings).toContainEqual(expect.objectContaining({ what: cause }));
});

test('status --run exits with 2 and a hint if the run is unknown', () => {
  const { exitCode, stderr } = status('--run', '99');
  expect(exitCode).toBe(2);
  expect(stderr).toContain('the warehouse has no run 99');
  expect(stderr).toContain('registry-mirror status --runs 20');
});
