import { Redis, type RedisOptions, ReplyError } from 'ioredis';
import type { SecretUrl } from '../config/config.ts';
import { messageOf, UsageError } from '../errors.ts';

/** One worker's connections to Redis. */
export interface Connections {
  /**
   * For queues. If the connection is lost, commands fail immediately, so that the worker can report the loss and retry.
   */
  readonly forQueues: Redis;
  /** For BullMQ's workers. If the connection is lost, commands wait until Redis is available again. */
  readonly forWorkers: Redis;
  readonly isReady: boolean;
  untilReady(): Promise<void>;
  close(): void;
}

export interface RedisWatcher {
  lost(): void;
  ready(): void;
  failed(error: Error): void;
}

export function openRedisConnections(url: SecretUrl, watcher: RedisWatcher): Connections {
  const forWorkers = connection(url, { maxRetriesPerRequest: null });
  const forQueues = connection(url, {
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    commandTimeout: COMMAND_TIMEOUT_MS,
  });
  for (const redis of [forWorkers, forQueues]) redis.on('error', (error) => watcher.failed(error));
  const lost = () => watcher.lost();
  forQueues.on('close', lost).on('ready', () => watcher.ready());
  return {
    forQueues,
    forWorkers,
    get isReady() {
      return forQueues.status === 'ready';
    },
    untilReady: () =>
      new Promise((resolve) => {
        if (forQueues.status === 'ready') return resolve();
        forQueues.once('ready', resolve);
      }),
    close: () => {
      forQueues.off('close', lost);
      forWorkers.disconnect();
      forQueues.disconnect();
    },
  };
}

/**
 * Opens a connection with a single attempt, for `status`, `doctor` and the worker's checks at its start.
 *
 * @throws UsageError if Redis does not respond or rejects the password.
 */
export async function connectOnce(url: SecretUrl): Promise<Redis> {
  const redis = connection(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
  });
  let reason = '';
  redis.on('error', (error: Error) => {
    reason = error.message;
  });
  try {
    await redis.connect();
    return redis;
  } catch (error) {
    redis.disconnect();
    throw unreachable(url, reason === '' ? messageOf(error) : reason, error);
  }
}

function unreachable(url: SecretUrl, reason: string, cause: unknown): UsageError {
  if (/NOAUTH|WRONGPASS|AUTH/.test(reason))
    return new UsageError(`Redis at ${url} rejected the user name or password (${reason})`, {
      hint: 'Correct `worker.redis_url` in the configuration: redis://USER:PASSWORD@HOST:6379.',
      cause,
    });
  return new UsageError(`Redis at ${url} does not respond (${reason})`, {
    hint: 'Start Redis (`redis-server --appendonly yes`), or correct `worker.redis_url`. Without Redis, run `sync` from cron.',
    cause,
  });
}

type Options = Omit<RedisOptions, 'replyMapping'>;

function connection(url: SecretUrl, options: Options): Redis {
  const shared: Options = {
    connectionName: 'registry-mirror',
    retryStrategy: (attempt) => Math.min(attempt * 100, LONGEST_RECONNECT_MS),
    ...options,
  };
  const { protocol, pathname } = new URL(url.reveal());
  if (protocol === 'unix:') return new Redis(pathname, shared);
  return new Redis(url.reveal(), shared);
}

/**
 * Returns whether the error only means that the connection to Redis is lost. The worker reports the loss only once, not
 * for each failed command.
 */
export function isConnectionError(error: unknown): boolean {
  const { message, code } = error as NodeJS.ErrnoException;
  return (
    (code !== undefined && NETWORK_CODES.has(code)) ||
    /Connection is closed|ECONNREFUSED|isn't writeable|Reached the max retries|Command timed out|LOADING/.test(
      message,
    )
  );
}

/** Returns whether Redis responded to a command with an error, such as OOM or READONLY. */
export function isRedisReply(error: unknown): boolean {
  return error instanceof ReplyError && !isConnectionError(error);
}

const NETWORK_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOENT',
  'ENOTFOUND',
]);

const CONNECT_TIMEOUT_MS = 5000;
const COMMAND_TIMEOUT_MS = 5000;
const LONGEST_RECONNECT_MS = 1000;
