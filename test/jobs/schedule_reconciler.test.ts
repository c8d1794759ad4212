import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { keysOf, type MirrorQueue, openQueue } from '../../jobs/queue.ts';
import { type ReconcileInput, ScheduleReconciler } from '../../jobs/schedule_reconciler.ts';
import { SCHEDULED_JOBS } from '../../jobs/scheduled_jobs.ts';
import { ALL_JOBS } from '../../jobs/worker.ts';
import type { Config, ConfigInput } from '../../src/config/config.ts';
import { configFrom } from '../../src/config/load_config.ts';
import { startRedis, type TestRedis } from '../support/redis_server.ts';
import { snapshotOf } from '../support/registry_snapshots.ts';

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
  it('the job schedulers of an earlier build are removed with their next jobs', async () => {
    await queue.upsertJobScheduler('poll-stats', { pattern: '7 3 * * *' }, { name: 'poll-stats' });
    expect(await queue.getDelayedCount()).toBe(1);
    await reconcile();
    expect(await queue.getJobSchedulersCount()).toBe(0);
    expect(await queue.getDelayedCount()).toBe(0);
  });

  it.each([
    ['a time zone', { timezone: 'Asia/Tokyo', stats: '0 9 * * *' }],
    ['a time', { timezone: 'Europe/Oslo', stats: '0 2 * * *' }],
  ])('a job is queued at %s of the configuration', async (_, schedule) => {
    await reopen({ schedule });
    const startedAt = '2026-06-01T23:30:00.000Z';
    const run = { runId: 1, startedAt, endedAt: startedAt, ended: 'done', calls: 0 };
    const names = SCHEDULED_JOBS.map(({ name }) => name);
    const lastRuns = Object.fromEntries(names.map((name) => [name, run]));
    const at = (time: string) => snapshotOf({ lastRuns }, Date.parse(time));
    await reconcile({ snapshot: at('2026-06-01T23:59:59.000Z') });
    expect(await queuedNames()).not.toContain('poll-stats');
    await reconcile({ snapshot: at('2026-06-02T00:00:00.000Z') });
    expect(await queuedNames()).toContain('poll-stats');
  });

  it('statistics are not scheduled if the API has none', async () => {
    const upstream = { base_url: 'https://registry.example/api', api_key: 'key', paths: { stats: null } };
    await reopen({ upstream });
    await reconcile({ snapshot: snapshotOf({ lastRuns: {} }) });
    expect(await queuedNames()).toEqual(['sweep-search', 'fetch-entities']);
  });

  it('each schedule has one heartbeat', async () => {
    const snapshot = snapshotOf();
    await reconcile({ snapshot });
    const at = new Date(snapshot.facts.nowMs).toISOString();
    expect(await redis.hgetall(keysOf(prefix, queue.name).heartbeat)).toEqual({
      'poll-stats': at,
      'sweep-search': at,
      'fetch-entities': at,
    });
  });
});

describe('a due job that is not queued', () => {
  const never = () => snapshotOf({ lastRuns: {} });

  it('a due job is queued once, with the priority of the focus', async () => {
    await reconcile({ snapshot: never() });
    await reconcile({ snapshot: never() });
    expect(await queuedNames()).toEqual(['poll-stats', 'sweep-search', 'fetch-entities']);
    await flushQueue();
    await reopen({ focus: 'records' });
    await reconcile({ snapshot: never() });
    expect(await queuedNames()).toEqual(['poll-stats', 'fetch-entities', 'sweep-search']);
  });

  it('two workers that lead at the same time queue a due job only once', async () => {
    const other = new ScheduleReconciler({
      jobs: ALL_JOBS,
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
    expect(await queuedNames()).toEqual(['poll-stats', 'fetch-entities']);
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
    jobs: ALL_JOBS,
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
  return { snapshot: snapshotOf(), running: null, ending: null, failures: new Map(), ...given };
}

async function reconcile(given: Partial<ReconcileInput> = {}): Promise<void> {
  await reconciler.reconcile(now(given));
}

/** Does what FLUSHALL does, but for this queue only. */
async function flushQueue(): Promise<void> {
  const keys = await redis.keys(`${prefix}:*`);
  if (keys.length > 0) await redis.del(...keys);
}

/** Returns the queued jobs' names, most urgent first. */
async function queuedNames(): Promise<string[]> {
  return (await queue.getPrioritized()).map(({ name }) => name);
}
