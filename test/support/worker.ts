import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, type TestContext } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import type { JobDefinition } from '../../jobs/job.ts';
import type { MirrorQueue } from '../../jobs/queue.ts';
import { type RunningWorker, startWorker } from '../../jobs/worker.ts';
import type { Config } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load_config.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { compareWithUpstream } from './equality.ts';
import { type OwnRedis, startOwnRedis, startRedis, type TestRedis } from './redis_server.ts';
import { type Overrides, openUpstream, type Upstream } from './upstream.ts';

/** A registry, a Redis server, and a configuration that names both and is used by the workers. */
export interface Workplace {
  readonly upstream: Upstream;
  readonly redis: Redis;
  readonly prefix: string;
  readonly queueName: string;
  readonly queue: MirrorQueue;
  config(): Config;
  /** Starts a worker in this process, and waits until it leads or is on standby. */
  startWorker(jobs?: readonly JobDefinition[]): Promise<TestWorker>;
  /** Returns whether the mirror matches the upstream. */
  isMirrored(): boolean;
  /** The rows in `_run`, earliest first. */
  runs(): RunOfTest[];
  close(): Promise<void>;
}

export interface TestWorker extends RunningWorker {
  /** The log's lines. */
  readonly lines: readonly LogLine[];
  readonly fatal: readonly unknown[];
}

export interface LogLine {
  readonly msg: string;
  readonly level: number;
  readonly [key: string]: unknown;
}

export interface RunOfTest {
  readonly run_id: number;
  readonly command: string;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly ended: string | null;
  readonly calls: number;
}

export interface WorkplaceOptions {
  readonly redisUrl: string;
  readonly sandbox?: SandboxOptions;
  readonly overrides?: Overrides;
  /** Registries with the same prefix share one dashboard. The default is a random prefix. */
  readonly prefix?: string;
  readonly name?: string;
}

/** Cron patterns that match no time during a test, so that only jobs that are already due run. */
export const NEVER = { stats: '0 0 29 2 *', sweep: '0 0 29 2 *', entities: '0 0 29 2 *' };

/** Opens a workplace with its own Redis, which the test may kill. Both are closed when the test ends. */
export async function workplaceWithOwnRedis(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  options: Omit<WorkplaceOptions, 'redisUrl'> = {},
): Promise<{ place: Workplace; redis: OwnRedis }> {
  const redis = await startOwnRedis();
  onTestFinished(() => redis.close());
  const place = await openWorkplace({ redisUrl: redis.url, ...options });
  onTestFinished(() => place.close());
  return { place, redis };
}

/** Starts one Redis for all of a file's tests. The returned function opens a workplace and closes it after the test. */
export function workplacesOverOneRedis(): (
  options?: Omit<WorkplaceOptions, 'redisUrl'>,
) => Promise<Workplace> {
  let server: TestRedis;
  const open: Workplace[] = [];
  beforeAll(async () => {
    server = await startRedis();
  });
  afterEach(async () => {
    for (const place of open.splice(0)) await place.close();
  });
  afterAll(() => server.close());
  return async (options = {}) => {
    const place = await openWorkplace({ redisUrl: server.url, ...options });
    open.push(place);
    return place;
  };
}

export async function openWorkplace(options: WorkplaceOptions): Promise<Workplace> {
  const { redisUrl, sandbox, overrides, name = 'Isle of Man' } = options;
  const prefix = options.prefix ?? `registry-mirror-test-${randomUUID()}`;
  const upstream = await openUpstream(
    { companies: [...generateRegistry({ companies: 60, seed: 3 })], ...sandbox },
    {
      source: { name },
      schedule: NEVER,
      ...overrides,
      worker: { redis_url: redisUrl, prefix, health_port: 0, ...overrides?.worker },
    },
  );
  const redis = new Redis(redisUrl, { maxRetriesPerRequest: null });
  redis.on('error', () => {});
  const queueName = `${name.toLowerCase().replaceAll(' ', '-')}.main`;
  const queue: MirrorQueue = new Queue(queueName, { connection: redis, prefix });
  queue.on('error', () => {});
  const workers: TestWorker[] = [];
  const config = () => loadConfig({ path: upstream.configPath, env: {} });

  return {
    upstream,
    redis,
    prefix,
    queueName,
    queue,
    config,
    startWorker: async (jobs) => {
      const lines: LogLine[] = [];
      const fatal: unknown[] = [];
      const log = pino({ level: 'debug' }, { write: (line) => void lines.push(JSON.parse(line)) });
      const running = await startWorker({
        configs: [config()],
        log,
        onFatal: (error) => fatal.push(error),
        ...(jobs !== undefined && { jobs }),
      });
      const worker = { ...running, lines, fatal };
      workers.push(worker);
      await until('the worker leads or is on standby', () =>
        running.registries.every(({ state }) => state.role !== 'starting'),
      );
      return worker;
    },
    isMirrored: () => {
      const db = upstream.warehouse();
      try {
        const records = db.prepare('SELECT count(*) FROM entity WHERE _gone_at IS NULL').pluck().get();
        if (records !== upstream.sandbox.companies.count()) return false;
        return compareWithUpstream(db, upstream.sandbox).differences.length === 0;
      } finally {
        db.close();
      }
    },
    runs: () => {
      const db = upstream.warehouse();
      try {
        return db
          .prepare('SELECT run_id, command, started_at, ended_at, ended, calls FROM _run ORDER BY run_id')
          .all() as RunOfTest[];
      } finally {
        db.close();
      }
    },
    close: async () => {
      for (const worker of workers) await worker.stop();
      await queue.close();
      const keys = await redis.keys(`${prefix}:*`);
      if (keys.length > 0) await redis.del(...keys);
      redis.disconnect();
      await upstream.close();
    },
  };
}

/** Polls a condition until it is true. If it stays false, throws an error that describes it. */
export async function until(
  condition: string,
  holds: () => boolean | Promise<boolean>,
  withinMs = 200_000,
): Promise<void> {
  const endMs = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > endMs) throw new Error(`not within ${withinMs} ms: ${condition}`);
    await sleep(50);
  }
}
