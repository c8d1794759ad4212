import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { openLedger } from '../src/allowance/ledger.ts';
import { allowanceOf } from '../src/assemble.ts';
import { type Clock, isoTime, systemClock } from '../src/clock.ts';
import { assertWritable } from '../src/config/paths.ts';
import { type Config, requireDialect } from '../src/config.ts';
import { UsageError } from '../src/errors.ts';
import { SCHEDULED_JOBS } from './all_jobs.ts';
import { type Board, openBoard } from './board.ts';
import { giveBackWhenIdle } from './idle_memory.ts';
import { rhythmOf } from './keeper.ts';
import { BOARD_PATH, openPort, type Port } from './port.ts';
import { queueNameOf } from './queue.ts';
import { isConnectionError, openConnections } from './redis.ts';
import { inspectRedis } from './redis_check.ts';
import { RegistryWorker } from './registry_worker.ts';
import { nextMoment } from './schedule.ts';

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
  const startedAt = isoTime(clock.now());
  const worker = `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`;
  const identity = { worker, host: hostname(), pid: process.pid, since: startedAt };
  const registries = configs.map(
    (config) => new RegistryWorker({ config, connections, clock, log, identity, onFatal }),
  );
  const board = openBoard({
    redis: connections.forQueues,
    prefix: settings.prefix,
    path: BOARD_PATH,
    isReadOnly: settings.board_password === null,
    own: registries.map(({ name }) => name),
  });
  const closeAll = async (port: Port | null) => {
    await Promise.all(registries.map((registry) => registry.stop()));
    await port?.close();
    await board.close().catch(() => {});
    connections.close();
  };
  const port = await openOwnPort(settings, board, () => ({
    registries,
    isRedisReady: connections.isReady,
    nowMs: clock.now(),
  })).catch(async (error: unknown) => {
    await closeAll(null);
    throw error;
  });

  for (const registry of registries) registry.start();
  const stopWatching = refreshBoard(board, clock);
  const memory = giveBackWhenIdle(() => registries.some(({ state }) => state.working !== null));
  log.info({ worker, queues: registries.map(({ name }) => name), url: port?.url ?? null }, 'worker started');
  return {
    url: port?.url ?? null,
    registries,
    stop: async () => {
      stopWatching();
      memory.stop();
      const isInTime = await within(STOP_WITHIN_MS, closeAll(port));
      if (!isInTime)
        log.warn('calls still in flight are given up: they are spent, and will be planned again');
      connections.close();
      log.info('worker stopped');
    },
  };
}

/** Refuses what could not be served, or would be served twice, before anything is opened. */
function assertServable(configs: readonly Config[], nowMs: number): void {
  for (const config of configs) {
    requireDialect(config);
    assertWritable(config.warehouse);
    openLedger({ path: config.ledger, accountId: config.account.id, allowance: allowanceOf(config) }).close();
    assertSchedules(config, nowMs);
  }
  assertUnique(configs, queueNameOf, (name) => `two configurations are both \`${name}\``);
  assertUnique(
    configs,
    ({ warehouse }) => warehouse,
    (path) => `two configurations name the warehouse ${path}`,
  );
  const redis = new Set(configs.map(({ worker }) => `${worker.redis_url.reveal()} ${worker.prefix}`));
  if (redis.size > 1)
    throw new UsageError('the configurations name different `worker.redis_url` or `worker.prefix`', {
      hint: 'One worker uses one Redis: start a worker for each, or let all name the same.',
    });
}

function assertSchedules(config: Config, nowMs: number): void {
  for (const job of SCHEDULED_JOBS) {
    try {
      nextMoment(rhythmOf(job, config), nowMs);
    } catch (error) {
      throw new UsageError(`the schedule of ${job.name} (${job.pattern(config)}) never comes`, {
        hint: 'Correct it under `schedule:` in the configuration.',
        cause: error,
      });
    }
  }
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
        hint: 'Give each registry its own `source.name` or `account.id`, and its own `warehouse`.',
      });
    seen.add(key);
  }
}

async function checkRedis({ worker }: Config, log: Logger): Promise<void> {
  const { facts, findings } = await inspectRedis(worker.redis_url);
  log.info({ redis: worker.redis_url.toString(), ...facts }, 'redis');
  for (const { message, hint } of findings) log.warn({ hint }, message);
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

async function openOwnPort(
  { health_host, health_port, board_password }: Config['worker'],
  board: Board,
  measure: Parameters<typeof openPort>[0]['measure'],
): Promise<Port | null> {
  if (health_port === null) return null;
  return await openPort({ host: health_host, port: health_port, password: board_password, board, measure });
}

/** The dashboard shows the queues of other workers too, as they come. */
function refreshBoard(board: Board, clock: Clock): () => void {
  // Without Redis there is nothing new to show; the watcher of the connection says that it is lost.
  const refresh = () => void board.refresh(clock.now()).catch(() => {});
  const timer = setInterval(refresh, BOARD_REFRESH_MS);
  return () => clearInterval(timer);
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

const BOARD_REFRESH_MS = 5000;
