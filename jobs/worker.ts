import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { type Clock, isoTime, systemClock } from '../src/clock.ts';
import type { Config } from '../src/config/config.ts';
import { BOARD_PATH, type HealthServer, openHealthServer } from './health_server.ts';
import { giveBackWhenIdle } from './idle_memory.ts';
import { assertServable, checkRedis } from './preflight.ts';
import { type Connections, isConnectionError, openConnections } from './redis.ts';
import { RegistryWorker, type RegistryWorkerParts } from './registry_worker.ts';

/** A worker that runs: START HERE. It serves one or several registries for good, over one Redis. */
export interface RunningWorker {
  /** Of health, metrics and dashboard; null: it has no port. */
  readonly url: string | null;
  readonly registries: readonly RegistryWorker[];
  /** Finishes and loads the calls in flight and hands over. Takes at most STOP_WITHIN_MS. */
  stop(): Promise<void>;
}

export interface WorkerOptions {
  /** One per registry or account. */
  readonly configs: readonly [Config, ...Config[]];
  readonly log: Logger;
  readonly clock?: Clock;
  /** It cannot go on: the configuration or a file must be corrected. */
  readonly onFatal: (error: unknown) => void;
}

export const STOP_WITHIN_MS = 27_000;

/** Throws UsageError when the worker could not do its work: nothing was started then. */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { configs, log, clock = systemClock, onFatal } = options;
  const settings = configs[0].worker;
  assertServable(configs, clock.now());
  await checkRedis(configs[0], log);

  const connections = openConnections(settings.redis_url, watchRedis(log, clock));
  await connections.untilReady();
  const identity = identityAt(clock.now());
  const registries = configs.map(
    (config) => new RegistryWorker({ config, connections, clock, log, identity, onFatal }),
  );
  const port = await openOwnHealthServer(settings, { registries, connections, clock }).catch(
    (error: unknown) => {
      connections.close();
      throw error;
    },
  );
  for (const registry of registries) registry.start();
  const memory = giveBackWhenIdle(() => registries.some(({ state }) => state.working !== null));
  const url = port?.url ?? null;
  log.info({ worker: identity.worker, queues: registries.map(({ name }) => name), url }, 'worker started');

  const close = async () => {
    await Promise.all(registries.map((registry) => registry.stop()));
    await port?.close();
  };
  return {
    url,
    registries,
    stop: async () => {
      memory.stop();
      if (!(await within(STOP_WITHIN_MS, close())))
        log.warn('calls still in flight are given up: they are spent, and will be planned again');
      connections.close();
      log.info('worker stopped');
    },
  };
}

/** Who this process is, for others to see. */
function identityAt(nowMs: number): RegistryWorkerParts['identity'] {
  const host = hostname();
  const worker = `${host}-${process.pid}-${randomBytes(3).toString('hex')}`;
  return { worker, host, pid: process.pid, since: isoTime(nowMs) };
}

interface Open {
  readonly registries: readonly RegistryWorker[];
  readonly connections: Connections;
  readonly clock: Clock;
}

async function openOwnHealthServer(settings: Config['worker'], open: Open): Promise<HealthServer | null> {
  const { health_host: host, health_port: port, board_password: password, prefix } = settings;
  const { registries, connections, clock } = open;
  if (port === null) return null;
  return await openHealthServer({
    host,
    port,
    password,
    measure: () => ({ registries, isRedisReady: connections.isReady, nowMs: clock.now() }),
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
      log.warn('Redis is lost: what is at work goes on, what follows waits until it is back');
    },
    ready: () => {
      if (lostAtMs === null) return;
      log.info({ after_ms: clock.now() - lostAtMs }, 'Redis is back');
      lostAtMs = null;
    },
    failed: (error) => {
      if (!isConnectionError(error)) log.warn({ err: error }, 'redis');
    },
  };
}

async function within(delayMs: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), delayMs);
  });
  const isInTime = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return isInTime;
}
