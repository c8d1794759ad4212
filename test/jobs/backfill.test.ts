import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { backfill } from '../../jobs/backfill.ts';
import { enqueueBackfill } from '../../jobs/queue_control.ts';
import { openWorkspace } from '../../src/operations/assemble.ts';
import { keepBackfill } from '../../src/operations/backfill.ts';
import { queueBackfill, queuedBackfills } from '../../src/warehouse/backfill.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { until, type Workplace, workplacesOverOneRedis } from '../support/worker.ts';

const workplace = workplacesOverOneRedis();
describe('a queued backfill', () => {
  it('a queued backfill runs in batches and spends at most its call limit', async () => {
    const place = await workplace({ overrides: { worker: { job_calls: 20 } } });
    await enqueue(place, 50);
    await place.startWorker([backfill]);
    await until('the backfill is no longer queued', () => queuedIn(place).length === 0);
    await until('its jobs are completed', async () => (await place.queue.getCompletedCount()) === 3);
    expect(place.runs().map(({ calls }) => calls)).toEqual([20, 20, 10]);
    const [last] = await place.queue.getCompleted();
    expect(last?.returnvalue.ended).toBe('max_calls');
  });

  it('a worker processes two queued backfills in order, each with its own call limit', async () => {
    const place = await workplace();
    await enqueue(place, 10, 'first');
    await enqueue(place, 5, 'second');
    await place.startWorker([backfill]);
    await until('no backfill is queued', () => queuedIn(place).length === 0);
    expect(place.runs().map(({ calls }) => calls)).toEqual([10, 5]);
  });

  it('a queued backfill does not spend the reserve, and waits for the next allowance window', async () => {
    const place = await workplace({
      overrides: { allowance: { per_minute: 'unlimited', per_day: 60, reserve: 0.5 } },
    });
    await enqueue(place, null);
    const worker = await place.startWorker([backfill]);
    await until('the job is completed', async () => (await place.queue.getCompletedCount()) === 1);
    const reconciledAtMs = () => worker.registries[0]?.state.reconciledAtMs ?? 0;
    const nowMs = Date.now();
    await until('the queue is reconciled twice', () => reconciledAtMs() > nowMs + 5000, 15_000);
    expect(place.runs().map(({ calls }) => calls)).toEqual([30]);
    expect(queuedIn(place)).toHaveLength(1);
  });

  it('a backfill is queued again if Redis loses it', async () => {
    const place = await workplace();
    await enqueue(place, 50);
    await place.redis.del(...(await place.redis.keys(`${place.prefix}:*`)));
    const worker = await place.startWorker([backfill]);
    await until('the backfill is no longer queued', () => queuedIn(place).length === 0);
    expect(place.runs().map(({ calls }) => calls)).toEqual([50]);
    expect(worker.lines.map(({ because }) => because)).toContain('a user queued backfill 1');
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

  it('a backfill that a restored warehouse does not know ends without a call', async () => {
    const place = await workplace();
    await enqueue(place, 10);
    const { db, close } = openWarehouse({ path: place.config().warehouse, nowMs: Date.now() });
    db.exec('DELETE FROM _backfill_wish; DELETE FROM _backfill');
    close();
    await place.startWorker([backfill]);
    await until('the job is completed', async () => (await place.queue.getCompletedCount()) === 1);
    const [job] = await place.queue.getCompleted();
    expect(job?.returnvalue).toMatchObject({ ended: 'covered', run: null });
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
      expect(queuedIn(place)).toMatchObject([{ backfillId: 1, maxCalls: 7 }]);
      expect(await place.queue.getPrioritized()).toHaveLength(1);
    },
  );

  it('a backfill that is already queued is rejected', async () => {
    const place = await workplace();
    await place.upstream.run('sync', '--max-calls', '3');
    const again = () => place.upstream.run('backfill', '--query', 'a', '--enqueue', '--json');
    expect((await again()).code).toBe(0);
    const { code, json } = await again();
    expect({ code, message: json.error.message }).toEqual({
      code: 2,
      message: 'backfill 1 is already queued for the worker',
    });
  });
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

function queuedIn(place: Workplace) {
  return queuedBackfills(place.upstream.warehouse());
}

/** Stores a backfill of every record and adds it to the queue. */
async function enqueue(place: Workplace, maxCalls: number | null, title = 'all') {
  using workspace = openWorkspace(place.config());
  const items = [...place.upstream.sandbox.companies.all()].map(({ id }) => ({
    kind: 'entity' as const,
    searchedBy: null,
    given: id,
  }));
  const order = { title, items, identity: title, withRecords: true, freshForMs: 0 };
  const { backfillId } = keepBackfill(workspace, order).backfill;
  const request = { backfillId, maxCalls, queuedAt: new Date().toISOString() };
  await enqueueBackfill(place.config(), () => queueBackfill(workspace.warehouse.db, request));
}
