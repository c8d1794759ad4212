import type { JobSchedulerJson } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { isoTime } from '../src/clock.ts';
import type { Config } from '../src/config/config.ts';
import { SCHEDULED_JOBS } from './all_jobs.ts';
import { type Due, demandOf } from './due_jobs.ts';
import { JOB_VERSION, type JobData, type ScheduledJob, type ScheduledName } from './job.ts';
import { type MirrorJob, type MirrorQueue, momentOf, priorityOf, retention } from './queue.ts';
import { keysOf } from './queue_name.ts';
import type { RegistrySnapshot } from './registry_snapshot.ts';

/**
 * Keeps the queue as it should be: the schedules stand in Redis as the configuration says, each has its next
 * job, and what is due but not queued is queued. Only the leader does it; doing it again changes nothing.
 */
export interface ScheduleReconciler {
  /** Throws when Redis cannot be asked, or refuses. */
  reconcile(now: ReconcileInput): Promise<void>;
}

export interface ReconcileInput {
  readonly reading: RegistrySnapshot;
  /** The job that this process works on, if any. */
  readonly working: ScheduledName | null;
  /** A job that is about to end: what follows from it is queued before it gives way to others. */
  readonly ending?: MirrorJob;
  /** When a job last failed before it came to a run. */
  readonly failedAtMs: ReadonlyMap<string, number>;
}

export interface ReconcilerParts {
  readonly config: Config;
  readonly queue: MirrorQueue;
  readonly redis: Redis;
  readonly log: Logger;
}

export function openScheduleReconciler({ config, queue, redis, log }: ReconcilerParts): ScheduleReconciler {
  const keys = keysOf(config.worker.prefix, queue.name);
  const options = (name: ScheduledName) => ({ priority: priorityOf(name, config.focus), ...retention() });

  return {
    reconcile: async ({ reading, working, ending, failedAtMs }) => {
      const { facts } = reading;
      // Jobs before schedules: what is made in between is then seen as missing at most once, never as double.
      const pending = await pendingNames(queue, facts.nowMs, ending);
      if (working !== null && ending === undefined) pending.add(working);
      await keepSchedules(facts.closedUntilMs, facts.nowMs);
      const dues = SCHEDULED_JOBS.map(
        (job): Due => ({
          job,
          rhythm: rhythmOf(job, config),
          isPending: pending.has(job.name),
          failedAtMs: failedAtMs.get(job.name) ?? null,
        }),
      );
      for (const { name, because } of demandOf(facts, dues)) {
        // Two leaders, for a moment, ask for the same: what follows the same run is one job.
        const deduplication = { id: `${name}-after-${facts.lastRuns[name]?.runId ?? 0}` };
        const job = await queue.add(name, dataOf(because), { ...options(name), deduplication });
        log.info({ job: job.id, name, because }, 'queued');
      }
      await beat(facts.nowMs);
    },
  };

  async function keepSchedules(closedUntilMs: number | null, nowMs: number): Promise<void> {
    const found = new Map((await queue.getJobSchedulers()).map((scheduler) => [scheduler.key, scheduler]));
    for (const job of SCHEDULED_JOBS) {
      const scheduler = found.get(job.name);
      found.delete(job.name);
      if (closedUntilMs === Number.POSITIVE_INFINITY) {
        if (scheduler !== undefined) await queue.removeJobScheduler(job.name);
        continue;
      }
      const wanted = wantedScheduler(job, closedUntilMs);
      const fault = scheduler === undefined ? 'missing' : await faultOf(scheduler, wanted, nowMs);
      if (fault === null) continue;
      await queue.upsertJobScheduler(job.name, wanted.repeat, wanted.template);
      const next = (await queue.getJobScheduler(job.name))?.next;
      log.info(
        { schedule: job.name, was: fault, next: next === undefined ? null : isoTime(next) },
        'schedule set',
      );
    }
    for (const stranger of found.keys()) {
      await queue.removeJobScheduler(stranger);
      log.warn({ schedule: stranger }, 'removed a schedule that this version does not know');
    }
  }

  function wantedScheduler(job: ScheduledJob, closedUntilMs: number | null) {
    const { pattern, timezone } = rhythmOf(job, config);
    // While nothing can be spent the schedule does not wake in vain.
    const start = closedUntilMs === null ? {} : { startDate: Math.ceil(closedUntilMs) };
    return {
      repeat: { pattern, tz: timezone, ...start },
      template: { name: job.name, data: dataOf('its time came'), opts: options(job.name) },
    };
  }

  /** Why a schedule must be set anew; null: it is as it should be. */
  async function faultOf(
    scheduler: JobSchedulerJson<JobData>,
    { repeat, template }: ReturnType<typeof wantedScheduler>,
    nowMs: number,
  ): Promise<string | null> {
    if (scheduler.pattern !== repeat.pattern || scheduler.tz !== repeat.tz) return 'other times';
    if (laterThan(nowMs, scheduler.startDate) !== laterThan(nowMs, repeat.startDate))
      return 'another beginning';
    const { data, opts } = scheduler.template ?? {};
    if (data?.version !== template.data.version) return 'another version';
    if (opts?.priority !== template.opts.priority) return 'another priority';
    return await faultOfNext(scheduler);
  }

  /** The next job must be there and not be over: else nothing would ever bring the one after it. */
  async function faultOfNext({ key, next }: JobSchedulerJson<JobData>): Promise<string | null> {
    if (next === undefined || next === null) return 'no next moment';
    const job = await queue.getJob(`repeat:${key}:${next}`);
    if (job === undefined) return 'no next job';
    return job.finishedOn === undefined ? null : 'no job after the last one';
  }

  async function beat(nowMs: number): Promise<void> {
    const at = isoTime(nowMs);
    await redis.hset(keys.heartbeat, Object.fromEntries(SCHEDULED_JOBS.map(({ name }) => [name, at])));
    await redis.hset(keys.queues, queue.name, at);
  }
}

export function rhythmOf(job: ScheduledJob, config: Config) {
  return { pattern: job.pattern(config), timezone: config.schedule.timezone };
}

/** Names of the jobs that are at work, or would be if the worker were free. */
async function pendingNames(queue: MirrorQueue, nowMs: number, ending?: MirrorJob): Promise<Set<string>> {
  const jobs = await queue.getJobs(['active', 'waiting', 'prioritized', 'delayed'], 0, MOST_JOBS);
  const pending = jobs.filter(
    (job) =>
      job !== undefined && job.id !== ending?.id && (momentOf(job) ?? job.timestamp + job.delay) <= nowMs,
  );
  return new Set(pending.map(({ name }) => name));
}

function dataOf(because: string): JobData {
  return { version: JOB_VERSION, because };
}

function laterThan(nowMs: number, startMs: number | undefined): number | null {
  return startMs !== undefined && startMs > nowMs ? startMs : null;
}

const MOST_JOBS = 500;
