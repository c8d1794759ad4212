import type { SecretUrl } from '../src/config/config.ts';
import { UsageError } from '../src/errors.ts';
import { connectOnce } from './redis.ts';

/** The properties of a Redis server that matter for a queue. */
export interface RedisFacts {
  readonly version: string;
  readonly evictionPolicy: string | null;
  readonly hasAppendOnlyFile: boolean;
}

export interface RedisFinding {
  readonly message: string;
  readonly hint: string;
}

/**
 * Reads the version and settings of a Redis server.
 *
 * @throws UsageError if it does not respond, or if its version is not supported.
 */
export async function inspectRedis(url: SecretUrl): Promise<{ facts: RedisFacts; findings: RedisFinding[] }> {
  const redis = await connectOnce(url);
  try {
    const facts = factsOf(await redis.info());
    if (majorOf(facts.version) < OLDEST_MAJOR)
      throw new UsageError(
        `Redis at ${url} has version ${facts.version}; version ${OLDEST_MAJOR} is the oldest supported version`,
        {
          hint: `Install Redis ${RECOMMENDED_MAJOR} or newer, or set another server in \`worker.redis_url\`.`,
        },
      );
    return { facts, findings: findingsOf(facts) };
  } finally {
    redis.disconnect();
  }
}

/** Parses the response of INFO. */
export function factsOf(info: string): RedisFacts {
  const value = (key: string): string | null => new RegExp(`^${key}:(.*?)\r?$`, 'm').exec(info)?.[1] ?? null;
  return {
    version: value('redis_version') ?? '0',
    evictionPolicy: value('maxmemory_policy'),
    hasAppendOnlyFile: value('aof_enabled') === '1',
  };
}

/** The settings that are unsuitable for a queue. None of them can lose a response, because the warehouse stores it. */
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
      hint: 'Set `appendonly yes` in redis.conf. Without it, schedules return automatically but queued backfills do not.',
    });
  return findings;
}

function majorOf(version: string): number {
  return Number.parseInt(version, 10);
}

const OLDEST_MAJOR = 6;
const RECOMMENDED_MAJOR = 7;
