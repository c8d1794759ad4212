// npm run trust worker-soak [-- --companies FILE --kills 30 --flushes 5 --per-minute 6000]
// Runs a worker and a standby. At random times, SIGKILL ends workers and Redis, and FLUSHALL empties Redis. In the end,
// the mirror must match the upstream, and the sandbox must have counted no call above the rate or the allowance.
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { readCompanies, samplePath } from '../../src/sandbox/company_file.ts';
import { busiestMinute } from '../support/busiest_minute.ts';
import type { Command } from '../support/command.ts';
import { compareWithUpstream } from '../support/equality.ts';
import { type OwnRedis, startOwnRedis } from '../support/redis_server.ts';
import { argumentsOf, say } from '../support/script.ts';
import { openUpstream, type Upstream } from '../support/upstream.ts';

const values = argumentsOf({ companies: samplePath(), kills: 30, flushes: 5, perMinute: 6000 });
const { perMinute } = values;
const PREFIX = 'soak';
const NAME = 'Isle of Man';
const GIVE_UP_AFTER_MS = 60 * 60_000;

const companies = await Array.fromAsync(readCompanies(values.companies));
const perDay = Math.ceil(companies.length * 1.5);
const redis = await startOwnRedis();
const upstream = await openUpstream(
  { companies, accounts: [{ id: 'main', perMinute, perDay, day: 'rolling' }] },
  {
    source: { name: NAME },
    upstream: { concurrency: 8 },
    allowance: { per_minute: perMinute, per_day: perDay },
    schedule: { entities: '* * * * *', sweep: '* * * * *', stats: '*/5 * * * *' },
    worker: { redis_url: redis.url, prefix: PREFIX, health_port: 0, job_time: '1m' },
  },
);
const client = new Redis(redis.url, { maxRetriesPerRequest: null });
client.on('error', () => {});
const queue = new Queue('isle-of-man.main', { connection: client, prefix: PREFIX });
queue.on('error', () => {});

const workers = [startOne(upstream), startOne(upstream)];
const totals = { workers: 0, redis: 0, redis_emptied: 0, flushes: 0 };
const schedulesBackMs: number[] = [];
const startedMs = performance.now();
let isOver = false;
const restarting = restartKilled();

for (const fault of shuffled(faults())) {
  await sleep(6000 + Math.random() * 14_000);
  await cause(fault, redis);
}
await untilMirrored(upstream);
isOver = true;
await restarting;
// A worker that has just started does not listen for SIGTERM yet.
await sleep(5000);
const exits = await Promise.all(workers.map(stop));
printReport(exits);
await queue.close();
client.disconnect();
await upstream.close();
await redis.close();

type Fault = 'worker' | 'redis' | 'redis_emptied' | 'flush';

function faults(): Fault[] {
  const kills = values.kills;
  const ofRedis = Math.floor(kills / 4);
  const emptied = Math.floor(ofRedis / 2);
  return [
    ...Array<Fault>(kills - ofRedis).fill('worker'),
    ...Array<Fault>(ofRedis - emptied).fill('redis'),
    ...Array<Fault>(emptied).fill('redis_emptied'),
    ...Array<Fault>(values.flushes).fill('flush'),
  ];
}

async function cause(fault: Fault, server: OwnRedis): Promise<void> {
  say(`${fault}: ${upstream.sandbox.arrivals().length} calls so far`);
  switch (fault) {
    case 'worker': {
      const victim = workers[Math.floor(Math.random() * workers.length)];
      victim?.process.kill('SIGKILL');
      totals.workers += 1;
      return;
    }
    case 'redis':
    case 'redis_emptied':
      await server.kill();
      await sleep(Math.random() * 4000);
      await server.start();
      totals.redis += 1;
      if (fault === 'redis') return;
      totals.redis_emptied += 1;
      await server.flush();
      return;
    case 'flush':
      await server.flush();
      totals.flushes += 1;
      schedulesBackMs.push(await untilSchedules());
  }
}

/** Waits until Redis has all three schedules again, and returns how many milliseconds it waited. */
async function untilSchedules(): Promise<number> {
  const fromMs = performance.now();
  while ((await queue.getJobSchedulersCount()) < 3) await sleep(100);
  return Math.round(performance.now() - fromMs);
}

function startOne(place: Upstream): Command {
  return place.start('worker', '--quiet');
}

/** Restarts killed workers after a delay, as a service manager does. */
async function restartKilled(): Promise<void> {
  while (!isOver) {
    for (const [index, { process: worker }] of workers.entries())
      if (worker.exitCode !== null || worker.signalCode !== null) {
        await sleep(Math.random() * 3000);
        if (!isOver) workers[index] = startOne(upstream);
      }
    await sleep(200);
  }
}

async function stop({ process: worker, finished }: Command): Promise<number | null> {
  worker.kill('SIGTERM');
  return (await finished).code;
}

async function untilMirrored({ sandbox, warehouse }: Upstream): Promise<void> {
  for (;;) {
    await sleep(2000);
    const db = warehouse();
    const records = db.prepare('SELECT count(*) FROM entity WHERE _gone_at IS NULL').pluck().get();
    db.close();
    if (records === sandbox.companies.count()) return;
    if (performance.now() - startedMs > GIVE_UP_AFTER_MS) return;
  }
}

function printReport(exitCodes: readonly (number | null)[]): void {
  const db = upstream.warehouse();
  const comparison = compareWithUpstream(db, upstream.sandbox);
  const runs = db.prepare('SELECT count(*) AS runs, sum(ended IS NULL) AS killed FROM _run').get();
  db.close();
  const arrivals = upstream.sandbox.arrivals();
  const refused = arrivals.filter(({ status }) => status === 429).length;
  const busiest = busiestMinute(arrivals.map(({ at }) => at));
  const isRight =
    comparison.records === comparison.upstream &&
    comparison.differences.length === 0 &&
    refused === 0 &&
    busiest <= perMinute &&
    arrivals.length <= perDay &&
    exitCodes.every((code) => code === 0) &&
    schedulesBackMs.every((ms) => ms < 60_000);
  say(
    JSON.stringify(
      {
        ok: isRight,
        redis: redis.kind,
        minutes: Number(((performance.now() - startedMs) / 60_000).toFixed(1)),
        killed: totals,
        schedules_back_ms: schedulesBackMs,
        exit_codes: exitCodes,
        arrivals: arrivals.length,
        allowance: perDay,
        busiest_60_s: busiest,
        per_minute: perMinute,
        refused,
        runs,
        comparison,
      },
      null,
      2,
    ),
  );
  process.exitCode = isRight ? 0 : 1;
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
