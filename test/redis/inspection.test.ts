import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { SecretUrl } from '../../src/config/config.ts';
import { findingsOf, inspectRedis, obstacleOf, redisFactsIn } from '../../src/redis/inspection.ts';
import { hasRealRedis, startOwnRedis } from '../support/redis_server.ts';

const FIT = {
  version: '7.4.1',
  evictionPolicy: 'noeviction',
  hasAppendOnlyFile: true,
  mode: 'standalone',
  isReplica: false,
};

describe("a Redis server's properties", () => {
  it("a Redis server's properties are parsed from INFO", () => {
    const info =
      '# Server\r\nredis_version:7.0.15\r\nredis_mode:cluster\r\n# Memory\r\nmaxmemory_policy:allkeys-lru\r\n# Persistence\r\naof_enabled:0\r\n# Replication\r\nrole:slave\r\n';
    expect(redisFactsIn(info)).toEqual({
      version: '7.0.15',
      evictionPolicy: 'allkeys-lru',
      hasAppendOnlyFile: false,
      mode: 'cluster',
      isReplica: true,
    });
  });

  it('each unsuitable Redis setting causes one finding', () => {
    expect(findingsOf(FIT)).toEqual([]);
    expect(messages({ version: '6.2.0' })).toEqual([expect.stringContaining('tested with 7 or newer')]);
    expect(messages({ evictionPolicy: 'allkeys-lru' })).toEqual([expect.stringContaining('allkeys-lru')]);
    expect(messages({ hasAppendOnlyFile: false })).toEqual([expect.stringContaining('append-only file')]);
  });
});

describe('checking a Redis server', () => {
  it.each([
    [{ mode: 'cluster' }, 'runs in cluster mode'],
    [{ mode: 'sentinel' }, 'runs in sentinel mode'],
    [{ isReplica: true }, 'is a replica'],
    [{ version: '5.0.14' }, 'has version 5.0.14'],
  ])('the Redis check rejects %o with a reason and a remedy', (property, reason) => {
    const obstacle = obstacleOf({ ...FIT, ...property });
    expect(obstacle?.message).toContain(reason);
    expect(obstacle?.hint).toContain('worker.redis_url');
  });

  it('the Redis check accepts a suitable server', () => {
    expect(obstacleOf(FIT)).toBeNull();
  });

  it.runIf(hasRealRedis())(
    'the Redis check rejects a user without permission for INFO, and names the missing permission',
    async () => {
      const redis = await startOwnRedis();
      try {
        const admin = new Redis(redis.url);
        await admin.call('ACL', 'SETUSER', 'mirror', 'on', '>pw', '~*', '&*', '+@all', '-info');
        admin.disconnect();
        const url = new SecretUrl(redis.url.replace('//', '//mirror:pw@'));
        await expect(inspectRedis(url)).rejects.toMatchObject({
          exitCode: 2,
          hint: expect.stringContaining('+info'),
        });
      } finally {
        await redis.close();
      }
    },
  );

  it.runIf(hasRealRedis())('the Redis check rejects a server in cluster mode', async () => {
    const redis = await startOwnRedis({ settings: ['--cluster-enabled', 'yes'] });
    try {
      await expect(inspectRedis(new SecretUrl(redis.url))).rejects.toThrow('runs in cluster mode');
    } finally {
      await redis.close();
    }
  });
});

it('a running Redis with two unsuitable settings causes two findings', async () => {
  const settings = ['--appendonly', 'no', '--maxmemory-policy', 'allkeys-lru', '--save', ''];
  const redis = await startOwnRedis({ settings });
  try {
    const { facts, findings } = await inspectRedis(new SecretUrl(redis.url));
    expect(facts.version).toMatch(/^\d+\.\d+/);
    // The JavaScript server reports neither setting.
    if (hasRealRedis()) expect(findings).toHaveLength(2);
  } finally {
    await redis.close();
  }
});

it('if Redis does not respond, the error contains the remedy but not the password', async () => {
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
