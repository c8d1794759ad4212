import { expect, it } from 'vitest';
import { runCommand } from '../support/command.ts';
import { until, workplacesOverOneRedis } from '../support/worker.ts';

const workplace = workplacesOverOneRedis();

it('a total that is used up removes the schedules, and status shows no next time', async () => {
  const place = await workplace({ overrides: { allowance: { per_minute: 'unlimited', total: 60 } } });
  await place.startWorker();
  await until('the allowance is used up', () => place.upstream.sandbox.arrivals().length === 60);
  await until('the schedules are removed', async () => (await place.queue.getJobSchedulersCount()) === 0);
  expect(place.upstream.sandbox.arrivals()).toHaveLength(60);
  const { json } = await place.upstream.run('status', '--json');
  expect(json.data.worker.schedules.map(({ next_at }: { next_at: unknown }) => next_at)).toEqual([
    null,
    null,
    null,
  ]);
});

it('status says that no worker runs instead of a next time', async () => {
  const place = await workplace({});
  const worker = await place.startWorker();
  await until('the schedules exist', async () => (await place.queue.getJobSchedulersCount()) === 3);
  await worker.stop();
  const { stdout } = await runCommand(['status', '--config', place.upstream.configPath], { columns: 120 });
  expect(stdout).toMatch(/poll-stats .* no worker runs/);
});

it.each([
  ['if none was ever started', {}],
  ['without Redis', { worker: { redis_url: 'redis://127.0.0.1:1' } }],
])('status shows no worker %s', async (_, overrides) => {
  const place = await workplace({ overrides });
  const { code, json } = await place.upstream.run('status');
  expect(code).toBe(0);
  expect(json.data.worker).toBeNull();
});
