import { expect, it } from 'vitest';
import type { JobContext, JobDefinition, ScheduledJob } from '../../jobs/job.ts';
import { attemptsWithin, redisKeysOf } from '../../jobs/queue.ts';
import { ALL_JOBS } from '../../jobs/worker.ts';
import { UsageError } from '../../src/errors.ts';
import { runEngine } from '../../src/operations/run.ts';
import { pollStats } from '../support/measured_worker.ts';
import { until, workplacesOverOneRedis } from '../support/worker.ts';

/** A complete definition of a job, which runs every second. */
const checkStatistics: ScheduledJob = {
  name: 'check-statistics',
  kind: 'stats',
  title: 'Statistics again',
  priority: () => 5,
  pattern: () => '* * * * * *',
  process: ({ workspace, bounds }) =>
    runEngine(workspace, {
      ...bounds,
      command: 'check-statistics',
      kinds: new Set(['stats']),
    }),
};
const workplace = workplacesOverOneRedis();

it('a job needs only its definition to be scheduled, run, recorded and measured', async () => {
  const place = await workplace();
  const { url } = await place.startWorker([...ALL_JOBS, checkStatistics]);
  const runs = () => place.runs().filter(({ command, ended }) => command === checkStatistics.name && ended);
  await until('the check has run three times', () => runs().length >= 3);
  await until('the metrics include the check', async () =>
    /schedule_last_run_timestamp_seconds\{.*schedule="check-statistics"\} 1\d{9}/.test(
      await (await fetch(`${url}/metrics`)).text(),
    ),
  );
});

it('a job that throws is retried after 30 and 60 seconds', async () => {
  const place = await workplace();
  let attempts = 0;
  const failing: ScheduledJob = {
    ...checkStatistics,
    pattern: () => '0 0 29 2 *',
    process: async (context) => {
      attempts += 1;
      if (attempts <= 2) throw new Error('the upstream is away');
      return await checkStatistics.process(context);
    },
  };
  await place.startWorker([failing]);
  for (const [failures, delay] of [
    [1, 30_000],
    [2, 60_000],
  ]) {
    const failed = async () =>
      (await place.queue.getDelayed()).find(({ attemptsMade }) => attemptsMade === failures);
    await until('the check waits for its retry', async () => (await failed()) !== undefined);
    const waiting = await failed();
    expect(waiting).toMatchObject({ failedReason: 'the upstream is away', delay });
    await waiting?.promote();
  }
  await until('the check is completed', async () => (await place.queue.getCompletedCount()) === 1);
  expect(place.runs()).toMatchObject([{ command: 'check-statistics', ended: 'done' }]);
});

it("a batch gets the configuration's limits", async () => {
  const place = await workplace({
    overrides: { worker: { job_calls: 17, job_time: '3m' } },
  });
  const given: JobContext['bounds'][] = [];
  const observing: ScheduledJob = {
    ...checkStatistics,
    process: (context) => {
      given.push(context.bounds);
      return checkStatistics.process(context);
    },
  };
  await place.startWorker([observing]);
  await until('the check has run', () => place.runs().some(({ ended }) => ended !== null));
  expect(given[0]).toMatchObject({ maxCalls: 17, maxMinutes: 3 });
});

it('an attempt is counted as retried, the last attempt as failed, and both stay for a month', async () => {
  const place = await workplace();
  const failing: ScheduledJob = {
    ...checkStatistics,
    pattern: () => '0 0 29 2 *',
    process: async () => {
      throw new Error('the upstream is away');
    },
  };
  const { url } = await place.startWorker([failing]);
  await until('the queued job waits for its retry', async () => (await place.queue.getDelayedCount()) === 2);
  const retried = (await place.queue.getDelayed()).find(({ attemptsMade }) => attemptsMade === 1);
  expect(retried?.opts).toMatchObject({
    removeOnComplete: { age: 7 * 86_400 },
    removeOnFail: { age: 30 * 86_400 },
  });
  const labels = `registry="isle-of-man.main",name="${failing.name}"`;
  const expectRuns = async (counts: Readonly<Record<string, number>>) => {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    for (const [outcome, count] of Object.entries(counts))
      expect(metrics).toContain(`registry_mirror_job_runs_total{${labels},outcome="${outcome}"} ${count}\n`);
  };
  await expectRuns({ retried: 1, failed: 0 });
  await place.queue.add(failing.name, {} as never, { attempts: 1 });
  await until('the other job has failed', async () => (await place.queue.getFailedCount()) === 1);
  await expectRuns({ retried: 1, failed: 1 });
});

it('a job that fails because of its configuration is not retried', async () => {
  const place = await workplace();
  const failing: ScheduledJob = {
    ...checkStatistics,
    process: async () => {
      throw new UsageError('the configuration is wrong', { hint: 'Correct it.' });
    },
  };
  await place.startWorker([failing]);
  await until('the check has failed', async () => (await place.queue.getFailedCount()) > 0);
  const [failed] = await place.queue.getFailed();
  expect(failed).toMatchObject({ failedReason: 'the configuration is wrong. Correct it.', attemptsMade: 1 });
});

it.each([
  ['every second', 1000, 1],
  ['every ten minutes', 600_000, 3],
  ['every hour', 3_600_000, 5],
  ['every day', 86_400_000, 8],
])('a failed job that runs %s is retried within a quarter of that time', (_period, periodMs, attempts) => {
  expect(attemptsWithin(periodMs)).toBe(attempts);
});

it('a job that cannot start is a problem until it starts', async () => {
  const place = await workplace({ overrides: { worker: { job_calls: 3 } } });
  let isBroken = true;
  const job = {
    ...pollStats,
    process: async (context: JobContext) => {
      if (isBroken) throw new Error('a file is missing');
      return pollStats.process(context);
    },
  } as JobDefinition;
  const { registries } = await place.startWorker([job]);
  const causes = () => registries[0]?.state.problems.map(({ name }) => name);
  await until('the problem is reported', () => causes()?.includes('job_cannot_start') ?? false);
  isBroken = false;
  for (const delayed of await place.queue.getDelayed()) await delayed.promote().catch(() => undefined);
  await until('the job has run', () => place.runs().some(({ ended }) => ended === 'done'));
  await until('the problem is gone', () => causes()?.includes('job_cannot_start') === false, 30_000);
});

it('a worker that no longer leads does not report a job that could not start', async () => {
  const place = await workplace();
  const failing = { ...checkStatistics, process: () => Promise.reject(new Error('a file is missing')) };
  const [worker] = (await place.startWorker([failing])).registries;
  const causes = () => worker?.state.problems.map(({ name }) => name);
  await until('the problem is reported', () => causes()?.includes('job_cannot_start') ?? false);
  await place.redis.set(redisKeysOf(place.prefix, place.queueName).leader, 'another worker');
  await until('the worker is on standby', () => worker?.state.role === 'standing_by');
  expect(causes()).not.toContain('job_cannot_start');
});

it('a job that fails after its worker has stopped leading is no problem of this worker', async () => {
  const place = await workplace();
  const { promise: end, reject: fail } = Promise.withResolvers<never>();
  let hasStarted = false;
  const slow = {
    ...checkStatistics,
    process: () => {
      hasStarted = true;
      return end;
    },
  };
  const [worker] = (await place.startWorker([slow])).registries;
  await until('the job has started', () => hasStarted);
  const [job] = await place.queue.getActive();
  await place.redis.set(redisKeysOf(place.prefix, place.queueName).leader, 'another worker');
  await until('the worker is on standby', () => worker?.state.role === 'standing_by');
  fail(new Error('a file is missing'));
  await until('the job has ended', async () => (await job?.getState()) !== 'active');
  expect(worker?.state.problems).toEqual([]);
});
