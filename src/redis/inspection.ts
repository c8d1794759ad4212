import type { Redis } from 'ioredis';
import type { SecretUrl } from '../config/config.ts';
import { messageOf, UsageError } from '../errors.ts';
import { connectOnce } from './connection.ts';

/** The properties of a Redis server that matter to a queue. */
interface RedisFacts {
  readonly version: string;
  readonly evictionPolicy: string | null;
  readonly hasAppendOnlyFile: boolean;
  readonly mode: string;
  readonly isReplica: boolean;
}

interface RedisFinding {
  readonly message: string;
  readonly hint: string;
}

/**
 * Reads a Redis server's version and settings.
 *
 * @throws UsageError if it does not respond, or if the worker cannot use it.
 */
export async function inspectRedis(url: SecretUrl): Promise<{ facts: RedisFacts; findings: RedisFinding[] }> {
  const redis = await connectOnce(url);
  try {
    const facts = redisFactsIn(await readInfo(redis, url));
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
      hint: "The worker must read Redis's version. Grant the user `+info` (ACL SETUSER), or set another user in `worker.redis_url`.",
      cause: error,
    });
  }
}

/** Returns why the worker cannot use a Redis server, or null if it can. */
export function obstacleOf({ version, mode, isReplica }: RedisFacts): RedisFinding | null {
  const hint = `Configure a single Redis server (version ${RECOMMENDED_MAJOR} or newer) in \`worker.redis_url\`.`;
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
export function redisFactsIn(info: string): RedisFacts {
  const value = (key: string): string | null => new RegExp(`^${key}:(.*?)\r?$`, 'm').exec(info)?.[1] ?? null;
  return {
    version: value('redis_version') ?? '0',
    evictionPolicy: value('maxmemory_policy'),
    hasAppendOnlyFile: value('aof_enabled') === '1',
    mode: value('redis_mode') ?? 'standalone',
    isReplica: value('role') === 'slave',
  };
}

/** Returns the settings that are unsuitable for a queue. None of them can lose a response. */
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

const OLDEST_MAJOR = 6;
const RECOMMENDED_MAJOR = 7;
