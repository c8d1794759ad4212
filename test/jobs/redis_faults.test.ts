import { Redis } from 'ioredis';
import { describe, expect, it, type TestContext } from 'vitest';
import { hasRealRedis, type OwnRedis, startOwnRedis } from '../support/redis_server.ts';
import { openWorkplace, until, type Workplace, type WorkplaceOptions } from '../support/worker.ts';

// Only a real Redis can run out of memory.
describe.runIf(hasRealRedis())('a worker whose Redis rejects writes', () => {
  it('a worker whose Redis rejects writes logs few lines, is not ready, and resumes when Redis accepts writes again', async (test) => {
    const { place, redis } = await workplace(test);
    const worker = await place.startWorker();
    await until('the registry is mirrored', () => place.isMirrored());
    const admin = new Redis(redis.url);
    test.onTestFinished(() => admin.disconnect());
    const before = worker.lines.length;
    await admin.config('SET', 'maxmemory', '1');
    await until('the worker is not ready', async () => (await ready(worker.url)).status === 503);
    expect(await ready(worker.url)).toMatchObject({
      body: { ok: false, redis: false, redis_error: expect.stringMatching(/^OOM /) },
    });
    expect(await (await fetch(`${worker.url}/metrics`)).text()).toContain('registry_mirror_redis_up 0');
    expect((await fetch(`${worker.url}/health`)).status).toBe(200);
    expect(worker.lines.length - before).toBeLessThan(20);
    await admin.config('SET', 'maxmemory', '0');
    await until('the worker is ready', async () => (await ready(worker.url)).status === 200);
    await place.queue.add('poll-stats', {} as never);
    await until('the worker processes jobs again', () => place.runs().length === 4);
  });
});

describe('a worker without Redis', () => {
  it('a worker without Redis stops within five seconds and reports no abandoned calls', async (test) => {
    const { place, redis } = await workplace(test);
    const worker = await place.startWorker();
    await until('the registry is mirrored', () => place.isMirrored());
    await redis.kill();
    await until('the worker is not ready', async () => (await ready(worker.url)).status === 503);
    const board = await fetch(`${worker.url}/queues`);
    expect([board.status, await board.text()]).toEqual([
      503,
      'The dashboard needs Redis: Redis does not respond.\n',
    ]);
    const startedMs = performance.now();
    await worker.stop();
    expect(performance.now() - startedMs).toBeLessThan(5000);
    expect(worker.lines.map(({ msg }) => msg).join()).not.toContain('abandoned');
    await redis.start();
  });
});

async function workplace(
  { onTestFinished }: TestContext,
  options: Omit<WorkplaceOptions, 'redisUrl'> = {},
): Promise<{ place: Workplace; redis: OwnRedis }> {
  const redis = await startOwnRedis();
  onTestFinished(() => redis.close());
  const place = await openWorkplace({ redisUrl: redis.url, ...options });
  onTestFinished(() => place.close());
  return { place, redis };
}

async function ready(url: string | null) {
  const response = await fetch(`${url}/ready`);
  return { status: response.status, body: (await response.json()) as unknown };
}
