import { uptime } from 'node:os';
import { expect, onTestFinished, test, vi } from 'vitest';
import { generateRegistry } from '../../data/generate.ts';
import type { JobDefinition } from '../../jobs/job.ts';
import { ALL_JOBS } from '../../jobs/worker.ts';
import { type BootTime, systemClock } from '../../src/clock.ts';
import { loadConfig } from '../../src/config/load_config.ts';
import { openWorkspace } from '../../src/operations/assemble.ts';
import { queueBackfill } from '../../src/warehouse/backfill.ts';
import { openUpstream, type Upstream } from '../support/upstream.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;
const PER_DAY = 40;
const COMPANIES = 30;
/** The number of the backfill that is open before the clock is wrong. */
const BACKFILL = 1;
const QUEUED_AT = '2026-06-01T12:00:00.000Z';

/** The time that has been skipped, and the difference between this machine's clock and the real time. */
const time = { skippedMs: 0, offsetMs: () => 0 };

const trueNow = Date.now;
const realNow = () => trueNow() + time.skippedMs;
const boot = (): BootTime => ({ bootId: 'boot', uptimeMs: uptime() * 1000 + time.skippedMs });

type Start = (upstream: Upstream) => Promise<unknown>;

/** Each command that sends calls, with real code. A job runs without its queue, which does not depend on the clock. */
const COMMANDS: Readonly<Record<string, Start>> = {
  sync: ({ run }) => run('sync', '--max-calls', '15'),
  backfill: ({ run }) => run('backfill', '--missing', '--max-calls', '15', '--yes'),
  probe: ({ run }) => run('probe', '--check', '--max-calls', '3'),
  'doctor --online': ({ run }) => run('doctor', '--online'),
  ...Object.fromEntries(ALL_JOBS.map((job) => [`the job ${job.name}`, jobRun(job)])),
};

function jobRun(job: JobDefinition): Start {
  const { signal } = new AbortController();
  const bounds = { maxCalls: 15, maxMinutes: 1, focus: 'balanced', signal } as const;
  return async ({ configPath }) => {
    const workspace = openWorkspace(loadConfig({ path: configPath }));
    queueBackfill(workspace.warehouse.db, { backfillId: BACKFILL, maxCalls: null, queuedAt: QUEUED_AT });
    try {
      await job.process({ workspace, bounds });
    } catch (error) {
      // A run that must not start because of the clock throws.
      if (!/clock/.test(String(error))) throw error;
    } finally {
      workspace.close();
    }
  };
}

const STEPS_MS = [
  -70 * YEAR_MS,
  -3 * DAY_MS,
  -3 * HOUR_MS,
  -3000,
  3000,
  3 * HOUR_MS,
  2 * DAY_MS,
  70 * YEAR_MS,
];

test.each(
  Object.keys(COMMANDS)
    .flatMap((command, at) =>
      STEPS_MS.map((stepMs, step) => ({
        command,
        stepMs,
        after: (at + step) % 3,
        isChosen: step % 4 === at % 4,
      })),
    )
    .filter(({ isChosen }) => isChosen),
)(
  '$command with a clock that is wrong by $stepMs ms after $after calls exceeds no allowance, loses no company and leaves the next run unaffected',
  async ({ command, stepMs, after }) => {
    Object.assign(time, { skippedMs: 0, offsetMs: () => 0 });
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => realNow() + time.offsetMs());
    const booted = vi.spyOn(systemClock, 'boot').mockImplementation(boot);
    onTestFinished(() => {
      clock.mockRestore();
      booted.mockRestore();
    });
    const upstream = await openUpstream(
      { now: realNow, companies: [...generateRegistry({ companies: COMPANIES, seed: 3 })] },
      { allowance: { per_minute: 'unlimited', per_day: PER_DAY }, notify: [] },
    );
    onTestFinished(() => upstream.close());
    await upstream.run('sync', '--max-calls', '8');
    await upstream.run('backfill', '--missing', '--max-calls', '1', '--yes');
    time.skippedMs = 5 * DAY_MS;
    const stepsAt = upstream.sandbox.arrivals().length + after;
    time.offsetMs = () => (upstream.sandbox.arrivals().length >= stepsAt ? stepMs : 0);
    await COMMANDS[command]?.(upstream);
    await COMMANDS[command]?.(upstream);
    time.offsetMs = () => 0;
    const ended: string[] = [];
    for (let run = 0; run < 4 && ended.at(-1) !== 'done'; run++) {
      const { json } = await upstream.run('sync');
      ended.push(json.data?.ended ?? json.error.message);
      time.skippedMs += DAY_MS;
    }
    expect(ended.filter((how) => how !== 'allowance')).toEqual(['done']);
    const days = Map.groupBy(upstream.sandbox.arrivals(), ({ at }) => Math.floor(at / DAY_MS));
    for (const arrivals of days.values()) expect(arrivals.length).toBeLessThanOrEqual(PER_DAY);
    const db = upstream.warehouse();
    onTestFinished(() => void db.close());
    const counts = db.prepare(
      "SELECT count(*) AS known, count(_gone_at) AS gone, count(*) FILTER (WHERE _fetched_at > strftime('%Y', 'now', '+1 year')) AS later FROM entity",
    );
    expect(counts.get()).toEqual({ known: COMPANIES, gone: 0, later: 0 });
  },
);
