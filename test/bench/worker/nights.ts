// npm run bench worker-nights
// Runs a worker with a real Redis through the two nights on which Oslo's clocks change. This process sets its clock to
// shortly before each scheduled time, and lets it run normally from there.
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { startWorker } from '../../../jobs/worker.ts';
import { loadConfig } from '../../../src/config/load_config.ts';
import { timesBetween } from '../../../src/cron/cron_times.ts';
import { startOwnRedis } from '../../support/redis_server.ts';
import { openUpstream } from '../../support/upstream.ts';
import { coverTimes } from './covered_times.ts';
import { moveDateTo } from './moving_date.ts';

const ZONE = 'Europe/Oslo';
const PATTERNS = {
  'poll-stats': '30 2 * * *',
  'sweep-search': '15,45 2 * * *',
  'fetch-entities': '*/30 * * * *',
};
const NAMES = Object.keys(PATTERNS) as (keyof typeof PATTERNS)[];
const BEFORE_MS = 800;

const spring = await night('spring', '2027-03-27T23:45:00Z', '2027-03-28T03:05:00Z');
const autumn = await night('autumn', '2027-10-30T22:45:00Z', '2027-10-31T03:05:00Z');
say(JSON.stringify({ ok: spring && autumn, spring, autumn }));
process.exit(spring && autumn ? 0 : 1);

async function night(season: string, from: string, until: string): Promise<boolean> {
  const [fromMs, untilMs] = [Date.parse(from), Date.parse(until)];
  moveDateTo(fromMs);
  const redis = await startOwnRedis();
  const upstream = await openUpstream(
    {},
    {
      schedule: {
        timezone: ZONE,
        stats: PATTERNS['poll-stats'],
        sweep: PATTERNS['sweep-search'],
        entities: PATTERNS['fetch-entities'],
      },
      worker: { redis_url: redis.url, health_port: null },
    },
  );
  const config = loadConfig({ path: upstream.configPath, env: {} });
  const log = pino({ level: 'warn' }, pino.destination(2));
  const worker = await startWorker({ configs: [config], log, onFatal: fail });
  while (worker.registries.some(({ state }) => state.role !== 'leading')) await sleep(50);
  while (runsOf('fetch-entities').every(({ ended }) => ended === null)) await sleep(100);

  const all = NAMES.flatMap((name) => timesOf(name).map((scheduledMs) => ({ name, scheduledMs })));
  for (const scheduledMs of [...new Set(all.map((one) => one.scheduledMs))].sort((a, b) => a - b)) {
    moveDateTo(scheduledMs - BEFORE_MS);
    const due = all.filter((one) => one.scheduledMs === scheduledMs);
    while (
      !due.every(({ name }) =>
        runsOf(name).some((run) => run.startedAtMs >= scheduledMs && run.ended !== null),
      )
    )
      await sleep(50);
  }
  moveDateTo(untilMs);
  await sleep(12_000);
  await worker.stop();
  const isRight = NAMES.map((name) => table(season, name)).every(Boolean);
  await upstream.close();
  await redis.close();
  return isRight;

  function timesOf(name: keyof typeof PATTERNS): number[] {
    return timesBetween({ pattern: PATTERNS[name], timezone: ZONE }, fromMs, untilMs);
  }

  function runsOf(command: string) {
    const db = upstream.warehouse();
    try {
      const rows = db
        .prepare(
          'SELECT run_id AS runId, started_at AS startedAt, ended FROM _run WHERE command = ? ORDER BY run_id',
        )
        .all(command) as { runId: number; startedAt: string; ended: string | null }[];
      return rows.map((row) => ({ ...row, startedAtMs: Date.parse(row.startedAt) }));
    } finally {
      db.close();
    }
  }

  /**
   * Prints each scheduled time with its run. Returns false if a scheduled time has no run, or if a run has no scheduled
   * time. The run at start-up does not count.
   */
  function table(title: string, name: keyof typeof PATTERNS): boolean {
    const [, ...runs] = runsOf(name);
    const { covered, uncovered } = coverTimes(timesOf(name), runs);
    for (const { runId, startedAtMs, times } of covered)
      say(
        `${title}  ${name.padEnd(14)} ${times.map(local).join(' ') || '(no scheduled time)'}  run ${runId} at ${local(startedAtMs)}`,
      );
    for (const time of uncovered) say(`${title}  ${name.padEnd(14)} ${local(time)}  NO RUN`);
    return uncovered.length === 0 && covered.every(({ times }) => times.length === 1);
  }
}

/** `02:30:00 +02:00 (00:30Z)` */
function local(ms: number): string {
  const time = new Intl.DateTimeFormat('en-GB', {
    timeZone: ZONE,
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'longOffset',
  }).format(ms);
  return `${time.replace('GMT', '')} (${new Date(ms).toISOString().slice(11, 16)}Z)`;
}

function fail(error: unknown): void {
  say(`the worker cannot continue: ${error}`);
  process.exit(1);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
