// npm run bench worker-seconds [-- --seconds 60]
// Runs a schedule that is due every second for a minute. Every run makes calls, while a busy loop runs on every core.
import { spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { timesBetween } from '../../../src/cron/cron_times.ts';
import { startOwnRedis } from '../../support/redis_server.ts';
import { openUpstream } from '../../support/upstream.ts';
import { coverTimes } from './covered_times.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '60' } } });
const NEVER = '0 0 29 2 *';
const PATTERN = '* * * * * *';
const redis = await startOwnRedis();
const upstream = await openUpstream(
  {},
  {
    allowance: { per_minute: 3000, unlimited: true },
    schedule: { stats: NEVER, sweep: NEVER, entities: PATTERN },
    worker: { redis_url: redis.url, health_port: 0, job_calls: 20 },
  },
);
const worker = upstream.start('worker', '--quiet');
while (upstream.sandbox.arrivals().length < 300) await sleep(100);
const burners = cpus().map(() => spawn(process.execPath, ['-e', 'for (;;);']));
const fromMs = Math.ceil(Date.now() / 1000) * 1000 + 1000;
await sleep(fromMs - Date.now() + Number(values.seconds) * 1000 + 3000);
for (const burner of burners) burner.kill('SIGKILL');
worker.process.kill('SIGTERM');
const { stderr } = await worker.finished;

const untilMs = fromMs + (Number(values.seconds) - 1) * 1000;
const scheduled = timesBetween({ pattern: PATTERN, timezone: 'UTC' }, fromMs - 1, untilMs);
const db = upstream.warehouse();
const runs = db
  .prepare(
    "SELECT run_id AS runId, started_at AS startedAt, calls FROM _run WHERE command = 'fetch-entities' ORDER BY run_id",
  )
  .all() as { runId: number; startedAt: string; calls: number }[];
db.close();
const started = runs
  .map((row) => ({ ...row, startedAtMs: Date.parse(row.startedAt) }))
  .filter(({ startedAtMs }) => startedAtMs >= fromMs);
const { covered, uncovered } = coverTimes(scheduled, started);
for (const { runId, startedAtMs, times: own } of covered)
  if (own.length > 0)
    say(`${own.map(clock).join(' ')}  run ${runId} after ${startedAtMs - (own[0] ?? 0)} ms`);
const most = Math.max(...covered.map(({ times: own }) => own.length));
const between = covered.filter(
  ({ times: own, startedAtMs }) => own.length === 0 && startedAtMs <= untilMs,
).length;
const ok = uncovered.length === 0;
say(
  JSON.stringify({
    ok,
    redis: redis.kind,
    moments: scheduled.length,
    runs_for_moments: covered.filter(({ times: own }) => own.length > 0).length,
    most_moments_of_one_run: most,
    batches_in_between: between,
    uncovered: uncovered.map(clock),
    calls: started.reduce((sum, { calls }) => sum + calls, 0),
  }),
);
if (!ok) say(`standard error of the worker: ${stderr}`);
await upstream.close();
await redis.close();
process.exitCode = ok ? 0 : 1;

function clock(ms: number): string {
  return new Date(ms).toISOString().slice(11, 19);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
