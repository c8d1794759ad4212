import { get } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SCHEDULED_JOBS } from '../../jobs/scheduled_jobs.ts';
import { startRedis, type TestRedis } from '../support/redis_server.ts';
import { openWorkplace, type TestWorker, until, type Workplace } from '../support/worker.ts';

// All tests use one worker, which has mirrored its registry.
let redis: TestRedis;
let place: Workplace;
let worker: TestWorker;
let url: string;

beforeAll(async () => {
  redis = await startRedis();
  const account = { tier: 'paid', license_ends: '2199-12-31' } as const;
  const allowance = { per_minute: 6_000, total: 5_000 };
  place = await openWorkplace({ redisUrl: redis.url, overrides: { account, allowance } });
  worker = await place.startWorker();
  url = String(worker.url);
  await until('all jobs are completed', async () => (await place.queue.getCompletedCount()) === 3);
});
afterAll(async () => {
  await place.close();
  await redis.close();
});

const text = async (path: string) => await (await fetch(url + path)).text();
const json = async (path: string) => JSON.parse(await text(path));

it('a worker mirrors a whole registry with one job at a time, and summarises each for the dashboard', async () => {
  expect(place.isMirrored()).toBe(true);
  expect(place.runs().map(({ command, ended }) => `${command} ${ended}`)).toEqual([
    'poll-stats done',
    'sweep-search done',
    'fetch-entities done',
  ]);
  const [records, sweep] = await place.queue.getCompleted();
  expect(sweep?.returnvalue).toMatchObject({ ended: 'done', new: 60 });
  expect(records?.returnvalue.summary).toMatch(/^60 calls: 60 records; done; [\d,]+ calls left$/);
  expect(records?.progress).toMatchObject({ run: 3 });
});

it("the worker's HTTP port reports health, readiness and the leader", async () => {
  expect(await json('/health')).toEqual({ ok: true, stuck: [], redis_error: null });
  expect(await json('/ready')).toMatchObject({
    ok: true,
    redis: true,
    registries: [{ name: 'isle-of-man.main', role: 'leading' }],
  });
});

it('every metric of the worker has a sample, and the samples show the mirror', async () => {
  const loaded =
    'registry_mirror_api_requests_total{registry="isle-of-man.main",endpoint="entity",outcome="ok"} 60';
  await until('the metrics count all loaded records', async () => (await text('/metrics')).includes(loaded));
  const metrics = await text('/metrics');
  const valuesOf = (name: string) =>
    [...metrics.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))].map(([, value]) =>
      Number(value),
    );
  const types = [...metrics.matchAll(/^# TYPE (registry_mirror_\w+) (\w+)$/gm)];
  expect(types.length).toBeGreaterThan(20);
  const empty = types.filter(([, name = '', type]) => {
    const values = valuesOf(type === 'histogram' ? `${name}_count` : name);
    return type === 'gauge' ? values.length === 0 : Math.max(0, ...values) === 0;
  });
  // These have samples only while calls wait for the quota, and while there is a problem.
  expect(empty.map(([, name]) => name)).toEqual([
    'registry_mirror_allowance_resumes_timestamp_seconds',
    'registry_mirror_problem',
  ]);
  expect(valuesOf('registry_mirror_coverage_ratio')).toEqual([1]);
  expect(valuesOf('registry_mirror_allowance_remaining')).toEqual([
    5_000 - place.upstream.sandbox.arrivals().length,
  ]);
  for (const bound of ['earliest', 'latest'])
    expect(metrics).toMatch(new RegExp(`completion_timestamp_seconds\\{.*bound="${bound}"\\} 1\\d{9}`));
  for (const { name } of SCHEDULED_JOBS)
    for (const what of ['last_run', 'next_run', 'heartbeat'])
      expect(metrics).toContain(
        `registry_mirror_schedule_${what}_timestamp_seconds{registry="isle-of-man.main",schedule="${name}"}`,
      );
  expect(metrics).toContain('registry_mirror_redis_up 1');
});

it("the worker's HTTP port serves the dashboard's files and no others", async () => {
  const page = await text('/queues/');
  expect(page).toContain('<base href="/queues/" />');
  expect(page).not.toContain('<%');
  const files = [...page.matchAll(/(?:src|href)="(static\/[^"]+)"/g)].map(([, file]) => file as string);
  const types = files.map(async (file) => (await fetch(`${url}/queues/${file}`)).headers.get('content-type'));
  expect(new Set(await Promise.all(types))).toEqual(
    new Set([
      'image/png',
      'image/svg+xml',
      'text/css; charset=utf-8',
      'application/javascript; charset=utf-8',
    ]),
  );
  for (const path of ['static/%2e%2e/index.ejs', 'static/..%2findex.ejs', 'index.ejs', 'static/'])
    expect((await fetch(`${url}/queues/${path}`)).status).toBe(404);
});

it('the dashboard is read-only without a password, and no other page can show it in a frame', async () => {
  await until('the queue is shown', async () => (await json('/queues/api/queues')).queues.length === 1);
  expect((await json('/queues/api/queues')).queues[0].readOnlyMode).toBe(true);
  const paused = await fetch(`${url}/queues/api/queues/isle-of-man.main/pause`, { method: 'PUT' });
  expect(paused.status).toBe(405);
  for (const path of ['/queues/', '/health'])
    expect((await fetch(url + path)).headers.get('content-security-policy')).toContain(
      "frame-ancestors 'none'",
    );
});

it("on a loopback address, the worker's HTTP port rejects requests with a foreign host name", async () => {
  for (const path of ['/queues/api/queues', '/health', '/ready', '/metrics']) {
    expect(await statusAs('evil.example', path)).toBe(403);
    expect(await statusAs('localhost', path)).toBe(200);
  }
});

it('status shows the worker, and the last and next times of its schedules', async () => {
  const { leader, schedules } = (await place.upstream.run('status')).json.data.worker;
  expect(leader.pid).toBe(process.pid);
  expect(schedules.map(({ name }: { name: string }) => name)).toEqual(SCHEDULED_JOBS.map(({ name }) => name));
  for (const { last_at, next_at, heartbeat_at } of schedules) {
    expect(Date.parse(last_at)).toBeLessThan(Date.now());
    expect(Date.parse(next_at)).toBeGreaterThan(Date.now());
    expect(Date.now() - Date.parse(heartbeat_at)).toBeLessThan(20_000);
  }
});

it('`worker run` adds a job, which the worker runs, and rejects an unknown job', async () => {
  const { code, json: added } = await place.upstream.cli('worker', 'run', 'poll-stats');
  expect(code).toBe(0);
  expect(added.data).toMatchObject({ queue: place.queueName, paused: false, served: true });
  await until('the job has run', () => place.runs().length === 4);
  expect(place.runs().at(-1)?.command).toBe('poll-stats');
  const unknown = await place.upstream.run('worker', 'run', 'poll-weather');
  expect(unknown.code).toBe(2);
  expect(unknown.said).toContain('Name one of: poll-stats, sweep-search, fetch-entities.');
});

it('`worker pause` and `worker resume` take effect on the HTTP port, in the metrics and in the log', async () => {
  const isPaused = async () => (await json('/ready')).registries[0].paused;
  expect((await place.upstream.run('worker', 'pause')).json.data).toMatchObject({ paused: true });
  await until('the HTTP port reports the pause', isPaused);
  expect(await text('/metrics')).toContain('registry_mirror_queue_paused{registry="isle-of-man.main"} 1');
  expect((await place.upstream.run('status')).json.data.worker.paused).toBe(true);
  expect((await place.upstream.run('worker', 'resume')).json.data).toMatchObject({ paused: false });
  await until('the HTTP port reports the end of the pause', async () => !(await isPaused()));
  const messages = worker.lines.map(({ msg }) => msg);
  expect(messages.some((msg) => msg.startsWith('the queue is paused'))).toBe(true);
  expect(messages).toContain('the queue was resumed');
});

it('`worker remove` removes a queue of this program that no worker serves', async () => {
  const remove = (queue: string) => place.upstream.run('worker', 'remove', queue);
  expect((await remove('sark.main')).said).toContain('Queues: isle-of-man.main.');
  expect((await remove(place.queueName)).said).toContain('serves the queue `isle-of-man.main`');
  await worker.stop();
  // An earlier version wrote this key.
  await place.redis.hset(`${place.prefix}:${place.queueName}:heartbeat`, 'poll-stats', '2026-01-01');
  expect((await remove(place.queueName)).json).toMatchObject({ ok: true, data: { queue: place.queueName } });
  expect(await place.redis.keys(`${place.prefix}:*`)).toEqual([]);
});

/** Sends a request with another Host header, as after DNS rebinding. `fetch` cannot set this header. */
function statusAs(host: string, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(new URL(path, url), { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);
  });
}
