import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { type Clock, isoTime, systemClock } from '../src/clock.ts';
import type { Config } from '../src/config/config.ts';
import { ALL_JOBS } from './all_jobs.ts';
import { endsWithin } from './ends_within.ts';
import { BOARD_PATH, type HealthServer, openHealthServer } from './health_server.ts';
import type { JobDefinition } from './job.ts';
import { type Measured, type Metrics, openMetrics } from './metrics.ts';
import { assertServable } from './preflight.ts';
import { type Connections, inspectRedis, isConnectionError, openConnections } from './redis.ts';
import { RegistryWorker, type RegistryWorkerOptions } from './registry_worker.ts';

/** A running worker (start reading here). It serves one or more registries with one Redis until it is stopped. */
export interface RunningWorker {
  /** Base URL of the health checks, metrics and dashboard; null: the worker has no HTTP port. */
  readonly url: string | null;
  readonly registries: readonly RegistryWorker[];
  /** Waits for the calls in flight and loads them, then releases the leadership. Takes at most STOP_WITHIN_MS. */
  stop(): Promise<void>;
}

export interface WorkerOptions {
  /** One configuration per registry and account. */
  readonly configs: readonly [Config, ...Config[]];
  readonly log: Logger;
  readonly clock?: Clock;
  /** Called when the worker cannot continue until a user corrects the configuration or a file. */
  readonly onFatal: (error: unknown) => void;
  /** The jobs of the worker. Default: every job of `all_jobs.ts`. */
  readonly jobs?: readonly JobDefinition[];
}

export const STOP_WITHIN_MS = 27_000;
const CLOSE_PORT_WITHIN_MS = 1000;

/**
 * Starts a worker.
 *
 * @throws UsageError if the configuration, a file or Redis is unsuitable. In this case nothing was started.
 */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { configs, log, clock = systemClock, onFatal, jobs = ALL_JOBS } = options;
  const settings = configs[0].worker;
  assertServable(configs, jobs, clock.now());
  await checkRedis(configs[0], log);

  const connections = openConnections(settings.redis_url, watchRedis(log, clock));
  await connections.untilReady();
  const identity = identityAt(clock.now());
  const measure = () => ({ registries, isRedisReady: connections.isReady, nowMs: clock.now() });
  const metrics = openMetrics(measure);
  const registries: readonly RegistryWorker[] = configs.map(
    (config) =>
      new RegistryWorker({ jobs, config, connections, clock, log, observer: metrics, identity, onFatal }),
  );
  const open = { registries, connections, clock, measure, metrics };
  const port = await openOwnHealthServer(settings, open).catch((error: unknown) => {
    connections.close();
    throw error;
  });
  for (const registry of registries) registry.start();
  const url = port?.url ?? null;
  log.info({ worker: identity.worker, queues: registries.map(({ name }) => name), url }, 'worker started');

  return {
    url,
    registries,
    stop: async () => {
      const closing = Promise.all(registries.map((registry) => registry.stop()));
      if (!(await endsWithin(STOP_WITHIN_MS, closing)))
        log.warn('calls in flight were abandoned: they are spent, and the next run plans them again');
      if (port !== null) await endsWithin(CLOSE_PORT_WITHIN_MS, port.close());
      connections.close();
      log.info('worker stopped');
    },
  };
}

/** Logs the version and settings of Redis, and a warning for each unsuitable setting. */
async function checkRedis({ worker }: Config, log: Logger): Promise<void> {
  const { facts, findings } = await inspectRedis(worker.redis_url);
  log.info({ redis: worker.redis_url.toString(), ...facts }, 'Redis');
  for (const { message, hint } of findings) log.warn({ hint }, message);
}

/** Identifies this process to other workers and on the dashboard. */
function identityAt(nowMs: number): RegistryWorkerOptions['identity'] {
  const host = hostname();
  const worker = `${host}-${process.pid}-${randomBytes(3).toString('hex')}`;
  return { worker, host, pid: process.pid, since: isoTime(nowMs) };
}

interface Open {
  readonly registries: readonly RegistryWorker[];
  readonly connections: Connections;
  readonly clock: Clock;
  readonly measure: () => Measured;
  readonly metrics: Metrics;
}

async function openOwnHealthServer(settings: Config['worker'], open: Open): Promise<HealthServer | null> {
  const { health_host: host, health_port: port, board_password: password, prefix } = settings;
  const { registries, connections, clock, measure, metrics } = open;
  if (port === null) return null;
  return await openHealthServer({
    host,
    port,
    password,
    measure,
    metrics,
    openBoard: async () =>
      (await import('./dashboard.ts')).openBoard({
        redis: connections.forQueues,
        prefix,
        path: BOARD_PATH,
        isReadOnly: password === null,
        own: registries.map(({ name }) => name),
        now: clock.now,
      }),
  });
}

function watchRedis(log: Logger, clock: Clock): Parameters<typeof openConnections>[1] {
  let lostAtMs: number | null = null;
  return {
    lost: () => {
      if (lostAtMs !== null) return;
      lostAtMs = clock.now();
      log.warn('Redis connection lost: the current job continues, and the next job waits for Redis');
    },
    ready: () => {
      if (lostAtMs === null) return;
      log.info({ after_ms: clock.now() - lostAtMs }, 'Redis connection restored');
      lostAtMs = null;
    },
    failed: (error) => {
      if (!isConnectionError(error)) log.warn({ err: error }, 'Redis error');
    },
  };
}
