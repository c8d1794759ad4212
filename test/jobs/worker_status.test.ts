import { expect, it } from 'vitest';
import { SCHEDULED_JOBS } from '../../jobs/all_jobs.ts';
import { until, workplacesOverOneRedis } from '../support/worker.ts';

const workplace = workplacesOverOneRedis();

it('status shows the worker, and the last and next times of its schedules', async () => {
  const place = await workplace();
  await place.startWorker();
  await until('the registry is mirrored', () => place.isMirrored());
  const { json } = await place.upstream.cli('status', '--json');
  const { leader, schedules } = json.data.worker;
  expect(leader.pid).toBe(process.pid);
  expect(schedules.map(({ name }: { name: string }) => name)).toEqual(SCHEDULED_JOBS.map(({ name }) => name));
  for (const { last_at, next_at, heartbeat_at } of schedules) {
    expect(Date.parse(last_at)).toBeLessThan(Date.now());
    expect(Date.parse(next_at)).toBeGreaterThan(Date.now());
    expect(Date.now() - Date.parse(heartbeat_at)).toBeLessThan(20_000);
  }
});

it('status shows a paused queue, and no next time for schedules that do not exist', async () => {
  const place = await workplace({ overrides: { allowance: { per_minute: 'unlimited', total: 60 } } });
  await place.startWorker();
  await until('the allowance is used up', () => place.upstream.sandbox.arrivals().length === 60);
  await until('the schedules are removed', async () => (await place.queue.getJobSchedulersCount()) === 0);
  await place.queue.pause();
  const { json } = await place.upstream.run('status', '--json');
  expect(json.data.worker.paused).toBe(true);
  expect(json.data.worker.schedules.map(({ next_at }: { next_at: unknown }) => next_at)).toEqual([
    null,
    null,
    null,
  ]);
});

it('status shows no worker if none was ever started', async () => {
  const place = await workplace();
  const { code, json } = await place.upstream.run('status', '--json');
  expect(code).toBe(0);
  expect(json.data.worker).toBeNull();
});

it('status works without Redis', async () => {
  const place = await workplace({ overrides: { worker: { redis_url: 'redis://127.0.0.1:1' } } });
  const { code, json } = await place.upstream.run('status', '--json');
  expect(code).toBe(0);
  expect(json.data.worker).toBeNull();
});
