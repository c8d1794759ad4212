import { describe, expect, it } from 'vitest';
import { factsOf, findingsOf, inspectRedis } from '../../jobs/redis_check.ts';
import { SecretUrl } from '../../src/config/config.ts';
import { hasRealRedis, startOwnRedis } from '../support/redis_server.ts';

const FIT = { version: '7.4.1', evictionPolicy: 'noeviction', hasAppendOnlyFile: true };

describe('what a Redis says of itself', () => {
  it('is read from INFO', () => {
    const info =
      '# Server\r\nredis_version:7.0.15\r\n# Memory\r\nmaxmemory_policy:allkeys-lru\r\n# Persistence\r\naof_enabled:0\r\n';
    expect(factsOf(info)).toEqual({
      version: '7.0.15',
      evictionPolicy: 'allkeys-lru',
      hasAppendOnlyFile: false,
    });
  });

  it('is held against what a queue needs, and says what to do', () => {
    expect(findingsOf(FIT)).toEqual([]);
    expect(messages({ version: '6.2.0' })).toEqual([expect.stringContaining('made for 7 or newer')]);
    expect(messages({ evictionPolicy: 'allkeys-lru' })).toEqual([expect.stringContaining('allkeys-lru')]);
    expect(messages({ hasAppendOnlyFile: false })).toEqual([expect.stringContaining('append-only file')]);
  });
});

it('finds a running Redis fit, or not', async () => {
  const settings = ['--appendonly', 'no', '--maxmemory-policy', 'allkeys-lru', '--save', ''];
  const redis = await startOwnRedis({ settings });
  try {
    const { facts, findings } = await inspectRedis(new SecretUrl(redis.url));
    expect(facts.version).toMatch(/^\d+\.\d+/);
    // The server in JavaScript has neither setting; a real one says both.
    if (hasRealRedis()) expect(findings).toHaveLength(2);
  } finally {
    await redis.close();
  }
});

it('says how to start one when none answers, and never shows the password', async () => {
  const asked = inspectRedis(new SecretUrl('redis://user:hunter22@127.0.0.1:1'));
  await expect(asked).rejects.toThrow('no Redis answers at redis://127.0.0.1:1');
  await expect(asked).rejects.toMatchObject({
    exitCode: 2,
    hint: expect.stringContaining('redis-server --appendonly yes'),
  });
  await expect(asked).rejects.not.toThrow('hunter22');
});

function messages(given: Partial<typeof FIT>): string[] {
  return findingsOf({ ...FIT, ...given }).map(({ message }) => message);
}
