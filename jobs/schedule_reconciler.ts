import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { isoTime } from '../src/clock.ts';
import type { Config } from '../src/config/config.ts';
import { type CronSchedule, periodOf } from '../src/cron/cron_times.ts';
import { addBackfill, backfill } from './backfill.ts';
import { type JobState, jobsToQueue } from './due_jobs.ts';
import { isScheduled, JOB_VERSION, type JobDefinition, type ScheduledJob } from './job.ts';
import { attemptsWithin, jobOptions, keysOf, type MirrorJob, type MirrorQueue } from './queue.ts';
import type { RegistrySnapshot } from './registry_snapshot.ts';
import { neededJobs } from './schedules.ts';

export interface ReconcileInput {
  readonly snapshot: RegistrySnapshot;
  /** The name of the job that this process is running; null if no job is running. */
  readonly running: string | null;
  /**
   * A job that is about to end; null if no job is. It does not count as queued, so that its next batch is queued now.
   */
  readonly ending: MirrorJob | null;
  /** The jobs whose last attempt failed before its run started, by name. */
  readonly failures: ReadonlyMap<string, FailureBeforeRun>;
}

export interface FailureBeforeRun {
  readonly atMs: number;
  readonly message: string;
}

interface ReconcilerOptions {
  readonly jobs: readonly JobDefinition[];
  readonly config: Config;
  readonly queue: MirrorQueue;
  readonly redis: Redis;
  readonly log: Logger;
}

/**
 * Repairs the queue, based on the configuration and the warehouse. Afterwards, each due job is queued. Only the leader
 * reconciles. Reconciling is idempotent.
 */
export class ScheduleReconciler {
  readonly #parts: ReconcilerOptions;
  readonly #jobs: readonly ScheduledJob[];

  constructor(parts: ReconcilerOptions) {
    this.#parts = parts;
    this.#jobs = neededJobs(parts.jobs.filter(isScheduled), parts.config);
  }

  /** Throws if Redis does not respond or returns an error. */
  async reconcile({ snapshot, running, ending, failures }: ReconcileInput): Promise<void> {
    const { config, queue, redis } = this.#parts;
    const { nowMs } = snapshot.queue;
    const pending = await pendingNames(queue, nowMs, ending);
    if (running !== null && ending === null) pending.add(running);
    await this.#removeSchedulers();
    await this.#queueDueJobs(snapshot, pending, failures);
    if (running !== backfill.name) await this.#queueBackfills(snapshot);
    const at = isoTime(nowMs);
    const keys = keysOf(config.worker.prefix, queue.name);
    await redis.hset(keys.heartbeat, Object.fromEntries(this.#jobs.map(({ name }) => [name, at])));
    await redis.hset(keys.queues, queue.name, at);
  }

  async #queueDueJobs(
    { queue: facts }: RegistrySnapshot,
    pending: ReadonlySet<string>,
    failures: ReconcileInput['failures'],
  ): Promise<void> {
    const { config, queue, log } = this.#parts;
    const states = this.#jobs.map(
      (job): JobState => ({
        job,
        schedule: cronScheduleOf(job, config),
        isPending: pending.has(job.name),
        failedAtMs: failures.get(job.name)?.atMs ?? null,
      }),
    );
    for (const { job, because } of jobsToQueue(facts, states)) {
      const { name } = job;
      // Two workers can briefly lead at the same time. This id makes BullMQ queue only one job after the same run.
      const deduplication = { id: `${name}-after-${facts.lastRuns[name]?.runId ?? 0}` };
      const { id } = await queue.add(
        name,
        { version: JOB_VERSION, because },
        { ...optionsOf(job, config), deduplication },
      );
      log.info({ job: id, name, because }, 'job queued');
    }
  }

  async #queueBackfills({ backfills }: RegistrySnapshot): Promise<void> {
    const { config, queue, log } = this.#parts;
    for (const queued of backfills) {
      const job = await addBackfill(queue, config, queued, "Redis had lost this backfill's job");
      if (job !== null) log.warn({ job: job.id, backfill: queued.backfillId }, 'backfill queued again');
    }
  }

  /** Removes the job schedulers that an earlier build kept in Redis. They would queue jobs too. */
  async #removeSchedulers(): Promise<void> {
    const { queue } = this.#parts;
    for (const { key } of await queue.getJobSchedulers()) await queue.removeJobScheduler(key);
  }
}

function optionsOf(job: ScheduledJob, config: Config) {
  return jobOptions(job.priority(config.focus), attemptsWithin(periodOf(cronScheduleOf(job, config))));
}

function cronScheduleOf(job: ScheduledJob, config: Config): CronSchedule {
  return { pattern: job.pattern(config), timezone: config.schedule.timezone };
}

/**
 * Returns the names of the jobs that are running, waiting for a retry, or ready to run as soon as the worker is idle.
 */
async function pendingNames(
  queue: MirrorQueue,
  nowMs: number,
  ending: MirrorJob | null,
): Promise<Set<string>> {
  const jobs = await queue.getJobs(['active', 'waiting', 'prioritized', 'delayed'], 0, MOST_JOBS);
  const pending = jobs.filter(
    (job) =>
      job !== undefined &&
      job.id !== ending?.id &&
      (job.attemptsMade > 0 || job.timestamp + job.delay <= nowMs),
  );
  return new Set(pending.map(({ name }) => name));
}

const MOST_JOBS = 500;
