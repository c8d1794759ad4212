import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { JOB_VERSION, type JobData } from '../../jobs/job.ts';
import { redisKeysOf, scheduledTimeOf } from '../../jobs/queue.ts';
import { RegistryWorker } from '../../jobs/registry_worker.ts';
import { ALL_JOBS } from '../../jobs/worker.ts';
import { systemClock } from '../../src/clock.ts';
import { openWorkspace } from '../../src/operations/assemble.ts';
import { openRedisConnections } from '../../src/redis/connection.ts';
import { NEVER, until, type Workplace, workplacesOverOneRedis } from '../support/worker.ts';

const workplace = workplacesOverOneRedis();

describe('a worker', () => {
  it('a worker limits the number of calls in each batch', async () => {
    const place = await workplace({ overrides: { worker: { job_calls: 25 } } });
    await place.startWorker();
    await until('the registry is mirrored', () => place.isMirrored());
    const records = place.runs().filter(({ command }) => command === 'fetch-entities');
    expect(records.map(({ calls, ended }) => `${calls} ${ended}`)).toEqual([
      '25 max_calls',
      '25 max_calls',
      '10 done',
    ]);
  });

  it('with the focus `balanced`, batches of sweeps and of records alternate', async () => {
    const place = await workplace({ overrides: { focus: 'balanced', worker: { job_calls: 8 } } });
    await place.startWorker();
    await until('the registry is mirrored', () => place.isMirrored());
    expect(
      place
        .runs()
        .slice(0, 6)
        .map(({ command }) => command),
    ).toEqual([
      'poll-stats',
      'sweep-search',
      'fetch-entities',
      'sweep-search',
      'fetch-entities',
      'sweep-search',
    ]);
  });

  it('a worker runs a job exactly once for each scheduled time', async () => {
    const place = await workplace({ overrides: { schedule: { ...NEVER, entities: '* * * * * *' } } });
    await place.startWorker();
    const ticks = () => place.runs().filter(({ command }) => command === 'fetch-entities');
    const finished = async () =>
      (await place.queue.getCompleted()).flatMap((job) => {
        const scheduledMs = scheduledTimeOf(job);
        return scheduledMs === null ? [] : [{ scheduledMs, finishedMs: job.finishedOn ?? 0 }];
      });
    await until('six scheduled jobs have ended', async () => (await finished()).length >= 6);
    const jobs = await finished();
    const startsMs = ticks().map(({ started_at }) => Date.parse(started_at));
    for (const { scheduledMs, finishedMs } of jobs)
      expect(startsMs.some((startMs) => startMs >= scheduledMs && startMs <= finishedMs)).toBe(true);
    // Between the starts of two runs lies a whole second, which is the scheduled time of the second run.
    const seconds = startsMs.slice(1).map((startMs) => Math.floor(startMs / 1000));
    expect(seconds).toEqual([...new Set(seconds)]);
  });

  it('a worker makes one run for all scheduled times that were missed while no worker ran', async () => {
    const place = await workplace({ overrides: { schedule: { ...NEVER, entities: '* * * * * *' } } });
    // A sweep may come between them, because the statistics have changed.
    const runs = () => place.runs().filter(({ command }) => command === 'fetch-entities');
    const first = await place.startWorker();
    await until('a job runs', () => runs().length > 0);
    await first.stop();
    const before = runs().length;
    const stoppedMs = Date.now();
    await until('three scheduled times are missed', () => Date.now() - stoppedMs > 3500);
    place.upstream.configure({ ...base(place), schedule: { ...NEVER, entities: '* * * * * *' } });
    const second = await place.startWorker();
    await until('a run covers the missed times', () => runs().length > before + 1);
    await second.stop();
    const [caughtUp, next] = runs().slice(before);
    expect(Date.parse(next?.started_at ?? '') - Date.parse(caughtUp?.started_at ?? '')).toBeGreaterThan(0);
    expect(runs().length - before).toBeLessThanOrEqual(1 + Math.ceil((Date.now() - stoppedMs - 3500) / 1000));
  });

  it('a worker sweeps early if the statistics have changed, and then fetches the new companies', async () => {
    const place = await workplace({
      overrides: {
        schedule: { ...NEVER, stats: '*/2 * * * * *' },
        max_age: { stats: '1s', summaries: '1s' },
      },
    });
    await place.startWorker();
    await until('the registry is mirrored', () => place.isMirrored());
    const before = place.runs().length;
    place.upstream.sandbox.companies.put({ id: 'X0000001', name: 'BROUGHT FORWARD LIMITED', fields: {} });
    await until('the new company is fetched', () => place.isMirrored());
    const commands = place
      .runs()
      .slice(before)
      .map(({ command }) => command);
    expect(commands).toContain('sweep-search');
    expect(commands).toContain('fetch-entities');
  });
});

describe('an exhausted allowance', () => {
  it('an exhausted allowance ends the job with the date when the quota resets, and delays the schedules until then', async () => {
    const place = await workplace({ overrides: { allowance: { per_minute: 'unlimited', per_day: 60 } } });
    await place.startWorker();
    await until('the allowance is used up', () => place.upstream.sandbox.arrivals().length === 60);
    await until('the schedules have a start date', async () => {
      const schedules = await place.queue.getJobSchedulers();
      return schedules.length === 3 && schedules.every(({ startDate }) => startDate !== undefined);
    });
    const pausedJob = async () =>
      (await place.queue.getCompleted()).find(({ returnvalue }) => returnvalue.ended === 'allowance');
    await until(
      'a job is completed because the allowance is exhausted',
      async () => (await pausedJob()) !== undefined,
    );
    expect((await pausedJob())?.returnvalue.summary).toMatch(/quota used up until 20/);
    expect(await place.queue.getFailedCount()).toBe(0);
  });
});

describe('a faulty job', () => {
  it('a job from another version fails with a reason and does not block other jobs', async () => {
    const place = await workplace();
    const data = { version: JOB_VERSION + 1, tempo: 'allegro' } as unknown as JobData;
    const foreign = await place.queue.add('sweep-search', data);
    await place.startWorker();
    await until('the registry is mirrored', () => place.isMirrored());
    const failed = await place.queue.getFailed();
    expect(failed.map(({ id }) => id)).toEqual([foreign.id]);
    expect(failed[0]?.failedReason).toMatch(
      /another version wrote this job \(data version 3, this worker reads 2\)/,
    );
  });

  it('a job with an unknown name fails', async () => {
    const place = await workplace();
    await place.queue.add('poll-weather', { version: JOB_VERSION, because: 'rain' });
    await place.startWorker();
    await until('the job has failed', async () => (await place.queue.getFailedCount()) === 1);
    expect((await place.queue.getFailed())[0]?.failedReason).toMatch(/has no job `poll-weather`/);
  });

  it('a job with a rejected key fails once and spends one call', async () => {
    const place = await workplace({ overrides: { upstream: { api_key: 'not-a-key' } } });
    await place.startWorker();
    await until(
      'all runs have ended',
      () => place.runs().every(({ ended }) => ended !== null) && place.runs().length === 3,
    );
    await until('two have failed', async () => (await place.queue.getFailedCount()) === 2);
    const reasons = (await place.queue.getFailed()).map(({ failedReason }) => failedReason);
    for (const reason of reasons) expect(reason).toMatch(/run \d ended with unauthorised/);
    expect(place.upstream.sandbox.arrivals()).toHaveLength(1);
    expect(await place.queue.getPrioritizedCount()).toBe(0);
  });
});

describe('a worker that runs alongside other processes', () => {
  it('a worker waits for a running `sync` and runs its jobs afterwards', async () => {
    const place = await workplace({ overrides: { allowance: { per_minute: 6000, unlimited: true } } });
    const sync = place.upstream.start('sync', '--json');
    await place.upstream.arrived(10, sync);
    const worker = await place.startWorker();
    const { json } = await sync.finished;
    expect(json.data.ended).toBe('done');
    await until('the jobs have run after the sync', () => place.runs().length === 4);
    const [first, ...others] = place.runs();
    expect(first?.command).toBe('sync');
    expect(others.map(({ calls }) => calls)).toEqual([0, 0, 0]);
    expect(worker.lines.filter(({ level }) => level >= 50)).toEqual([]);
  });

  it('a second worker for a registry is on standby, and takes over when the leader stops', async () => {
    const place = await workplace();
    const first = await place.startWorker();
    const second = await place.startWorker();
    expect([first, second].map(({ registries }) => registries[0]?.state.role)).toEqual([
      'leading',
      'standing_by',
    ]);
    await first.stop();
    await until('the second leads', () => second.registries[0]?.state.role === 'leading');
  });

  it('the calls that two workers count after a takeover are those that were sent', async () => {
    const place = await workplace({ overrides: { worker: { job_calls: 25 } } });
    const workers = [await place.startWorker()];
    const counted = async () => {
      const texts = await Promise.all(workers.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()));
      const samples = texts.join('\n').matchAll(/^registry_mirror_api_requests_total\{.*\} (\d+)$/gm);
      return [...samples].reduce((sum, [, calls]) => sum + Number(calls), 0);
    };
    await until('the first has counted calls', async () => (await counted()) > 25);
    await workers[0]?.stop();
    // The first worker's port closes when it stops, so the second must count the calls after this.
    const before = place.runs().reduce((sum, { calls }) => sum + calls, 0);
    workers.splice(0, 1, await place.startWorker());
    await until('the mirror is whole', () => place.isMirrored());
    const all = place.runs().reduce((sum, { calls }) => sum + calls, 0);
    await until('the second has counted the other calls', async () => (await counted()) === all - before);
  });

  it('a worker that is stopped during its first renewal does not lead afterwards', async () => {
    const place = await workplace();
    const config = place.config();
    openWorkspace(config).close();
    const connections = openRedisConnections(config.worker.redis_url, { lost() {}, ready() {}, failed() {} });
    await connections.untilReady();
    const worker = new RegistryWorker({
      jobs: ALL_JOBS,
      config,
      connections,
      clock: systemClock,
      log: pino({ level: 'silent' }),
      observer: { attemptEnded() {}, callEnded() {}, callsLoaded() {} },
      tracing: null,
      identity: { worker: 'stopped', host: 'here', pid: 1, since: '' },
      onFatal: () => {},
    });
    worker.start();
    await worker.stop();
    connections.close();
    expect(worker.state.role).toBe('starting');
    expect(await place.redis.get(redisKeysOf(place.prefix, place.queueName).leader)).toBeNull();
  });

  it('a worker that loses the lead has the state of a standby, and can lead again', async () => {
    const place = await workplace();
    const { registries } = await place.startWorker();
    const state = () => registries[0]?.state;
    await until('it leads with a snapshot', () => state()?.role === 'leading' && state()?.snapshot !== null);
    const { leader: key } = redisKeysOf(place.prefix, place.queue.name);
    const other = { ...JSON.parse((await place.redis.get(key)) ?? '{}'), worker: 'other' };
    await place.redis.set(key, JSON.stringify(other));
    await until('it is on standby', () => state()?.role === 'standing_by');
    const { leader, running, snapshot, leadsSinceMs, problems } = state() ?? {};
    expect({ leader: leader?.worker, running, snapshot, leadsSinceMs, problems }).toEqual({
      leader: 'other',
      running: null,
      snapshot: null,
      leadsSinceMs: null,
      problems: [],
    });
    await place.redis.del(key);
    await until('it leads again', () => state()?.role === 'leading' && state()?.leader === null);
  });

  it("a worker stops if another worker counts its account's calls in another ledger", async () => {
    const place = await workplace();
    await place.startWorker();
    const elsewhere = await workplace({ prefix: place.prefix });
    const second = await elsewhere.startWorker();
    await until('the second worker reports a fatal error', () => second.fatal.length === 1);
    expect(String(second.fatal[0])).toMatch(/counts its calls in another ledger/);
  });

  it("a worker does not change another registry's queue", async () => {
    const place = await workplace();
    const neighbour = await workplace({ prefix: place.prefix, name: 'Sark' });
    await Promise.all([place.startWorker(), neighbour.startWorker()]);
    await until('both are mirrored', () => place.isMirrored() && neighbour.isMirrored());
    expect(place.runs()).toHaveLength(3);
    expect(neighbour.runs()).toHaveLength(3);
  });
});

function base(place: Workplace) {
  const { worker } = place.config();
  return {
    source: { name: 'Isle of Man' },
    worker: { redis_url: worker.redis_url.reveal(), prefix: worker.prefix, health_port: 0 },
  };
}
