import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type MirrorQueue, openQueue, redisKeysOf } from '../../jobs/queue.ts';
import { type ReconcileInput, ScheduleReconciler } from '../../jobs/schedule_reconciler.ts';
import type { Config, ConfigInput } from '../../src/config/config.ts';
import { configFrom } from '../../src/config/load_config.ts';
import { startRedis, type TestRedis } from '../support/redis_server.ts';
import { snapshotOf } from '../support/registry_snapshots.ts';

const HOUR = 3_600_000;
let server: TestRedis;
let redis: Redis;
let config: Config;
let queue: MirrorQueue;
let reconciler: ScheduleReconciler;
let prefix: string;

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  await server.close();
});
beforeEach(() => {
  prefix = `registry-mirror-test-${randomUUID()}`;
  open({});
});
afterEach(async () => {
  await queue.close();
  await flushQueue();
});

describe('the schedules', () => {
  it('schedules are written to Redis as configured', async () => {
    await reconcile();
    expect(await schedules()).toEqual({
      'poll-stats': { pattern: '7 3 * * *', tz: 'Europe/Oslo' },
      'sweep-search': { pattern: '17 3 * * *', tz: 'Europe/Oslo' },
      'fetch-entities': { pattern: '*/10 * * * *', tz: 'Europe/Oslo' },
    });
    expect(await queue.getDelayedCount()).toBe(3);
  });

  it('correct schedules are not written again', async () => {
    await reconcile();
    const before = (await queue.getDelayed()).map(({ id }) => id);
    await reconcile();
    expect((await queue.getDelayed()).map(({ id }) => id)).toEqual(before);
  });

  it.each([
    ['time zone', { timezone: 'Asia/Tokyo' }, { pattern: '7 3 * * *', tz: 'Asia/Tokyo' }],
    ['time', { stats: '1 2 * * *' }, { pattern: '1 2 * * *', tz: 'Europe/Oslo' }],
  ])('a schedule is updated if only its %s changes in the configuration', async (_, changed, expected) => {
    await reconcile();
    await reopen({ schedule: { timezone: 'Europe/Oslo', ...changed } });
    await reconcile();
    expect(await schedules()).toMatchObject({ 'poll-stats': expected });
    expect(await queue.getDelayedCount()).toBe(3);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['Redis loses them', flushQueue],
    ['Redis loses only the next job', loseNextJob],
    ['their data has another version', () => rewrite({ data: { version: 99, because: '' } })],
    ['their priority differs', () => rewrite({ opts: { priority: 9 } })],
    ['their number of attempts differs', () => rewrite({ opts: { attempts: 99 } })],
  ])('schedules are restored if %s', async (_, spoil) => {
    await reconcile();
    const template = async () => (await queue.getJobScheduler('poll-stats'))?.template;
    const before = await template();
    await spoil();
    await reconcile();
    expect(await template()).toEqual(before);
    expect(await queue.getDelayedCount()).toBe(3);
  });

  it('schedules of unknown jobs are removed', async () => {
    await queue.upsertJobScheduler('poll-weather', { pattern: '* * * * *' }, { name: 'poll-stats' });
    await reconcile();
    expect(Object.keys(await schedules()).sort()).toEqual(['fetch-entities', 'poll-stats', 'sweep-search']);
  });

  it('statistics are not scheduled if the API has none', async () => {
    await reconcile();
    const upstream = { base_url: 'https://registry.example/api', api_key: 'key', paths: { stats: null } };
    await reopen({ upstream });
    await reconcile({ snapshot: snapshotOf({ hasRun: false }, config) });
    expect(Object.keys(await schedules()).sort()).toEqual(['fetch-entities', 'sweep-search']);
    expect((await queue.getPrioritized()).map(({ name }) => name)).not.toContain('poll-stats');
  });

  it('schedules create no jobs while the allowance is exhausted', async () => {
    const resumesAtMs = Date.now() + 30 * HOUR;
    await reconcile({ snapshot: snapshotOf({ closedUntilMs: resumesAtMs }, config) });
    for (const scheduler of await queue.getJobSchedulers())
      expect(scheduler.next).toBeGreaterThanOrEqual(resumesAtMs);
    await reconcile();
    const next = (await queue.getJobScheduler('fetch-entities'))?.next;
    expect(next).toBeLessThan(Date.now() + HOUR);
  });

  it('Redis stores when the queue was last reconciled', async () => {
    const snapshot = snapshotOf({}, config);
    await reconcile({ snapshot });
    const at = new Date(snapshot.facts.nowMs).toISOString();
    expect(await redis.hgetall(redisKeysOf(prefix, queue.name).queues)).toEqual({ [queue.name]: at });
  });
});

describe('a due job that is not queued', () => {
  const never = () => snapshotOf({ hasRun: false }, config);

  it('a due job is queued once, with the priority of the focus', async () => {
    await reconcile({ snapshot: never() });
    await reconcile({ snapshot: never() });
    expect((await queue.getPrioritized()).map(({ name }) => name)).toEqual([
      'poll-stats',
      'sweep-search',
      'fetch-entities',
    ]);
    await flushQueue();
    await reopen({ focus: 'records' });
    await reconcile({ snapshot: never() });
    expect((await queue.getPrioritized()).map(({ name }) => name)).toEqual([
      'poll-stats',
      'fetch-entities',
      'sweep-search',
    ]);
  });

  it('two workers that lead at the same time queue a due job only once', async () => {
    const other = new ScheduleReconciler({
      config,
      queue,
      redis,
      log: pino({ enabled: false }),
    });
    await Promise.all([reconcile({ snapshot: never() }), other.reconcile(now({ snapshot: never() }))]);
    expect(await queue.getPrioritizedCount()).toBe(3);
  });

  it('a job that this process runs is not queued again, even if Redis has lost it', async () => {
    await reconcile({ snapshot: never(), running: 'sweep-search' });
    expect((await queue.getPrioritized()).map(({ name }) => name)).toEqual(['poll-stats', 'fetch-entities']);
  });
});

function open(overrides: Partial<ConfigInput>): void {
  config = configFrom({
    version: 1,
    source: { name: 'Isle of Man' },
    upstream: { base_url: 'https://registry.example/api', api_key: 'key' },
    allowance: { unlimited: true },
    schedule: { timezone: 'Europe/Oslo' },
    worker: { redis_url: server.url, prefix },
    ...overrides,
  });
  queue = openQueue(config, redis, () => {});
  reconciler = new ScheduleReconciler({
    config,
    queue,
    redis,
    log: pino({ enabled: false }),
  });
}

/** Opens the same registry with another configuration. */
async function reopen(overrides: Partial<ConfigInput>): Promise<void> {
  await queue.close();
  open(overrides);
}

function now(given: Partial<ReconcileInput>): ReconcileInput {
  return { snapshot: snapshotOf({}, config), running: null, ending: null, failures: new Map(), ...given };
}

async function reconcile(given: Partial<ReconcileInput> = {}): Promise<void> {
  await reconciler.reconcile(now(given));
}

/** Does what FLUSHALL does, but for this queue only. */
async function flushQueue(): Promise<void> {
  const keys = await redis.keys(`${prefix}:*`);
  if (keys.length > 0) await redis.del(...keys);
}

async function loseNextJob(): Promise<void> {
  const [lost] = await queue.getDelayed();
  const id = String(lost?.id);
  await redis.del(queue.toKey(id));
  await redis.zrem(queue.toKey('delayed'), id);
  expect(await queue.getDelayedCount()).toBe(2);
}

/** Changes a part of a schedule's template. */
async function rewrite({ data, opts }: { data?: object; opts?: object }): Promise<void> {
  const { pattern = '', tz = '', template } = (await queue.getJobScheduler('poll-stats')) ?? {};
  await queue.upsertJobScheduler(
    'poll-stats',
    { pattern, tz },
    // biome-ignore lint/suspicious/noExplicitAny: values that this version never writes
    { name: 'poll-stats', data: { ...template?.data, ...data } as any, opts: { ...template?.opts, ...opts } },
  );
}

async function schedules() {
  const found = await queue.getJobSchedulers();
  return Object.fromEntries(found.map(({ key, pattern, tz }) => [key, { pattern, tz }]));
}
