import { describe, expect, it, type TestContext, vi } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { type OwnRedis, startOwnRedis } from '../support/redis_server.ts';
import type { Command } from '../support/upstream.ts';
import { openWorkplace, until, type Workplace, type WorkplaceOptions } from '../support/worker.ts';

// Each test has its own Redis and mostly waits: they run side by side.
vi.setConfig({ testTimeout: 60_000 });

describe.concurrent('the command `worker`', () => {
  it('says how to start a Redis when none answers, and exits 2', async (test) => {
    const { place, redis } = await workplace(test);
    await redis.kill();
    const { code, stderr, json } = await place.upstream.cli('worker');
    expect(code).toBe(2);
    expect(stderr).toContain(`no Redis answers at ${redis.url}`);
    expect(stderr).toContain('redis-server --appendonly yes');
    expect(json).toMatchObject({ ok: false, command: 'worker' });
    await redis.start();
  });

  it('refuses two configurations of one registry', async (test) => {
    const { place } = await workplace(test);
    const { configPath } = place.upstream;
    const { code, stderr } = await place.upstream.cli(
      'worker',
      '--config',
      configPath,
      '--config',
      configPath,
    );
    expect(code).toBe(2);
    expect(stderr).toContain('two configurations are both `isle-of-man.main`');
  });

  it('finishes and loads the calls in flight at SIGTERM, hands the rest over, and exits 0', async (test) => {
    const { place } = await workplace(test, { sandbox: { latencyMs: 800 } });
    const command = start(test, place);
    await until('calls are in flight', () => place.upstream.sandbox.arrivals().length >= 9);
    const askedMs = performance.now();
    command.process.kill('SIGTERM');
    const { code, stderr } = await command.finished;
    expect(code).toBe(0);
    expect(performance.now() - askedMs).toBeLessThan(10_000);
    expect(loaded(place)).toBe(place.upstream.sandbox.arrivals().length);
    expect(place.runs().at(-1)?.ended).toBe('interrupted');
    expect((await place.queue.getPrioritized()).map(({ data }) => data.because)).toContain(
      'the run before ended with interrupted',
    );
    expect(linesOf(stderr).at(-1)).toMatchObject({ msg: 'worker stopped' });
  });

  it('serves several registries at once', async (test) => {
    const { place, redis } = await workplace(test);
    const other = await openWorkplace({ redisUrl: redis.url, prefix: place.prefix, name: 'Sark' });
    test.onTestFinished(() => other.close());
    const command = start(
      test,
      place,
      '--config',
      place.upstream.configPath,
      '--config',
      other.upstream.configPath,
    );
    await until(
      'both are mirrored',
      () => hasRuns(place, 3) && hasRuns(other, 3) && place.isMirrored() && other.isMirrored(),
    );
    command.process.kill('SIGTERM');
    expect((await command.finished).code).toBe(0);
  });

  it('shows the key nowhere: not in its log, not in Redis', async (test) => {
    const { place, redis } = await workplace(test);
    const key = loadConfig({ path: place.upstream.configPath, env: {} }).upstream.api_key.reveal();
    place.upstream.sandbox.companies.put({ id: 'BROKEN', name: 'X', fields: {} });
    const command = start(test, place);
    await until('it is mirrored', () => hasRuns(place, 3) && place.isMirrored());
    command.process.kill('SIGTERM');
    const { stdout, stderr } = await command.finished;
    expect(stdout + stderr).not.toContain(key);
    for (const name of await place.redis.keys('*')) expect(await contentOf(place, name)).not.toContain(key);
    expect(redis.kind).toBeDefined();
  });
});

describe.concurrent('a Redis that fails', () => {
  it('may be killed and come back empty while a job is at work: nothing is lost or spent twice', async (test) => {
    const { place, redis } = await workplace(test, {
      overrides: { allowance: { per_minute: 3000, unlimited: true } },
    });
    const command = start(test, place);
    await until('a sweep is at work', () => place.upstream.sandbox.arrivals().length >= 10);
    await redis.kill();
    await until('the run goes on without it', () => place.upstream.sandbox.arrivals().length >= 20);
    await redis.start();
    await redis.flush();
    await until('the registry is mirrored', () => place.isMirrored(), 40_000);
    await until('the schedules are back', async () => (await place.queue.getJobSchedulersCount()) === 3);
    command.process.kill('SIGTERM');
    const { code, stderr } = await command.finished;
    expect(code).toBe(0);
    const said = linesOf(stderr).map(({ msg }) => msg);
    expect(said).toContain('Redis is lost: what is at work goes on, what follows waits until it is back');
    expect(said).toContain('Redis is back');
    expect(loaded(place)).toBe(place.upstream.sandbox.arrivals().length);
  });

  it('does not keep the worker from stopping', async (test) => {
    const { place, redis } = await workplace(test, {
      overrides: { allowance: { per_minute: 600, unlimited: true } },
    });
    const command = start(test, place);
    await until('a job is at work', () => place.upstream.sandbox.arrivals().length >= 5);
    await redis.kill();
    command.process.kill('SIGTERM');
    const { code } = await command.finished;
    expect(code).toBe(0);
    expect(loaded(place)).toBe(place.upstream.sandbox.arrivals().length);
    await redis.start();
  });

  it('may be flushed: the schedules come back, and no moment runs twice', async (test) => {
    const { place, redis } = await workplace(test);
    const command = start(test, place);
    await until('it is mirrored', () => hasRuns(place, 3) && place.isMirrored());
    await redis.flush();
    await until('the schedules are back', async () => (await place.queue.getJobSchedulersCount()) === 3);
    command.process.kill('SIGTERM');
    await command.finished;
    expect(place.runs()).toHaveLength(3);
  });
});

it.concurrent('takes over the job of a worker that was killed', async (test) => {
  const { place } = await workplace(test, {
    overrides: { allowance: { per_minute: 3000, unlimited: true } },
  });
  const first = start(test, place);
  await until('it is at work', () => place.upstream.sandbox.arrivals().length >= 20);
  const second = start(test, place, '--config', place.upstream.configPath);
  first.process.kill('SIGKILL');
  await first.finished;
  await until('the other one has done the rest', () => hasRuns(place, 3) && place.isMirrored(), 60_000);
  second.process.kill('SIGTERM');
  expect((await second.finished).code).toBe(0);
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

function start({ onTestFailed }: TestContext, place: Workplace, ...args: string[]): Command {
  const command = place.upstream.start('worker', ...args);
  onTestFailed(async () => {
    command.process.kill('SIGKILL');
    const { code, signal, stderr } = await command.finished;
    process.stderr.write(`the worker (exit ${code}, ${signal}) said:\n${stderr.slice(-20_000)}\n`);
  });
  return command;
}

function hasRuns(place: Workplace, runs: number): boolean {
  try {
    return place.runs().filter(({ ended }) => ended !== null).length >= runs;
  } catch {
    return false; // the warehouse is not made yet
  }
}

function loaded(place: Workplace): number {
  const db = place.upstream.warehouse();
  try {
    return db.prepare("SELECT count(*) FROM _call WHERE outcome <> 'unsent'").pluck().get() as number;
  } finally {
    db.close();
  }
}

async function contentOf({ redis }: Workplace, key: string): Promise<string> {
  switch (await redis.type(key)) {
    case 'hash':
      return JSON.stringify(await redis.hgetall(key));
    case 'string':
      return (await redis.get(key)) ?? '';
    case 'stream':
      return JSON.stringify(await redis.xrange(key, '-', '+'));
    default:
      return '';
  }
}

function linesOf(stderr: string): { msg: string }[] {
  return stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}
