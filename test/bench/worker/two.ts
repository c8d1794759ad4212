// npm run bench worker-two
// Runs two registries with one worker each on one Redis. Each dashboard must show both queues. After one worker is
// stopped or killed, the other must still run every second, and its queue must not change.
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { timesBetween } from '../../../src/cron/cron_times.ts';
import type { Command } from '../../support/command.ts';
import { startOwnRedis } from '../../support/redis_server.ts';
import { openUpstream, type Upstream } from '../../support/upstream.ts';
import { coverTimes } from './covered_times.ts';

const NEVER = '0 0 29 2 *';
const PATTERN = '* * * * * *';
const redis = await startOwnRedis();
const client = new Redis(redis.url, { maxRetriesPerRequest: null });
const man = await registry('Isle of Man', 19_464);
const sark = await registry('Sark', 19_465);
const workers = { man: man.start('worker', '--quiet'), sark: sark.start('worker', '--quiet') };
await Promise.all([listens(19_464), listens(19_465)]);

const boards = [await queuesAt(19_464), await queuesAt(19_465)];
const afterStop = await undisturbed(() => end(workers.man, 'SIGTERM'));
workers.man = man.start('worker', '--quiet');
await sleep(5000);
const afterKill = await undisturbed(() => end(workers.man, 'SIGKILL'));
await end(workers.sark, 'SIGTERM');

const ok =
  boards.every((names) => names.join(' ') === 'isle-of-man.main sark.main') &&
  [afterStop, afterKill].every(
    ({ uncovered, extra, schedules, failed }) => uncovered + extra + failed === 0 && schedules === 3,
  );
process.stdout.write(`${JSON.stringify({ ok, redis: redis.kind, boards, afterStop, afterKill }, null, 2)}\n`);
client.disconnect();
await man.close();
await sark.close();
await redis.close();
process.exit(ok ? 0 : 1);

function registry(name: string, port: number): Promise<Upstream> {
  return openUpstream(
    {},
    {
      source: { name },
      schedule: { stats: NEVER, sweep: NEVER, entities: PATTERN },
      worker: { redis_url: redis.url, health_port: port },
    },
  );
}

/** Waits for up to a minute until the worker listens on the port. */
async function listens(port: number): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    if (
      await fetch(`http://127.0.0.1:${port}/health`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return;
    await sleep(200);
  }
}

async function queuesAt(port: number): Promise<string[]> {
  const response = await fetch(`http://127.0.0.1:${port}/queues/api/queues`);
  await sleep(6000); // the queues of other workers appear at the next refresh
  const again = await fetch(`http://127.0.0.1:${port}/queues/api/queues`);
  const { queues } = (await (response.ok ? again : response).json()) as { queues: { name: string }[] };
  return queues.map(({ name }) => name).sort();
}

/** Checks that Sark's worker covers its scheduled times when something happens to the Isle of Man's worker. */
async function undisturbed(event: () => Promise<void>) {
  const fromMs = Date.now();
  await sleep(4000);
  await event();
  await sleep(20_000);
  const untilMs = Date.now() - 3000;
  const db = sark.warehouse();
  const rows = db
    .prepare(
      "SELECT run_id AS runId, started_at AS startedAt FROM _run WHERE command = 'fetch-entities' AND started_at > ? ORDER BY run_id",
    )
    .all(new Date(fromMs).toISOString()) as { runId: number; startedAt: string }[];
  db.close();
  // The first run can belong to the scheduled time before the event.
  const scheduled = timesBetween({ pattern: PATTERN, timezone: 'UTC' }, fromMs - 1000, untilMs);
  const runs = rows.map(({ runId, startedAt }) => ({ runId, startedAtMs: Date.parse(startedAt) }));
  const { covered, uncovered } = coverTimes(scheduled, runs);
  const queue = new Queue('sark.main', { connection: client, prefix: 'registry-mirror' });
  const schedules = await queue.getJobSchedulersCount();
  const failed = await queue.getFailedCount();
  await queue.close();
  return {
    moments: scheduled.length,
    uncovered: uncovered.filter((timeMs) => timeMs >= fromMs).length,
    most_moments_of_one_run: Math.max(...covered.map((one) => one.times.length)),
    extra: covered.filter((one) => one.times.length === 0 && one.startedAtMs <= untilMs).length,
    schedules,
    failed,
  };
}

async function end({ process: worker, finished }: Command, signal: NodeJS.Signals): Promise<void> {
  worker.kill(signal);
  await finished;
}
