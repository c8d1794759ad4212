import type { SecretUrl } from '../src/config/config.ts';
import { UsageError } from '../src/errors.ts';
import { connectOnce } from './redis.ts';

/** What a Redis says of itself, as far as a queue depends on it. */
export interface RedisFacts {
  readonly version: string;
  readonly evictionPolicy: string | null;
  readonly hasAppendOnlyFile: boolean;
}

export interface RedisFinding {
  readonly message: string;
  readonly hint: string;
}

/** Asks a Redis what it is. Throws UsageError when it does not answer, or is too old to work with at all. */
export async function inspectRedis(url: SecretUrl): Promise<{ facts: RedisFacts; findings: RedisFinding[] }> {
  const redis = await connectOnce(url);
  try {
    const facts = factsOf(await redis.info());
    if (majorOf(facts.version) < OLDEST_MAJOR)
      throw new UsageError(
        `Redis at ${url} is version ${facts.version}, and ${OLDEST_MAJOR} is the oldest that works`,
        {
          hint: `Install Redis ${RECOMMENDED_MAJOR} or newer, or name another one under \`worker.redis_url\`.`,
        },
      );
    return { facts, findings: findingsOf(facts) };
  } finally {
    redis.disconnect();
  }
}

/** Reads the answer of INFO. */
export function factsOf(info: string): RedisFacts {
  const value = (key: string): string | null => new RegExp(`^${key}:(.*?)\r?$`, 'm').exec(info)?.[1] ?? null;
  return {
    version: value('redis_version') ?? '0',
    evictionPolicy: value('maxmemory_policy'),
    hasAppendOnlyFile: value('aof_enabled') === '1',
  };
}

/** What is wrong for a queue. Nothing of it loses an answer: the warehouse holds the truth. */
export function findingsOf(facts: RedisFacts): RedisFinding[] {
  const findings: RedisFinding[] = [];
  if (majorOf(facts.version) < RECOMMENDED_MAJOR)
    findings.push({
      message: `Redis is version ${facts.version}; the worker is made for ${RECOMMENDED_MAJOR} or newer`,
      hint: `Install Redis ${RECOMMENDED_MAJOR} or newer.`,
    });
  if (facts.evictionPolicy !== null && facts.evictionPolicy !== 'noeviction')
    findings.push({
      message: `Redis may throw jobs away: its maxmemory-policy is ${facts.evictionPolicy}`,
      hint: 'Set `maxmemory-policy noeviction` in redis.conf, or `CONFIG SET maxmemory-policy noeviction`.',
    });
  if (!facts.hasAppendOnlyFile)
    findings.push({
      message: 'Redis forgets queued jobs when it crashes: it keeps no append-only file',
      hint: 'Set `appendonly yes` in redis.conf. Without it the schedules come back by themselves, queued backfills do not.',
    });
  return findings;
}

function majorOf(version: string): number {
  return Number.parseInt(version, 10);
}

const OLDEST_MAJOR = 6;
const RECOMMENDED_MAJOR = 7;
