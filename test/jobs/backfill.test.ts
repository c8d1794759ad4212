import pino from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { continuesAtMs } from '../../jobs/backfill.ts';
import { idle } from '../../jobs/batch.ts';
import { openConsumer } from '../../jobs/consumer.ts';
import { askForBackfill } from '../../jobs/enqueue_backfill.ts';
import { systemClock } from '../../src/clock.ts';
import { openWorkspace } from '../../src/operations/assemble.ts';
import { keepBackfill } from '../../src/operations/backfill.ts';
import { until, type Workplace, workplacesOverOneRedis } from '../support/worker.ts';

const workplace = workplacesOverOneRedis();
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

describe('a backfill that is handed to the worker', () => {
  it('works slice by slice as one job, and spends no more than was asked for', async () => {
    const place = await workplace({ overrides: { worker: { job_calls: 20 } } });
    await ask(place, 50);
    consume(place);
    await until('it is done', async () => (await place.queue.getCompletedCount()) === 1);
    expect(place.runs().map(({ calls }) => calls)).toEqual([20, 20, 10]);
    const [job] = await place.queue.getCompleted();
    expect(job?.returnvalue.ended).toBe('max_calls');
  });

  it('leaves the reserve to the scheduled work, and waits for the next window', async () => {
    const place = await workplace({
      overrides: { allowance: { per_minute: 'unlimited', per_day: 60, reserve: 0.5 } },
    });
    await ask(place, Number.POSITIVE_INFINITY);
    consume(place);
    await until('it waits', async () => (await place.queue.getDelayedCount()) === 1);
    const [waiting] = await place.queue.getDelayed();
    expect(waiting?.delay).toBeGreaterThan(23 * 3_600_000);
    expect(place.runs().map(({ calls }) => calls)).toEqual([30]);
  });

  it('is one at a time', async () => {
    const place = await workplace();
    await ask(place, 10);
    await expect(ask(place, 10)).rejects.toMatchObject({ exitCode: 2 });
  });
});

describe('the next slice', () => {
  const now = Date.parse('2026-06-01T12:00:00Z');
  const result = { ...idle('', 'done'), run: 1 };

  it.each([
    ['done', null],
    ['max_minutes', now],
    ['interrupted', now],
    ['max_calls', now],
    ['another_run', now + 30_000],
  ])('after %s begins at %s', (ended, at) => {
    expect(continuesAtMs({ ...result, ended }, now)).toBe(at);
  });

  it('after a spent allowance begins when there is one again, if ever', () => {
    const resumes_at = '2026-06-02T00:00:00.000Z';
    expect(continuesAtMs({ ...result, ended: 'allowance', resumes_at }, now)).toBe(Date.parse(resumes_at));
    expect(continuesAtMs({ ...result, ended: 'allowance' }, now)).toBeNull();
  });
});

/** Keeps a backfill of all its records, and hands it to the worker. */
async function ask(place: Workplace, maxCalls: number) {
  const workspace = openWorkspace(place.config());
  const items = [...place.upstream.sandbox.companies.all()].map(({ id }) => ({
    kind: 'entity' as const,
    searchedBy: null,
    given: id,
  }));
  const order = { title: 'all', items, identity: 'all', withRecords: true, freshForMs: 0 };
  const { backfillId } = keepBackfill(workspace, order).backfill;
  workspace.close();
  return await askForBackfill(place.config(), { backfillId, maxCalls, nowMs: Date.now() });
}

/** Works on the queue without keeping its schedules: nothing but the backfill runs. */
function consume(place: Workplace): void {
  const config = place.config();
  openWorkspace(config).close();
  const connection = place.redis.duplicate();
  const consumer = openConsumer({
    config,
    connection,
    clock: systemClock,
    log: pino({ enabled: false }),
    workerName: 'test',
    lastRunOf: () => null,
    ending: async () => {},
  });
  closing.push(async () => {
    await consumer.close();
    connection.disconnect();
  });
}
