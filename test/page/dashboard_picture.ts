import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { startWorker } from '../../jobs/worker.ts';
import { loadConfig } from '../../src/config/load_config.ts';
import { openBrowser } from '../support/browser.ts';
import { startOwnRedis } from '../support/redis_server.ts';
import { companies } from '../support/served_mirror.ts';
import { openUpstream } from '../support/upstream.ts';
import { moveDateTo } from './moving_date.ts';

const MINUTES = 40;
const NEVER = '0 0 29 2 *';

/** Runs a worker for 40 simulated minutes with one job per minute, and saves a picture of its dashboard. */
export async function dashboardPicture(into: string): Promise<void> {
  const endMs = Date.now();
  const redis = await startOwnRedis();
  const upstream = await openUpstream(
    { companies: companies(400) },
    {
      source: { name: 'Isle of Man' },
      // The sandbox's clock is not moved.
      upstream: { check_clock: false },
      max_age: { stats: '1s', summaries: '1h', records: '5m' },
      schedule: { stats: NEVER, sweep: NEVER, entities: NEVER },
      worker: { redis_url: redis.url, health_port: 0, job_calls: 150 },
    },
  );
  const config = loadConfig({ path: upstream.configPath, env: {} });
  moveDateTo(endMs - MINUTES * 60_000);
  const worker = await startWorker({
    configs: [config],
    log: pino({ level: 'error' }, pino.destination(2)),
    onFatal: (error) => {
      throw error;
    },
  });
  const [registry] = worker.registries;
  if (registry === undefined) throw new Error('the worker has no registry');
  const { queue } = registry;
  const ended = async () => (await queue.getCompletedCount()) + (await queue.getFailedCount());
  while ((await ended()) < 4) await sleep(100);
  for (let minute = 1; minute < MINUTES; minute++) {
    moveDateTo(endMs - (MINUTES - minute) * 60_000);
    const before = await ended();
    const name = minute % 4 === 0 ? 'poll-stats' : 'fetch-entities';
    await queue.add(name, {} as never);
    while ((await ended()) === before) await sleep(20);
  }
  const browser = await openBrowser();
  const page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
  const board = `${worker.url}/queues/queue/${queue.name}`;
  await page.goto(board, { waitUntil: 'networkidle' });
  await page.getByText('Logs', { exact: true }).nth(1).click();
  await page.getByText('Logs', { exact: true }).first().click();
  // The chart's animation must end before the picture is taken.
  await sleep(2000);
  await page.screenshot({ path: join(into, 'dashboard.png') });
  await browser.close();
  await worker.stop();
  await upstream.close();
  await redis.close();
}
