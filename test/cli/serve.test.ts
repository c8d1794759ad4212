import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { accountsBeside, openAccountFile } from '../../src/warehouse/accounts.ts';
import { runCommand, startCommand } from '../support/command.ts';

// An address on this machine that is treated as remote, because it does not match the loopback pattern.
const ELSEWHERE = '::ffff:127.0.0.1';

let folder: string;
const running: ChildProcess[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'serve-command-'));
});
afterAll(async () => {
  for (const child of running) {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  }
  rmSync(folder, { recursive: true, force: true });
});

function configured(name: string, licence: string | null): string {
  const path = join(folder, `${name}.yaml`);
  const configuration = {
    version: 1,
    source: { name: 'Registry of Nowhere', licence },
    upstream: { base_url: 'http://127.0.0.1:9/api', api_key: 'none' },
    allowance: { total: 100 },
    warehouse: join(folder, `${name}.db`),
    ledger: join(folder, `${name}-ledger.db`),
  };
  writeFileSync(path, stringify(configuration));
  return path;
}

interface Announcement {
  readonly url: string;
  readonly page: string | null;
  readonly warnings: readonly string[];
}

async function started(name: string, ...flags: readonly string[]): Promise<Announcement> {
  const path = configured(name, flags.includes('--licensed') ? 'CC0-1.0' : null);
  const own = flags.filter((flag) => flag !== '--licensed');
  const { process: child } = startCommand(['serve', '--port', '0', '--json', '--config', path, ...own]);
  running.push(child);
  const [line] = await once(child.stdout as Readable, 'data');
  return JSON.parse(String(line)).data;
}

const status = async (url: string) => (await fetch(url)).status;

describe('keys', () => {
  test('API keys are printed only when created, and can be listed, suspended and revoked', async () => {
    const config = ['--config', configured('keys', null), '--json'];
    const { json } = await runCommand(['keys', 'create', 'reports', '--per-minute', '60', ...config]);
    const { key } = json.data;
    expect(key).toMatch(/^rm_[0-9a-f]{10}_[\w-]{32}$/);
    const listed = await runCommand(['keys', 'list', ...config]);
    expect(listed.stdout).toContain(key.slice(0, 13));
    expect(listed.stdout).not.toContain(key.slice(14));
    for (const [name, suspended] of [
      ['suspend', true],
      ['resume', false],
    ] as const) {
      await runCommand(['keys', name, 'reports', ...config]);
      expect((await runCommand(['keys', 'list', ...config])).json.data).toMatchObject([{ suspended }]);
    }
    expect((await runCommand(['keys', 'revoke', key.slice(0, 13), ...config])).code).toBe(0);
    expect((await runCommand(['keys', 'revoke', 'rm_0000000000', ...config])).code).not.toBe(0);
    const [{ keys }] = (await runCommand(['keys', 'list', ...config])).json.data;
    expect(keys).toMatchObject([{ revoked_at: expect.any(String) }]);
  });

  test.each([
    ['today', 0, 3],
    ['yesterday', 1, 0],
  ])('the list counts requests of %s correctly', async (day, daysAgo, usedToday) => {
    const path = configured(day, null);
    await runCommand(['keys', 'create', 'reports', '--config', path]);
    using file = openAccountFile(accountsBeside(join(folder, `${day}-ledger.db`)));
    const usedDay = Math.floor(Date.now() / 86_400_000) - daysAgo;
    const last = { usedSecond: usedDay * 86_400, usedInMinute: 1 };
    file.saveUse({ accountId: 'reports', usedTotal: 11, usedToday: 3, usedDay, ...last });
    const { json } = await runCommand(['keys', 'list', '--json', '--config', path]);
    expect(json.data).toMatchObject([{ account: 'reports', used_today: usedToday, used_total: 11 }]);
    const { stdout } = await runCommand(['keys', 'list', '--config', path]);
    expect(stdout).toMatch(new RegExp(` valid +${usedToday} +11 `));
  });
});

describe('serve', () => {
  test('serve warns once that republishing may require permission if the licence is unknown', async () => {
    const unknown = await started('unknown');
    expect(unknown.warnings.filter((warning) => warning.includes('may require permission'))).toHaveLength(1);
    const known = await started('known', '--licensed');
    expect(known.warnings.join()).not.toContain('permission');
  });

  const [LOCAL, REMOTE] = ['127.0.0.1', ELSEWHERE];
  const PAGE = { '/': 200, '/metrics': 200, view: true };
  const NO_PAGE = { '/': 404, '/metrics': 404, view: false };
  test.each([
    [LOCAL, [], { ...PAGE, foreign: 421, isKeyed: false, warnings: [] }],
    [LOCAL, ['--no-page'], { ...NO_PAGE, foreign: 404, isKeyed: true, warnings: [] }],
    [REMOTE, [], { ...NO_PAGE, foreign: 404, isKeyed: true, warnings: ['TLS'] }],
    [REMOTE, ['--page'], { ...PAGE, foreign: 200, isKeyed: true, warnings: ['TLS', 'page needs no key'] }],
  ])('serve on %s with %j shows its page and metrics only to whom it may', async (host, flags, expected) => {
    const at = `${host === LOCAL ? 'local' : 'beyond'}${flags.join('')}`;
    const { url, page, warnings } = await started(at, '--licensed', '--host', host, ...flags);
    const manifest = (await (await fetch(`${url}/reconcile`)).json()) as object;
    expect({
      '/': await status(`${url}/`),
      '/metrics': await status(`${url}/metrics`),
      view: 'view' in manifest,
      isKeyed: 'authentication' in manifest,
      warnings: ['permission', 'TLS', 'page needs no key'].filter((one) => warnings.join().includes(one)),
      foreign: await statusFor(`${url}/metrics`, 'registry.example'),
    }).toEqual(expected);
    expect(await statusFor(`${url}/`, 'registry.example')).toBe(expected.foreign);
    expect(page).toBe(expected.view ? `${url}/` : null);
    expect(warnings.join()).toContain('No keys exist, so every API request is rejected');
    expect(await status(`${url}/health`)).toBe(200);
  });
});

/** Returns the response status for a request with another Host header, as after DNS rebinding. */
function statusFor(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject).end();
  });
}

test('serve names an empty warehouse and the remedy', async () => {
  const path = configured('empty', null);
  writeFileSync(join(folder, 'empty.db'), '');
  const { code, said } = await runCommand(['serve', '--port', '0', '--config', path]);
  expect(code).toBe(1);
  expect(said).toContain(
    `the warehouse ${join(folder, 'empty.db')} is empty (0 bytes)\n  → Restore a backup`,
  );
});
