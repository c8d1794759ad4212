import { describe, expect, it } from 'vitest';
import { factsOf, findingsOf, inspectRedis } from '../../jobs/redis_check.ts';
import { SecretUrl } from '../../src/config/config.ts';
import { hasRealRedis, startOwnRedis } from '../support/redis_server.ts';

const FIT = { version: '7.4.1', evictionPolicy: 'noeviction', hasAppendOnlyFile: true };

describe('the properties of a Redis server', () => {
  it('are parsed from INFO', () => {
    const info =
      '# Server\r\nredis_version:7.0.15\r\n# Memory\r\nmaxmemory_policy:allkeys-lru\r\n# Persistence\r\naof_enabled:0\r\n';
    expect(factsOf(info)).toEqual({
      version: '7.0.15',
      evictionPolicy: 'allkeys-lru',
      hasAppendOnlyFile: false,
    });
  });

  it('lead to one finding for each unsuitable setting', () => {
    expect(findingsOf(FIT)).toEqual([]);
    expect(messages({ version: '6.2.0' })).toEqual([expect.stringContaining('tested with 7 or newer')]);
    expect(messages({ evictionPolicy: 'allkeys-lru' })).toEqual([expect.stringContaining('allkeys-lru')]);
    expect(messages({ hasAppendOnlyFile: false })).toEqual([expect.stringContaining('append-only file')]);
  });
});

it('a running Redis with two unsuitable settings gives two findings', async () => {
  const settings = ['--appendonly', 'no', '--maxmemory-policy', 'allkeys-lru', '--save', ''];
  const redis = await startOwnRedis({ settings });
  try {
    const { facts, findings } = await inspectRedis(new SecretUrl(redis.url));
    expect(facts.version).toMatch(/^\d+\.\d+/);
    // The server in JavaScript reports neither setting.
    if (hasRealRedis()) expect(findings).toHaveLength(2);
  } finally {
    await redis.close();
  }
});

it('a Redis that does not respond causes an error with a remedy and without the password', async () => {
  const inspection = inspectRedis(new SecretUrl('redis://user:hunter22@127.0.0.1:1'));
  await expect(inspection).rejects.toThrow('Redis at redis://127.0.0.1:1 does not respond');
  await expect(inspection).rejects.toMatchObject({
    exitCode: 2,
    hint: expect.stringContaining('redis-server --appendonly yes'),
  });
  await expect(inspection).rejects.not.toThrow('hunter22');
});

function messages(given: Partial<typeof FIT>): string[] {
  return findingsOf({ ...FIT, ...given }).map(({ message }) => message);
}
