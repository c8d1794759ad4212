import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JobName } from '../../jobs/job.ts';
import { type MirrorQueue, openQueue } from '../../jobs/queue.ts';
import { keysOf } from '../../jobs/queue_name.ts';
import {
  openScheduleReconciler,
  type ReconcileInput,
  type ScheduleReconciler,
} from '../../jobs/schedule_reconciler.ts';
import { type Config, type ConfigInput, configFrom } from '../../src/config/config.ts';
import { startRedis, type TestRedis } from '../support/redis_server.ts';
import { readingOf } from '../support/registry_snapshots.ts';

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
  await forgetAll();
});

describe('the schedules', () => {
  it('stand in Redis as the configuration says', async () => {
    await keep();
    expect(await schedules()).toEqual({
      'poll-stats': { pattern: '7 3 * * *', tz: 'Europe/Oslo' },
      'sweep-search': { pattern: '17 3 * * *', tz: 'Europe/Oslo' },
      'fetch-entities': { pattern: '*/10 * * * *', tz: 'Europe/Oslo' },
    });
    expect(await queue.getDelayedCount()).toBe(3);
  });

  it('are left alone when they are in order', async () => {
    await keep();
    const before = (await queue.getDelayed()).map(({ id }) => id);
    await keep();
    expect((await queue.getDelayed()).map(({ id }) => id)).toEqual(before);
  });

  it('are set anew when the configuration changed', async () => {
    await keep();
    await reopen({ schedule: { timezone: 'Asia/Tokyo', stats: '1 2 * * *' } });
    await keep();
    expect(await schedules()).toMatchObject({ 'poll-stats': { pattern: '1 2 * * *', tz: 'Asia/Tokyo' } });
    expect(await queue.getDelayedCount()).toBe(3);
  });

  it('come back when Redis lost them', async () => {
    await keep();
    await forgetAll();
    await keep();
    expect(Object.keys(await schedules())).toHaveLength(3);
  });

  it('come back when only the next job was lost', async () => {
    await keep();
    const [lost] = await queue.getDelayed();
    const id = String(lost?.id);
    await redis.del(queue.toKey(id));
    await redis.zrem(queue.toKey('delayed'), id);
    expect(await queue.getDelayedCount()).toBe(2);
    await keep();
    expect(await queue.getDelayedCount()).toBe(3);
  });

  it('are replaced when another version of the job format left them', async () => {
    await keep();
    await queue.upsertJobScheduler(
      'poll-stats',
      { pattern: '7 3 * * *', tz: 'Europe/Oslo' },
      // biome-ignore lint/suspicious/noExplicitAny: what this version would not write
      { name: 'poll-stats', data: { version: 99, because: '' } as any, opts: { priority: 1 } },
    );
    await keep();
    const scheduler = await queue.getJobScheduler('poll-stats');
    expect(scheduler?.template?.data?.version).toBe(1);
  });

  it('of another name are removed', async () => {
    await queue.upsertJobScheduler(
      'poll-weather' as JobName,
      { pattern: '* * * * *' },
      { name: 'poll-stats' },
    );
    await keep();
    expect(Object.keys(await schedules()).sort()).toEqual(['fetch-entities', 'poll-stats', 'sweep-search']);
  });

  it('do not wake while the allowance is spent', async () => {
    const resumesAtMs = Date.now() + 30 * HOUR;
    await keep({ reading: readingOf({ closedUntilMs: resumesAtMs }) });
    for (const scheduler of await queue.getJobSchedulers())
      expect(scheduler.next).toBeGreaterThanOrEqual(resumesAtMs);
    await keep();
    const next = (await queue.getJobScheduler('fetch-entities'))?.next;
    expect(next).toBeLessThan(Date.now() + HOUR);
  });

  it('are taken away when the allowance is spent for good, and come back with another one', async () => {
    await keep();
    await keep({ reading: readingOf({ closedUntilMs: Number.POSITIVE_INFINITY }) });
    expect(await schedules()).toEqual({});
    expect(await queue.getDelayedCount()).toBe(0);
    await keep();
    expect(Object.keys(await schedules())).toHaveLength(3);
  });

  it('have a heartbeat each', async () => {
    const reading = readingOf();
    await keep({ reading });
    const at = new Date(reading.facts.nowMs).toISOString();
    expect(await redis.hgetall(keysOf(prefix, queue.name).heartbeat)).toEqual({
      'poll-stats': at,
      'sweep-search': at,
      'fetch-entities': at,
    });
  });
});

describe('what is due and not queued', () => {
  const never = () =>
    readingOf({ lastRuns: { 'poll-stats': null, 'sweep-search': null, 'fetch-entities': null } });

  it('is queued once, in the order of the focus', async () => {
    await keep({ reading: never() });
    await keep({ reading: never() });
    expect((await queue.getPrioritized()).map(({ name }) => name)).toEqual([
      'poll-stats',
      'sweep-search',
      'fetch-entities',
    ]);
    await forgetAll();
    await reopen({ focus: 'records' });
    await keep({ reading: never() });
    expect((await queue.getPrioritized()).map(({ name }) => name)).toEqual([
      'poll-stats',
      'fetch-entities',
      'sweep-search',
    ]);
  });

  it('is queued once when two workers believe for a moment to lead', async () => {
    const other = openScheduleReconciler({ config, queue, redis, log: pino({ enabled: false }) });
    await Promise.all([keep({ reading: never() }), other.reconcile(now({ reading: never() }))]);
    expect(await queue.getPrioritizedCount()).toBe(3);
  });

  it('is not queued while this process works on it, whatever Redis has forgotten', async () => {
    await keep({ reading: never(), working: 'sweep-search' });
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
  reconciler = openScheduleReconciler({ config, queue, redis, log: pino({ enabled: false }) });
}

/** The same registry after a change of its configuration. */
async function reopen(overrides: Partial<ConfigInput>): Promise<void> {
  await queue.close();
  open(overrides);
}

function now(given: Partial<ReconcileInput>): ReconcileInput {
  return { reading: readingOf(), working: null, failedAtMs: new Map(), ...given };
}

async function keep(given: Partial<ReconcileInput> = {}): Promise<void> {
  await reconciler.reconcile(now(given));
}

/** As FLUSHALL does, to this queue alone. */
async function forgetAll(): Promise<void> {
  const keys = await redis.keys(`${prefix}:*`);
  if (keys.length > 0) await redis.del(...keys);
}

async function schedules() {
  const found = await queue.getJobSchedulers();
  return Object.fromEntries(found.map(({ key, pattern, tz }) => [key, { pattern, tz }]));
}
