import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { askWith } from '../support/api_client.ts';
import { keyFor, type Mirrored, openMirrored, serve } from '../support/served_mirror.ts';

const root = resolve(import.meta.dirname, '../..');
const CLIENTS = 50;

let mirror: Mirrored;
beforeAll(async () => {
  mirror = await openMirrored({ companies: [{ id: '1', name: 'One', fields: {} }] });
  await mirror.sync();
});
afterAll(() => mirror.close());

describe('limits for many clients', () => {
  test.each([
    ['the rate', { perMinute: 70 }, 70, 'rate_limited'],
    ['the total', { total: 90 }, 90, 'allowance_exhausted'],
    ['the day', { perDay: 80, total: 1_000 }, 80, 'allowance_exhausted'],
    ['both', { perMinute: 60, total: 90 }, 60, 'rate_limited'],
  ])('50 parallel clients never exceed %s', async (_what, limits, most, code) => {
    const served = await serve(mirror);
    const key = served.newKey(`limited-${code}-${most}`, limits);
    const asked = Array.from({ length: CLIENTS }, async () => {
      const replies = [];
      for (let i = 0; i < 4; i++) replies.push(await served.ask('/api/entity/1', { key }));
      return replies;
    });
    const replies = (await Promise.all(asked)).flat();
    await served.close();
    const refused = replies.filter(({ status }) => status === 429);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(most);
    expect(refused).toHaveLength(CLIENTS * 4 - most);
    for (const { headers, json } of refused) {
      expect(json).toMatchObject({ status: 429, code });
      // A total quota never resets, so there is no time to wait for.
      const wait = Number(headers.get('retry-after') ?? Number.NaN);
      if ('total' in limits && most === 90) expect(wait).toBeNaN();
      else expect(wait).toBeGreaterThan(0);
      expect(headers.get('ratelimit')).toContain(';r=0');
    }
  });
});

test('the RateLimit headers contain every limit and the remaining quota', async () => {
  const served = await serve(mirror);
  const key = served.newKey('told', { perMinute: 10, perDay: 50, total: 100 });
  const { headers } = await served.ask('/api/entity/1', { key });
  await served.close();
  expect(headers.get('ratelimit-policy')).toBe('"minute";q=10;w=60, "day";q=50;w=86400, "total";q=100');
  expect(headers.get('ratelimit')).toMatch(/^"minute";r=9;t=60, "day";r=49;t=\d+, "total";r=99$/);
});

test('every request that got a response is counted, even if `serve` is killed', async () => {
  const configPath = join(mirror.folder, 'registry-mirror.yaml');
  const { warehouse, ledger } = mirror.config;
  const configuration = {
    version: 1,
    upstream: { base_url: mirror.sandbox.baseUrl, api_key: 'none' },
    allowance: { unlimited: true },
    dialect: mirror.config.dialect,
    warehouse,
    ledger,
  };
  writeFileSync(configPath, stringify(configuration));
  const total = 3_000;
  const key = keyFor(join(mirror.folder, 'accounts.db'), 'killed', { total });
  let answered = 0;
  let inFlight = 0;
  for (let kill = 0; kill < 3; kill++) {
    const { child, url } = await startServe(configPath);
    const asking = Array.from({ length: 8 }, async () => {
      for (;;) {
        inFlight += 1;
        const reply = await askWith(key, `${url}/api/entity/1`).catch(() => null);
        if (reply === null) return;
        inFlight -= 1;
        answered += reply.status === 200 ? 1 : 0;
        if (answered >= 40 * (kill + 1)) child.kill('SIGKILL');
      }
    });
    await Promise.all([...asking, once(child, 'exit')]);
  }
  const served = await serve(mirror);
  const { headers } = await served.ask('/api/entity/1', { key });
  await served.close();
  const [, leftAfter = Number.NaN] = /"total";r=(\d+)/.exec(headers.get('ratelimit') ?? '') ?? [];
  const left = Number(leftAfter) + 1;
  expect(answered).toBeGreaterThanOrEqual(120);
  expect(answered + left).toBeLessThanOrEqual(total);
  // Requests in progress at the time of the kill may be counted too.
  expect(answered + left).toBeGreaterThanOrEqual(total - inFlight);
});

test('a second `serve` with the same accounts file fails to start', async () => {
  const served = await serve(mirror);
  await expect(serve(mirror)).rejects.toThrow(/already uses the accounts/);
  await served.close();
});

async function startServe(configPath: string): Promise<{ child: ChildProcess; url: string }> {
  const args = ['src/cli/bin.js', 'serve', '--port', '0', '--json', '--config', configPath];
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of child.stdout ?? []) return { child, url: JSON.parse(String(line)).data.url };
  throw new Error('serve did not start');
}
