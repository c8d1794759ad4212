import { readFileSync, writeFileSync } from 'node:fs';
import pino from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { backfill, nextBatchAtMs } from '../../jobs/backfill.ts';
import { ErrorLog } from '../../jobs/error_log.ts';
import { resultWithoutCalls } from '../../jobs/job.ts';
import { Processor } from '../../jobs/processor.ts';
import { enqueueBackfill } from '../../jobs/queue_control.ts';
import { ALL_JOBS } from '../../jobs/worker.ts';
import { systemClock } from '../../src/clock.ts';
import { openWorkspace } from '../../src/operations/assemble.ts';
import { keepBackfill } from '../../src/operations/backfill.ts';
import { queueBackfill, queuedBackfills } from '../../src/warehouse/backfill.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { until, type Workplace, workplacesOverOneRedis } from '../support/worker.ts';

const workplace = workplacesOverOneRedis();
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describe('a queued backfill', () => {
  it('a queued backfill runs in batches as one job and spends at most its call limit', async () => {
    const place = await workplace({ overrides: { worker: { job_calls: 20 } } });
    await enqueue(place, 50);
    consume(place);
    await until('the job is completed', async () => (await place.queue.getCompletedCount()) === 1);
    expect(place.runs().map(({ calls }) => calls)).toEqual([20, 20, 10]);
    const [job] = await place.queue.getCompleted();
    expect(job?.returnvalue.ended).toBe('max_calls');
  });

  it('a queued backfill does not spend the reserve, and waits for the next allowance window', async () => {
    const place = await workplace({
      overrides: { allowance: { per_minute: 'unlimited', per_day: 60, reserve: 0.5 } },
    });
    await enqueue(place, null);
    consume(place);
    await until('the job is delayed', async () => (await place.queue.getDelayedCount()) === 1);
    const [waiting] = await place.queue.getDelayed();
    expect(waiting?.delay).toBeGreaterThan(23 * 3_600_000);
    expect(place.runs().map(({ calls }) => calls)).toEqual([30]);
  });

  it('a backfill is queued again if Redis loses it', async () => {
    const place = await workplace({ overrides: { worker: { job_calls: 20 } } });
    await enqueue(place, 50);
    await place.redis.del(...(await place.redis.keys(`${place.prefix}:*`)));
    const worker = await place.startWorker([backfill]);
    const backfills = () => place.runs().filter(({ command }) => command === 'backfill');
    await until('the backfill has sent its calls', () => backfills().length === 3);
    await until('the worker has finished the backfill', async () => (await backfillJobs(place)).length === 1);
    expect(backfills().map(({ calls }) => calls)).toEqual([20, 20, 10]);
    expect(worker.lines.map(({ msg }) => msg)).toContain('backfill queued again');
    expect(queuedBackfills(place.upstream.warehouse())).toEqual([]);
  });

  it('a backfill whose key was refused is queued again as soon as the key is corrected', async () => {
    const place = await workplace();
    const { configPath } = place.upstream;
    const right = readFileSync(configPath, 'utf8');
    writeFileSync(configPath, right.replace(/api_key: .*/, 'api_key: a-wrong-key'));
    await enqueue(place, 10);
    const refused = await place.startWorker([backfill]);
    await until('the job has failed', async () => (await place.queue.getFailedCount()) === 1);
    await refused.stop();
    expect(place.runs()).toMatchObject([{ ended: 'unauthorised' }]);
    writeFileSync(configPath, right);
    await place.startWorker([backfill]);
    await until('the backfill has sent its calls', () => place.runs().at(-1)?.ended === 'max_calls');
    expect(place.runs().map(({ calls }) => calls)).toEqual([1, 9]);
    expect(await place.queue.getFailedCount()).toBe(1);
  });

  it('a backfill that a restored warehouse does not know ends without a problem', async () => {
    const place = await workplace();
    await enqueue(place, 10);
    const { db, close } = openWarehouse({ path: place.config().warehouse, nowMs: Date.now() });
    db.exec('DELETE FROM _backfill_wish; DELETE FROM _backfill');
    close();
    const worker = await place.startWorker();
    await until('the job has failed', async () => (await place.queue.getFailedCount()) === 1);
    const [job] = await place.queue.getFailed();
    expect(job?.failedReason).toContain('the warehouse has no backfill 1');
    await until('the worker is ready', async () => (await fetch(`${worker.url}/ready`)).status === 200);
  });

  it('a backfill is rejected if the queue already contains it', async () => {
    const place = await workplace();
    await enqueue(place, 10);
    await expect(enqueue(place, 10)).rejects.toMatchObject({ exitCode: 2 });
  });

  it.each(['--missing', '--query a', '--resume 1'])(
    '`backfill %s --enqueue` stores the request in the warehouse and the job in Redis',
    async (selection) => {
      const place = await workplace();
      await place.upstream.run('sync', '--max-calls', '3');
      if (selection === '--resume 1') await place.upstream.run('backfill', '--missing', '--max-calls', '0');
      const { code, json, stderr } = await place.upstream.run(
        'backfill',
        ...selection.split(' '),
        '--enqueue',
        '--max-calls',
        '7',
        '--json',
      );
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(json.data).toMatchObject({ backfill_id: 1, queue: place.queueName });
      expect(queuedBackfills(place.upstream.warehouse())).toMatchObject([{ backfillId: 1, maxCalls: 7 }]);
      expect(await place.queue.getPrioritized()).toHaveLength(1);
    },
  );
});

it('`backfill --enqueue` stores nothing if Redis does not respond', async () => {
  const place = await workplace();
  await place.upstream.run('sync', '--max-calls', '3');
  place.upstream.configure({ worker: { redis_url: 'redis://127.0.0.1:1' } });
  const { code, json } = await place.upstream.run('backfill', '--query', 'a', '--enqueue');
  expect({ code, message: json.error.message }).toMatchObject({
    code: 2,
    message: expect.stringContaining('does not respond'),
  });
  expect((await place.upstream.run('backfill', '--list')).json.data.unfinished).toEqual([]);
});

describe("a backfill's next batch", () => {
  const now = Date.parse('2026-06-01T12:00:00Z');
  const result = { ...resultWithoutCalls('', 'done'), run: 1 };

  it.each([
    ['done', null],
    ['max_minutes', now],
    ['interrupted', now],
    ['max_calls', now],
    ['another_run', now + 30_000],
  ])("a backfill's next batch starts after %s at %s", (ended, at) => {
    expect(nextBatchAtMs({ ...result, ended }, now)).toBe(at);
  });

  it("a backfill's next batch starts when the quota resets, or never if the quota never resets", () => {
    const resumes_at = '2026-06-02T00:00:00.000Z';
    expect(nextBatchAtMs({ ...result, ended: 'allowance', resumes_at }, now)).toBe(Date.parse(resumes_at));
    expect(nextBatchAtMs({ ...result, ended: 'allowance' }, now)).toBeNull();
  });
});

async function backfillJobs(place: Workplace) {
  return (await place.queue.getCompleted()).filter(({ name }) => name === 'backfill');
}

/** Stores a backfill of every record and adds it to the queue. */
async function enqueue(place: Workplace, maxCalls: number | null) {
  const workspace = openWorkspace(place.config());
  const items = [...place.upstream.sandbox.companies.all()].map(({ id }) => ({
    kind: 'entity' as const,
    searchedBy: null,
    given: id,
  }));
  const order = { title: 'all', items, identity: 'all', withRecords: true, freshForMs: 0 };
  const { backfillId } = keepBackfill(workspace, order).backfill;
  const request = { backfillId, maxCalls, queuedAt: new Date().toISOString() };
  try {
    const choose = () => request;
    return await enqueueBackfill(place.config(), choose, () =>
      queueBackfill(workspace.warehouse.db, request),
    );
  } finally {
    workspace.close();
  }
}

/** Runs the queue's jobs without the schedule reconciler, so that only the backfill runs. */
function consume(place: Workplace): void {
  const config = place.config();
  openWorkspace(config).close();
  const connection = place.redis.duplicate();
  const log = pino({ enabled: false });
  const processor = new Processor({
    jobs: ALL_JOBS,
    config,
    connection,
    clock: systemClock,
    log,
    errors: new ErrorLog(log, systemClock),
    workerName: 'test',
    tracing: null,
    onAttempt: async () => {},
    onCall: () => {},
  });
  closing.push(async () => {
    await processor.close();
    connection.disconnect();
  });
}
