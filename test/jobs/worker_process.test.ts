import { describe, expect, it, type TestContext } from 'vitest';
import type { Command } from '../support/command.ts';
import { openWorkplace, until, type Workplace, workplaceWithOwnRedis } from '../support/worker.ts';

// The tests run concurrently, because each has its own Redis and spends most of its time waiting.

describe.concurrent('the command `worker`', () => {
  it('the command `worker` prints how to start Redis and exits with 2 if Redis does not respond', async (test) => {
    const { place, redis } = await workplaceWithOwnRedis(test);
    await redis.kill();
    const { code, said, json } = await place.upstream.cli('worker');
    const { stderr } = await place.upstream.cli('worker', '--quiet');
    expect(code).toBe(2);
    expect(said).toContain(`Redis at ${redis.url} does not respond`);
    expect(said).toContain('redis-server --appendonly yes');
    expect(stderr).toContain(`Redis at ${redis.url} does not respond`);
    expect(json).toMatchObject({ ok: false, command: 'worker' });
    for (const line of stderr.trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
    await redis.start();
  });

  it('the command `worker` rejects two configurations for the same registry', async (test) => {
    const { place } = await workplaceWithOwnRedis(test);
    const { configPath } = place.upstream;
    const { code, said } = await place.upstream.cli('worker', '--config', configPath, '--config', configPath);
    expect(code).toBe(2);
    expect(said).toContain('two configurations have the same queue `isle-of-man.main`');
  });

  it('after SIGTERM, the command `worker` loads the in-flight calls, queues the next batch and exits with 0', async (test) => {
    const { place } = await workplaceWithOwnRedis(test, { sandbox: { latencyMs: 800 } });
    const command = start(test, place);
    // The ninth call can be the last one of a job's run.
    const isRunning = () => place.runs().at(-1)?.ended === null;
    await until('calls are in flight', () => place.upstream.sandbox.arrivals().length >= 9 && isRunning());
    const signalledMs = performance.now();
    command.process.kill('SIGTERM');
    const { code, stderr } = await command.finished;
    expect(code).toBe(0);
    expect(performance.now() - signalledMs).toBeLessThan(60_000);
    expect(loaded(place)).toBe(place.upstream.sandbox.arrivals().length);
    expect(place.runs().at(-1)?.ended).toBe('interrupted');
    expect((await place.queue.getPrioritized()).map(({ data }) => data.because)).toContain(
      'the previous run ended before its work was done (interrupted)',
    );
    expect(linesOf(stderr).at(-1)).toMatchObject({ msg: 'worker stopped' });
  });

  it('the command `worker` logs neither jobs nor calls with --quiet', async (test) => {
    const { place } = await workplaceWithOwnRedis(test);
    const command = start(test, place, '--quiet');
    await until('a call is made', () => place.upstream.sandbox.arrivals().length > 0);
    await until('a job has ended', () => place.runs().some(({ ended_at }) => ended_at !== null));
    command.process.kill('SIGTERM');
    const messages = linesOf((await command.finished).stderr).map(({ msg }) => msg);
    expect(messages.filter((msg) => /^(run started|job finished|worker stopped)$/.test(msg))).toEqual([]);
  });

  it('the command `worker` serves several registries at the same time', async (test) => {
    const { place, redis } = await workplaceWithOwnRedis(test);
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
});

it.concurrent('a Redis failure during a job loses no response and spends no call twice', async (test) => {
  const { place, redis } = await workplaceWithOwnRedis(test, {
    overrides: { allowance: { per_minute: 1200, unlimited: true } },
  });
  const command = start(test, place);
  await until('a sweep runs', () => place.upstream.sandbox.arrivals().length >= 3);
  await redis.kill();
  await until('the run continues without Redis', () => place.upstream.sandbox.arrivals().length >= 9);
  await redis.start();
  await redis.flush();
  await until('the registry is mirrored', () => place.isMirrored());
  await until('the schedules are restored', async () => (await place.queue.getJobSchedulersCount()) === 3);
  command.process.kill('SIGTERM');
  const { code, stderr } = await command.finished;
  expect(code).toBe(0);
  const messages = linesOf(stderr).map(({ msg }) => msg);
  expect(messages).toContain(
    'Redis connection lost: the current job continues, and the next job waits for Redis',
  );
  expect(messages).toContain('Redis connection restored');
  expect(loaded(place)).toBe(place.upstream.sandbox.arrivals().length);
});

it.concurrent("a standby takes over a killed worker's job", async (test) => {
  const { place } = await workplaceWithOwnRedis(test, {
    overrides: { allowance: { per_minute: 3000, unlimited: true } },
  });
  const first = start(test, place);
  await until('the first worker makes calls', () => place.upstream.sandbox.arrivals().length >= 20);
  const second = start(test, place, '--config', place.upstream.configPath);
  first.process.kill('SIGKILL');
  await first.finished;
  await until('the second worker has finished', () => hasRuns(place, 3) && place.isMirrored());
  second.process.kill('SIGTERM');
  expect((await second.finished).code).toBe(0);
});

function start({ onTestFailed }: TestContext, place: Workplace, ...args: string[]): Command {
  const command = place.upstream.start('worker', ...args);
  onTestFailed(async () => {
    command.process.kill('SIGKILL');
    const { code, signal, stderr } = await command.finished;
    process.stderr.write(
      `standard error of the worker (exit ${code}, ${signal}):\n${stderr.slice(-20_000)}\n`,
    );
  });
  return command;
}

function hasRuns(place: Workplace, runs: number): boolean {
  try {
    return place.runs().filter(({ ended }) => ended !== null).length >= runs;
  } catch {
    return false; // the warehouse does not exist yet
  }
}

function loaded(place: Workplace): number {
  const db = place.upstream.warehouse();
  try {
    return db.prepare('SELECT count(*) FROM _call').pluck().get() as number;
  } finally {
    db.close();
  }
}

function linesOf(stderr: string): { msg: string }[] {
  return stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}
