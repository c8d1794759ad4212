import { expect, it } from 'vitest';
import { ALL_JOBS } from '../../jobs/all_jobs.ts';
import type { LocalJob, ScheduledJob } from '../../jobs/job.ts';
import { attemptsWithin } from '../../jobs/queue.ts';
import { UsageError } from '../../src/errors.ts';
import { openQuarantineCount } from '../../src/warehouse/activity.ts';
import { until, workplacesOverOneRedis } from '../support/worker.ts';

/** A complete definition of a job, which runs a local check every second. */
const checkQuarantine: LocalJob & ScheduledJob = {
  name: 'check-quarantine',
  title: 'Quarantine',
  spendsCalls: false,
  priority: () => 5,
  pattern: () => '* * * * * *',
  process: async ({ workspace }) => `${openQuarantineCount(workspace.warehouse.db)} responses in quarantine`,
};
const jobs = [...ALL_JOBS, checkQuarantine];
const workplace = workplacesOverOneRedis();

it('a job needs only its definition to be scheduled, run, recorded and measured', async () => {
  const place = await workplace();
  const { url } = await place.startWorker(jobs);
  const runsOf = (name: string) => place.runs().filter(({ command, ended }) => command === name && ended);
  await until('the check has run three times', () => runsOf('check-quarantine').length >= 3);
  await until('a check is completed', async () => (await completedChecks()).length > 0);

  expect(runsOf('check-quarantine').map(({ ended, calls }) => `${ended}, ${calls} calls`)).toContain(
    'done, 0 calls',
  );
  expect((await completedChecks())[0]?.returnvalue).toMatchObject({
    summary: '0 responses in quarantine',
    ended: 'done',
    calls: 0,
  });
  await until('the metrics include the check', async () =>
    /schedule_last_run_timestamp_seconds\{.*schedule="check-quarantine"\} 1\d{9}/.test(
      await (await fetch(`${url}/metrics`)).text(),
    ),
  );

  /** Ignores checks that were covered by an earlier check, which happens on a busy machine. */
  async function completedChecks() {
    const completed = await place.queue.getCompleted();
    return completed.filter(
      ({ name, returnvalue }) => name === checkQuarantine.name && returnvalue.ended === 'done',
    );
  }
});

it('a job that makes no calls keeps its schedule even if the quota never resets', async () => {
  const place = await workplace({ overrides: { allowance: { per_minute: 'unlimited', total: 60 } } });
  await place.startWorker(jobs);
  await until('only the check has a schedule', async () => {
    const schedules = await place.queue.getJobSchedulers();
    return schedules.map(({ key }) => key).join() === 'check-quarantine';
  });
  const checks = () => place.runs().filter(({ command }) => command === 'check-quarantine').length;
  const before = checks();
  await until('the check runs again', () => checks() > before);
  expect(place.upstream.sandbox.arrivals()).toHaveLength(60);
});

it('a job that throws is recorded as failed and retried after 30 seconds', async () => {
  const place = await workplace();
  let attempts = 0;
  const failing: LocalJob & ScheduledJob = {
    ...checkQuarantine,
    pattern: () => '0 0 29 2 *',
    process: async () => {
      attempts += 1;
      if (attempts === 1) throw new Error('the upstream is away');
      return 'the upstream is back';
    },
  };
  await place.startWorker([failing]);
  const failedOnce = async () =>
    (await place.queue.getDelayed()).find(({ attemptsMade }) => attemptsMade === 1);
  await until('the check waits for its retry', async () => (await failedOnce()) !== undefined);
  const waiting = await failedOnce();
  expect(waiting?.failedReason).toBe('the upstream is away');
  expect(waiting?.delay).toBe(30_000);
  expect(place.runs()).toMatchObject([{ command: 'check-quarantine', ended: 'failed' }]);
  await waiting?.promote();
  await until('the check is completed', async () => (await place.queue.getCompletedCount()) === 1);
  expect(place.runs()).toHaveLength(2);
});

it('a job that fails because of its configuration is not retried', async () => {
  const place = await workplace();
  const failing: LocalJob & ScheduledJob = {
    ...checkQuarantine,
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
