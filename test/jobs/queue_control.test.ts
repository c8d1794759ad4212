import { expect, it } from 'vitest';
import { until, workplacesOverOneRedis } from '../support/worker.ts';

const workplace = workplacesOverOneRedis();

it('`worker run` adds a job, which the worker runs', async () => {
  const place = await workplace();
  await place.startWorker();
  await until('the registry is mirrored', () => place.runs().length === 3 && place.isMirrored());
  const { code, json } = await place.upstream.cli('worker', 'run', 'poll-stats');
  expect(code).toBe(0);
  expect(json.data).toMatchObject({ queue: place.queueName, paused: false, served: true });
  await until('the job has run', () => place.runs().length === 4);
  expect(place.runs().at(-1)?.command).toBe('poll-stats');
});

it('`worker run` rejects an unknown job and lists the known jobs', async () => {
  const place = await workplace();
  const { code, said } = await place.upstream.run('worker', 'run', 'poll-weather');
  expect(code).toBe(2);
  expect(said).toContain('Name one of: poll-stats, sweep-search, fetch-entities.');
});

it('`worker pause` and `worker resume` take effect on the HTTP port, in the metrics and in the log', async () => {
  const place = await workplace();
  const { url, lines } = await place.startWorker();
  const pausedOn = async () => {
    const { registries } = (await (await fetch(`${url}/ready`)).json()) as {
      registries: { paused: boolean }[];
    };
    return registries[0]?.paused;
  };
  const metrics = async () => await (await fetch(`${url}/metrics`)).text();
  expect((await place.upstream.run('worker', 'pause')).json.data).toMatchObject({ paused: true });
  await until('the HTTP port reports the pause', async () => (await pausedOn()) === true);
  expect(await metrics()).toContain('registry_mirror_queue_paused{registry="isle-of-man.main"} 1');
  expect((await place.upstream.run('worker', 'resume')).json.data).toMatchObject({ paused: false });
  await until('the HTTP port reports the end of the pause', async () => (await pausedOn()) === false);
  const messages = lines.map(({ msg }) => msg);
  expect(messages.some((msg) => msg.startsWith('the queue is paused'))).toBe(true);
  expect(messages).toContain('the queue was resumed');
});

it('a job with the data `{}` runs', async () => {
  const place = await workplace();
  const added = await place.queue.add('poll-stats', {} as never);
  await place.startWorker();
  await until('the job is completed', async () =>
    (await place.queue.getCompleted()).some(({ id }) => id === added.id),
  );
});
