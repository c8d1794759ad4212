import { get } from 'node:http';
import { describe, expect, it } from 'vitest';
import { SCHEDULED_JOBS } from '../../jobs/all_jobs.ts';
import { until, workplacesOverOneRedis } from '../support/worker.ts';

const PASSWORD = 'correct horse';
const workplace = workplacesOverOneRedis();

describe("the worker's HTTP port", () => {
  it("the worker's HTTP port reports health, readiness and the leader", async () => {
    const { url } = await startOn();
    expect(await json(`${url}/health`)).toEqual({
      status: 200,
      body: { ok: true, stuck: [], redis_error: null },
    });
    const ready = await json(`${url}/ready`);
    expect(ready.status).toBe(200);
    expect(ready.body).toMatchObject({
      redis: true,
      registries: [{ name: 'isle-of-man.main', role: 'leading' }],
    });
  });

  it("the worker's HTTP port serves the metrics", async () => {
    const { place, url } = await startOn();
    await until('the registry is mirrored', () => place.isMirrored());
    const allLoaded =
      /^registry_mirror_api_requests_total\{registry="isle-of-man.main",endpoint="entity",outcome="ok"\} 60$/m;
    await until('the metrics count all loaded records', async () =>
      allLoaded.test(await text(`${url}/metrics`)),
    );
    const metrics = await text(`${url}/metrics`);
    expect(metrics).toMatch(/^registry_mirror_coverage_ratio\{registry="isle-of-man.main"\} 1$/m);
    expect(metrics).toMatch(/^registry_mirror_allowance_remaining\{registry="isle-of-man.main"\} \+Inf$/m);
    expect(metrics).toMatch(
      /^registry_mirror_sync_last_success_timestamp_seconds\{registry="isle-of-man.main"\} 1\d{9}/m,
    );
    for (const bound of ['earliest', 'latest'])
      expect(metrics).toMatch(
        new RegExp(`registry_mirror_completion_timestamp_seconds\\{.*bound="${bound}"\\} 1\\d{9}`),
      );
    for (const { name } of SCHEDULED_JOBS)
      for (const what of ['last_run', 'next_run', 'heartbeat'])
        expect(metrics).toContain(
          `registry_mirror_schedule_${what}_timestamp_seconds{registry="isle-of-man.main",schedule="${name}"}`,
        );
    expect(metrics).toContain('registry_mirror_redis_up 1');
  });

  it('the dashboard shows all queues in this Redis', async () => {
    const { place, url } = await startOn();
    await startOn({}, { prefix: place.prefix, name: 'Sark' });
    expect(await text(`${url}/queues`)).toContain('<title>');
    await until('both queues are shown', async () => (await queuesShown(url)).length === 2);
    expect((await queuesShown(url)).map(({ name }) => name).sort()).toEqual([
      'isle-of-man.main',
      'sark.main',
    ]);
  });

  it("the worker's HTTP port serves the dashboard's files and no others", async () => {
    const { url } = await startOn();
    const page = await text(`${url}/queues/`);
    expect(page).toContain('<base href="/queues/" />');
    expect(page).not.toContain('<%');
    const files = [...page.matchAll(/(?:src|href)="(static\/[^"]+)"/g)].map(([, file]) => file as string);
    const types = files.map(async (file) =>
      (await fetch(`${url}/queues/${file}`)).headers.get('content-type'),
    );
    expect(new Set(await Promise.all(types))).toEqual(
      new Set(['image/png', 'image/svg+xml', 'text/css; charset=utf-8', 'text/javascript; charset=utf-8']),
    );
    for (const path of ['static/%2e%2e/index.ejs', 'static/..%2findex.ejs', 'index.ejs', 'static/'])
      expect((await fetch(`${url}/queues/${path}`)).status).toBe(404);
  });

  it('the dashboard is read-only without a password', async () => {
    const { url } = await startOn();
    await until('the queue is shown', async () => (await queuesShown(url)).length === 1);
    const [queue] = await queuesShown(url);
    expect(queue?.readOnlyMode).toBe(true);
    const paused = await fetch(`${url}/queues/api/queues/isle-of-man.main/pause`, { method: 'PUT' });
    expect(paused.status).toBe(405);
  });

  it("on a loopback address, the worker's HTTP port rejects requests with a foreign host name", async () => {
    const { url } = await startOn();
    for (const path of ['/queues/api/queues', '/health', '/ready', '/metrics']) {
      expect(await asHost(new URL(path, url), 'evil.example')).toMatchObject({ status: 403 });
      expect(await asHost(new URL(path, url), 'localhost')).toMatchObject({ status: 200 });
    }
  });

  it('no other page can show the dashboard in a frame', async () => {
    const { url } = await startOn();
    for (const path of ['/queues/', '/health'])
      expect((await fetch(url + path)).headers.get('content-security-policy')).toContain(
        "frame-ancestors 'none'",
      );
  });

  it('on other addresses, the worker offers no dashboard without a password', async () => {
    const { url } = await startOn({ health_host: '0.0.0.0' });
    const closed = await fetch(`${local(url)}/queues`);
    expect(closed.status).toBe(403);
    expect(await closed.text()).toContain('worker.board_password');
    expect((await fetch(`${local(url)}/health`)).status).toBe(200);
  });

  it('the dashboard requires the password if one is set', async () => {
    const { url } = await startOn({ health_host: '0.0.0.0', board_password: PASSWORD });
    const board = `${local(url)}/queues/api/queues`;
    expect((await fetch(board)).status).toBe(401);
    expect((await fetch(board, { headers: basic('wrong pass') })).status).toBe(401);
    // Wrong passwords wait for each other, so that at most two are checked in a second.
    const startedMs = performance.now();
    await Promise.all([1, 2, 3].map((n) => fetch(board, { headers: basic(`wrong ${n}`) })));
    expect(performance.now() - startedMs).toBeGreaterThan(1400);
    expect((await fetch(board, { headers: basic(PASSWORD) })).status).toBe(200);
    const paused = `${board}/isle-of-man.main/pause`;
    expect((await fetch(paused, { method: 'PUT', headers: basic(PASSWORD) })).status).toBe(200);
    expect((await fetch(`${local(url)}/metrics`)).status).toBe(200);
  });

  it("the worker's error names the remedy if another process uses its HTTP port", async () => {
    const { url } = await startOn();
    const other = await workplace({
      name: 'Sark',
      overrides: { worker: { health_port: Number(new URL(url).port) } },
    });
    await expect(other.startWorker()).rejects.toMatchObject({
      exitCode: 2,
      hint: expect.stringContaining('health_port'),
    });
  });
});

async function startOn(worker: object = {}, more: { prefix?: string; name?: string } = {}) {
  const place = await workplace({ overrides: { worker }, ...more });
  const { url } = await place.startWorker();
  if (url === null) throw new Error('no port');
  return { place, url };
}

async function json(url: string) {
  const response = await fetch(url);
  return { status: response.status, body: (await response.json()) as unknown };
}

async function text(url: string): Promise<string> {
  return await (await fetch(url)).text();
}

async function queuesShown(url: string): Promise<{ name: string; readOnlyMode: boolean }[]> {
  const { queues } = (await (await fetch(`${url}/queues/api/queues`)).json()) as never;
  return queues;
}

function basic(password: string) {
  return { authorization: `Basic ${Buffer.from(`operator:${password}`).toString('base64')}` };
}

function local(url: string): string {
  return url.replace('0.0.0.0', '127.0.0.1');
}

/** Sends a request with another Host header, as after DNS rebinding. `fetch` cannot set this header. */
function asHost(url: URL, host: string): Promise<{ status: number | undefined }> {
  return new Promise((resolve, reject) => {
    get({ host: url.hostname, port: url.port, path: url.pathname, headers: { host } }, (response) => {
      response.resume();
      resolve({ status: response.statusCode });
    }).on('error', reject);
  });
}
