import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { describe, expect, it, type TestContext } from 'vitest';
import { hasRealRedis, startOwnRedis } from '../support/redis_server.ts';
import { openWorkplace, until, type Workplace, workplaceWithOwnRedis } from '../support/worker.ts';

// Only a real Redis can run out of memory.
describe.runIf(hasRealRedis())('a worker whose Redis rejects writes', () => {
  it('a worker whose Redis rejects writes logs few lines, is not ready, and resumes when Redis accepts writes again', async (test) => {
    const { place, redis } = await workplaceWithOwnRedis(test);
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

// These tests run concurrently, because they spend most of their time waiting.
describe.concurrent('a worker whose Redis is disturbed', () => {
  it('a worker restores its schedules after FLUSHALL, and runs no job a second time', async (test) => {
    const { place, redis } = await workplaceWithOwnRedis(test);
    await place.startWorker();
    const ended = () => place.runs().filter(({ ended_at }) => ended_at !== null);
    await until('the registry is mirrored', () => ended().length === 3 && place.isMirrored());
    await redis.flush();
    await until('the schedules are restored', async () => (await place.queue.getJobSchedulersCount()) === 3);
    expect(place.runs()).toHaveLength(3);
  });

  it('a worker whose connections are cut every two seconds still reconciles its queue', async (test) => {
    const { place, proxy } = await workplaceBehindProxy(test);
    const worker = await place.startWorker();
    const keptAt = () => worker.registries[0]?.state.reconciledAtMs ?? 0;
    await until('the queue was reconciled', () => keptAt() > 0);
    const cutting = setInterval(() => proxy.cut(), 2000);
    test.onTestFinished(() => clearInterval(cutting));
    const before = keptAt();
    await until('the queue was reconciled again', () => keptAt() > before + 6_000);
    clearInterval(cutting);
  });

  it('a worker whose Redis answers too slowly is healthy but not ready', async (test) => {
    const { place, proxy } = await workplaceBehindProxy(test);
    const worker = await place.startWorker();
    await until('the worker is ready', async () => (await ready(worker.url)).status === 200);
    proxy.delayMs = 7000;
    await until('the worker is not ready', async () => (await ready(worker.url)).status === 503);
    expect((await fetch(`${worker.url}/health`)).status).toBe(200);
    proxy.delayMs = 0;
    await until('the worker is ready again', async () => (await ready(worker.url)).status === 200);
  });
});

describe.runIf(hasRealRedis())('a worker whose Redis suddenly demands a password', () => {
  it('a worker whose Redis suddenly demands a password logs one line without a stack', async (test) => {
    const { place, redis } = await workplaceWithOwnRedis(test);
    const worker = await place.startWorker();
    await until('the registry is mirrored', () => place.isMirrored());
    const admin = new Redis(redis.url);
    test.onTestFinished(() => admin.disconnect());
    const before = worker.lines.length;
    await admin.config('SET', 'requirepass', 'secret');
    await admin.auth('secret');
    await admin.call('CLIENT', 'KILL', 'SKIPME', 'yes');
    await until('the worker is not ready', async () => (await ready(worker.url)).status === 503);
    await until('several commands were rejected', () => worker.registries[0]?.state.redisError !== null);
    const errors = worker.lines.slice(before).filter(({ level }) => level >= 40);
    expect(JSON.stringify(errors)).not.toMatch(/\\n +at /);
    expect(errors.filter(({ msg }) => msg.startsWith('Redis rejects commands')).length).toBeLessThan(4);
    await admin.config('SET', 'requirepass', '');
  });
});

describe('a worker without Redis', () => {
  it('a worker whose Redis fails during a job stops after it has loaded every response', async (test) => {
    const { place, redis } = await workplaceWithOwnRedis(test, {
      overrides: { allowance: { per_minute: 600, unlimited: true } },
    });
    const worker = await place.startWorker();
    await until('a job runs', () => place.upstream.sandbox.arrivals().length >= 5);
    await redis.kill();
    await worker.stop();
    const db = place.upstream.warehouse();
    expect(db.prepare('SELECT count(*) FROM _call').pluck().get()).toBe(
      place.upstream.sandbox.arrivals().length,
    );
    db.close();
    await redis.start();
  });

  it('a worker without Redis stops within five seconds and reports no abandoned calls', async (test) => {
    const { place, redis } = await workplaceWithOwnRedis(test);
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

/** A TCP proxy in front of Redis that can cut its connections and delay the replies. */
class RedisProxy {
  delayMs = 0;
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;

  constructor(target: URL) {
    this.#server = createServer((client) => {
      const redis = connect(Number(target.port), target.hostname);
      for (const socket of [client, redis]) {
        this.#sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          this.#sockets.delete(socket);
          client.destroy();
          redis.destroy();
        });
      }
      client.on('data', (data) => redis.write(data));
      redis.on('data', (data) => {
        if (this.delayMs === 0) client.write(data);
        else setTimeout(() => client.write(data), this.delayMs);
      });
    });
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `redis://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.#server.close();
    this.cut();
  }
}

async function workplaceBehindProxy(test: TestContext): Promise<{ place: Workplace; proxy: RedisProxy }> {
  const redis = await startOwnRedis();
  const proxy = new RedisProxy(new URL(redis.url));
  test.onTestFinished(() => redis.close());
  test.onTestFinished(() => proxy.close());
  const place = await openWorkplace({ redisUrl: await proxy.listen() });
  test.onTestFinished(() => place.close());
  return { place, proxy };
}

async function ready(url: string | null) {
  const response = await fetch(`${url}/ready`);
  return { status: response.status, body: (await response.json()) as unknown };
}
