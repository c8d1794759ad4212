import { expect, it } from 'vitest';
import { ALL_JOBS } from '../../jobs/all_jobs.ts';
import type { LocalJob, ScheduledJob } from '../../jobs/job.ts';
import { openQuarantineCount } from '../../src/warehouse/activity.ts';
import { until, workplacesOverOneRedis } from '../support/worker.ts';

/** A complete job definition: a local check that runs every second. */
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

  async function completedChecks() {
    return (await place.queue.getCompleted()).filter(({ name }) => name === 'check-quarantine');
  }
});

it('a job without calls keeps its schedule while no quota will return', async () => {
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

it('a job that throws is recorded as failed and shown in the failed set', async () => {
  const place = await workplace();
  const failing: LocalJob & ScheduledJob = {
    ...checkQuarantine,
    process: async () => {
      throw new Error('the check found a fault');
    },
  };
  await place.startWorker([failing]);
  await until('the check has failed', async () => (await place.queue.getFailedCount()) > 0);
  expect((await place.queue.getFailed())[0]?.failedReason).toBe('the check found a fault');
  expect(place.runs()[0]).toMatchObject({ command: 'check-quarantine', ended: 'failed' });
});
