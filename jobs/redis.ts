import { Redis, type RedisOptions, ReplyError } from 'ioredis';
import type { SecretUrl } from '../src/config/config.ts';
import { UsageError } from '../src/errors.ts';

/** The connections of one worker to its Redis. */
export interface Connections {
  /**
   * For queues. Its commands fail immediately if the connection is lost, so that the worker can report the loss and
   * retry.
   */
  readonly forQueues: Redis;
  /** For BullMQ's workers. If the connection is lost, its commands wait until Redis is available again. */
  readonly forWorkers: Redis;
  /** True if Redis is connected. */
  readonly isReady: boolean;
  /** Resolves when Redis is connected. */
  untilReady(): Promise<void>;
  close(): void;
}

export interface RedisWatcher {
  lost(): void;
  ready(): void;
  failed(error: Error): void;
}

export function openConnections(url: SecretUrl, watcher: RedisWatcher): Connections {
  const forWorkers = connection(url, { maxRetriesPerRequest: null });
  const forQueues = connection(url, {
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    commandTimeout: COMMAND_TIMEOUT_MS,
  });
  for (const redis of [forWorkers, forQueues]) redis.on('error', watcher.failed);
  forQueues.on('close', watcher.lost).on('ready', watcher.ready);
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
      forQueues.off('close', watcher.lost);
      forWorkers.disconnect();
      forQueues.disconnect();
    },
  };
}

/**
 * Opens a connection with one attempt, for the checks at the start, `status` and `doctor`.
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
    hint:
      'Start Redis (`docker compose up -d redis`, or `redis-server --appendonly yes`), or correct ' +
      '`worker.redis_url`. `registry-mirror sync` from cron does the same work without Redis.',
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
 * Does the error only mean that the connection to Redis is lost? The worker reports the loss once and not for each
 * failed command.
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

/** Did Redis respond to a command with an error, for example OOM or READONLY? */
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

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The properties of a Redis server that matter for a queue. */
export interface RedisFacts {
  readonly version: string;
  readonly evictionPolicy: string | null;
  readonly hasAppendOnlyFile: boolean;
  readonly mode: string;
  readonly isReplica: boolean;
}

export interface RedisFinding {
  readonly message: string;
  readonly hint: string;
}

/**
 * Reads the version and settings of a Redis server.
 *
 * @throws UsageError if it does not respond, or if the worker cannot use it.
 */
export async function inspectRedis(url: SecretUrl): Promise<{ facts: RedisFacts; findings: RedisFinding[] }> {
  const redis = await connectOnce(url);
  try {
    const facts = factsOf(await readInfo(redis, url));
    const obstacle = obstacleOf(facts);
    if (obstacle !== null) throw new UsageError(`Redis at ${url} ${obstacle.message}`, obstacle);
    return { facts, findings: findingsOf(facts) };
  } finally {
    redis.disconnect();
  }
}

async function readInfo(redis: Redis, url: SecretUrl): Promise<string> {
  try {
    return await redis.info();
  } catch (error) {
    throw new UsageError(`Redis at ${url} rejected the command INFO (${messageOf(error)})`, {
      hint: 'The worker must read the version of Redis. Grant the user `+info` (ACL SETUSER), or set another user in `worker.redis_url`.',
      cause: error,
    });
  }
}

/** The property that makes a Redis server unusable for the worker; null: the server is usable. */
export function obstacleOf({ version, mode, isReplica }: RedisFacts): RedisFinding | null {
  const hint = `Set a single Redis server (version ${RECOMMENDED_MAJOR} or newer) in \`worker.redis_url\`.`;
  if (mode !== 'standalone')
    return { message: `runs in ${mode} mode, which the worker does not support`, hint };
  if (isReplica)
    return { message: 'is a replica, which rejects writes', hint: 'Set its primary in `worker.redis_url`.' };
  if (majorOf(version) < OLDEST_MAJOR)
    return {
      message: `has version ${version}; version ${OLDEST_MAJOR} is the oldest supported version`,
      hint,
    };
  return null;
}

/** Parses the response of INFO. */
export function factsOf(info: string): RedisFacts {
  const value = (key: string): string | null => new RegExp(`^${key}:(.*?)\r?$`, 'm').exec(info)?.[1] ?? null;
  return {
    version: value('redis_version') ?? '0',
    evictionPolicy: value('maxmemory_policy'),
    hasAppendOnlyFile: value('aof_enabled') === '1',
    mode: value('redis_mode') ?? 'standalone',
    isReplica: value('role') === 'slave',
  };
}

/** The settings that are unsuitable for a queue. None of them can lose a response. */
export function findingsOf(facts: RedisFacts): RedisFinding[] {
  const findings: RedisFinding[] = [];
  if (majorOf(facts.version) < RECOMMENDED_MAJOR)
    findings.push({
      message: `Redis has version ${facts.version}; the worker is tested with ${RECOMMENDED_MAJOR} or newer`,
      hint: `Install Redis ${RECOMMENDED_MAJOR} or newer.`,
    });
  if (facts.evictionPolicy !== null && facts.evictionPolicy !== 'noeviction')
    findings.push({
      message: `Redis can evict jobs: its maxmemory-policy is ${facts.evictionPolicy}`,
      hint: 'Set `maxmemory-policy noeviction` in redis.conf, or `CONFIG SET maxmemory-policy noeviction`.',
    });
  if (!facts.hasAppendOnlyFile)
    findings.push({
      message: 'Redis loses queued jobs in a crash: it has no append-only file',
      hint: 'Set `appendonly yes` in redis.conf. Without it, the worker queues lost jobs again from the warehouse.',
    });
  return findings;
}

function majorOf(version: string): number {
  return Number.parseInt(version, 10);
}

const CONNECT_TIMEOUT_MS = 5000;
const COMMAND_TIMEOUT_MS = 5000;
const LONGEST_RECONNECT_MS = 1000;
const OLDEST_MAJOR = 6;
const RECOMMENDED_MAJOR = 7;
