import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Telemetry } from 'bullmq';
import type { Logger } from 'pino';
import { type Clock, isoTime, systemClock } from '../src/clock.ts';
import { type Config, requireDialect } from '../src/config/config.ts';
import { credentialsOf } from '../src/config/credentials.ts';
import { assertWritable } from '../src/config/paths.ts';
import { UsageError } from '../src/errors.ts';
import { openLedgerOf } from '../src/operations/configured_ledger.ts';
import { openRedisConnections, type RedisWatcher } from '../src/redis/connection.ts';
import { inspectRedis } from '../src/redis/inspection.ts';
import { backfill } from './backfill.ts';
import type { BoardOptions } from './dashboard.ts';
import { ErrorLog } from './error_log.ts';
import {
  BOARD_PATH,
  type HealthServer,
  type HealthServerOptions,
  openHealthServer,
} from './health_server.ts';
import type { JobDefinition } from './job.ts';
import { openMetrics } from './metrics.ts';
import { endsWithin } from './processor.ts';
import { queueNameOf } from './queue.ts';
import { RegistryWorker } from './registry_worker.ts';
import { SCHEDULED_JOBS } from './scheduled_jobs.ts';

/** A running worker. It serves one or more registries with one Redis until it is stopped. Start reading here. */
export type RunningWorker = Awaited<ReturnType<typeof startWorker>>;

interface WorkerOptions {
  /** One configuration per registry and account. */
  readonly configs: readonly [Config, ...Config[]];
  readonly log: Logger;
  readonly clock?: Clock;
  /** Called when the worker cannot continue until a user corrects the configuration or a file. */
  readonly onFatal: (error: unknown) => void;
  /** The worker's jobs. By default, `ALL_JOBS`. */
  readonly jobs?: readonly JobDefinition[];
}

/** All of the worker's jobs. */
export const ALL_JOBS: readonly JobDefinition[] = [...SCHEDULED_JOBS, backfill];

export const STOP_WITHIN_MS = 27_000;
const CLOSE_PORT_WITHIN_MS = 1000;
const TRACING_PACKAGE: string = 'bullmq-otel';

/**
 * Starts a worker.
 *
 * @throws UsageError if the configuration, a file or Redis is unsuitable. Nothing is then started.
 */
export async function startWorker(options: WorkerOptions) {
  const { configs, log, clock = systemClock, onFatal, jobs = ALL_JOBS } = options;
  const { redis_url } = configs[0].worker;
  assertServable(configs);
  const tracing = configs.some(({ worker }) => worker.tracing) ? await openTracing() : null;
  const { facts, findings } = await inspectRedis(redis_url);
  log.info({ redis: redis_url.toString(), ...facts }, 'Redis');
  for (const { message, hint } of findings) log.warn({ hint }, message);

  const connections = openRedisConnections(redis_url, new RedisLog(log, clock));
  await connections.untilReady();
  const measure = () => ({ registries, isRedisReady: connections.isReady, nowMs: clock.now() });
  const metrics = openMetrics(measure);
  // Identifies this process to other workers and on the dashboard.
  const [host, pid, since] = [hostname(), process.pid, isoTime(clock.now())];
  const identity = { worker: `${host}-${pid}-${randomBytes(3).toString('hex')}`, host, pid, since };
  const shared = { jobs, connections, clock, log, observer: metrics, tracing, identity, onFatal };
  const registries = configs.map((config): RegistryWorker => new RegistryWorker({ ...shared, config }));
  const names = registries.map(({ name }) => name);
  const board = { redis: connections.forQueues, own: names, now: clock.now };
  const port = await openPort(configs[0], { measure, metrics, board }).catch((error: unknown) => {
    connections.close();
    throw error;
  });
  for (const registry of registries) registry.start();
  const url = port?.url ?? null;
  log.info({ worker: identity.worker, queues: names, url }, 'worker started');

  return {
    /** Base URL of the health checks, metrics and dashboard; null if the worker has no HTTP port. */
    url,
    registries,
    /** Waits for the in-flight calls and loads them, then releases the leadership. Takes at most STOP_WITHIN_MS. */
    stop: async () => {
      const closing = Promise.all(registries.map((registry) => registry.stop()));
      if (!(await endsWithin(STOP_WITHIN_MS, closing)))
        log.warn(
          'in-flight calls were abandoned: their units are spent, and the next run plans the calls again',
        );
      if (port !== null) await endsWithin(CLOSE_PORT_WITHIN_MS, port.close());
      connections.close();
      log.info('worker stopped');
    },
  };
}

/** Opens the port for health checks, metrics and the dashboard. Returns null if none is configured. */
async function openPort(
  { worker: { prefix, health_host: host, health_port: port, board_password: password } }: Config,
  { board, ...measured }: Pick<HealthServerOptions, 'measure' | 'metrics'> & { readonly board: OwnBoard },
): Promise<HealthServer | null> {
  if (port === null) return null;
  const openBoard = async () =>
    (await import('./dashboard.ts')).openBoard({
      ...board,
      prefix,
      path: BOARD_PATH,
      isReadOnly: password === null,
    });
  return await openHealthServer({ ...measured, host, port, password, openBoard });
}

type OwnBoard = Pick<BoardOptions, 'redis' | 'own' | 'now'>;

/**
 * Loads the optional package that traces jobs. Its name is in a variable, so that a build does not need the package.
 */
async function openTracing(): Promise<Telemetry> {
  try {
    const { BullMQOtel }: { BullMQOtel: new (tracer: string) => Telemetry } = await import(TRACING_PACKAGE);
    return new BullMQOtel('registry-mirror');
  } catch (cause) {
    throw new UsageError('`worker.tracing` needs the package bullmq-otel, which cannot be loaded', {
      hint: 'Install it: npm install --no-save bullmq-otel',
      cause,
    });
  }
}

/** Logs when the connection to Redis is lost and restored. */
class RedisLog implements RedisWatcher {
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #errors: ErrorLog;
  #lostAtMs: number | null = null;

  constructor(log: Logger, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
    this.#errors = new ErrorLog(log, clock);
  }

  lost(): void {
    if (this.#lostAtMs !== null) return;
    this.#lostAtMs = this.#clock.now();
    this.#log.warn('Redis connection lost: the current job continues, and the next job waits for Redis');
  }

  ready(): void {
    if (this.#lostAtMs === null) return;
    this.#log.info({ after_ms: this.#clock.now() - this.#lostAtMs }, 'Redis connection restored');
    this.#lostAtMs = null;
  }

  failed(error: Error): void {
    this.#errors.log(error, 'the connection failed');
  }
}

/**
 * Checks, before the worker opens anything, that it can run with these configurations.
 *
 * @throws UsageError if a configuration is unsuitable, or if two configurations have the same registry and account, or
 * the same warehouse.
 */
function assertServable(configs: readonly Config[]): void {
  for (const config of configs) {
    requireDialect(config);
    credentialsOf(config.upstream);
    assertWritable(config.warehouse);
    openLedgerOf(config).close();
  }
  assertUnique(configs, queueNameOf, (name) => `two configurations have the same queue \`${name}\``);
  assertUnique(
    configs,
    ({ warehouse }) => warehouse,
    (path) => `two configurations use the warehouse ${path}`,
  );
  const redis = new Set(configs.map(({ worker }) => `${worker.redis_url.reveal()} ${worker.prefix}`));
  if (redis.size > 1)
    throw new UsageError('the configurations have different `worker.redis_url` or `worker.prefix`', {
      hint: 'A worker uses one Redis. Start one worker for each Redis, or set the same values in all configurations.',
    });
}

function assertUnique(
  configs: readonly Config[],
  keyOf: (config: Config) => string,
  message: (key: string) => string,
) {
  const seen = new Set<string>();
  for (const key of configs.map(keyOf)) {
    if (seen.has(key))
      throw new UsageError(message(key), {
        hint: 'Set a different `source.name` or `account.id`, and a different `warehouse`, for each registry.',
      });
    seen.add(key);
  }
}
