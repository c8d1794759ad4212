import type { JobSchedulerJson } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { isoTime } from '../src/clock.ts';
import type { Config } from '../src/config/config.ts';
import type { CronSchedule } from '../src/cron/cron_times.ts';
import { type JobState, jobsToQueue } from './due_jobs.ts';
import { JOB_VERSION, type JobData } from './job.ts';
import {
  attemptsWithin,
  jobOptions,
  type MirrorJob,
  type MirrorQueue,
  MOST_ATTEMPTS,
  redisKeysOf,
  scheduledTimeOf,
} from './queue.ts';
import type { RegistrySnapshot } from './registry_snapshot.ts';

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
  readonly config: Config;
  readonly queue: MirrorQueue;
  readonly redis: Redis;
  readonly log: Logger;
}

/**
 * Repairs the queue, based on the configuration and the warehouse. Afterwards, each schedule is in Redis with its next
 * job, and each due job is queued. Only the leader reconciles. Reconciling is idempotent.
 */
export class ScheduleReconciler {
  readonly #parts: ReconcilerOptions;

  constructor(parts: ReconcilerOptions) {
    this.#parts = parts;
  }

  /** Throws if Redis does not respond or returns an error. */
  async reconcile({ snapshot, running, ending, failures }: ReconcileInput): Promise<void> {
    const { config, queue, redis } = this.#parts;
    const { nowMs, closedUntilMs } = snapshot.queue;
    // Read the jobs before repairing the schedules. A job created in between can seem to be missing, but it is never
    // created twice.
    const pending = await pendingNames(queue, nowMs, ending);
    if (running !== null && ending === null) pending.add(running);
    await this.#repairSchedules(snapshot.jobs, closedUntilMs, nowMs);
    await this.#queueDueJobs(snapshot, pending, failures);
    await redis.hset(redisKeysOf(config.worker.prefix, queue.name).queues, queue.name, isoTime(nowMs));
  }

  async #queueDueJobs(
    { queue: facts, jobs }: RegistrySnapshot,
    pending: ReadonlySet<string>,
    failures: ReconcileInput['failures'],
  ): Promise<void> {
    const { config, queue, log } = this.#parts;
    for (const { state, because } of jobsToQueue(facts, jobs, { pending, failures })) {
      const { name } = state.job;
      // Two workers can briefly lead at the same time. This id makes BullMQ queue only one job after the same run.
      const deduplication = { id: `${name}-after-${state.lastRun?.runId ?? 0}` };
      const { id } = await queue.add(name, dataOf(because), { ...optionsOf(state, config), deduplication });
      log.info({ job: id, name, because }, 'job queued');
    }
  }

  async #repairSchedules(
    jobs: readonly JobState[],
    closedUntilMs: number | null,
    nowMs: number,
  ): Promise<void> {
    const { config, queue, log } = this.#parts;
    const found = new Map((await queue.getJobSchedulers()).map((scheduler) => [scheduler.key, scheduler]));
    for (const state of jobs) {
      const { job, scheduled } = state;
      if (scheduled === null) continue;
      const scheduler = found.get(job.name);
      // If a job can never run, its schedule is removed below, like the schedules of unknown jobs.
      if (closedUntilMs === Number.POSITIVE_INFINITY) continue;
      found.delete(job.name);
      const wanted = wantedScheduler(state, scheduled.schedule, config, closedUntilMs);
      const fault = scheduler === undefined ? 'missing' : await faultOf(queue, scheduler, wanted, nowMs);
      if (fault === null) continue;
      await queue.upsertJobScheduler(job.name, wanted.repeat, wanted.template);
      const next = (await queue.getJobScheduler(job.name))?.next;
      log.info({ schedule: job.name, fault, next: next && isoTime(next) }, 'schedule written');
    }
    for (const name of found.keys()) {
      await queue.removeJobScheduler(name);
      const isKnown = jobs.some(({ job }) => job.name === name);
      log.warn(
        { schedule: name },
        `schedule removed: ${isKnown ? 'no quota will return' : 'the configuration needs no such job'}`,
      );
    }
  }
}

function wantedScheduler(
  state: JobState,
  { pattern, timezone }: CronSchedule,
  config: Config,
  closedUntilMs: number | null,
) {
  // The schedule must not create jobs while the allowance is used up.
  const start = closedUntilMs === null ? {} : { startDate: Math.ceil(closedUntilMs) };
  const data = dataOf('its scheduled time was reached');
  return {
    repeat: { pattern, tz: timezone, ...start },
    template: { name: state.job.name, data, opts: optionsOf(state, config) },
  };
}

/** Returns why a schedule must be rewritten, or null if it is correct. */
async function faultOf(
  queue: MirrorQueue,
  { key, next, pattern, tz, startDate, template: { data, opts } = {} }: JobSchedulerJson<JobData>,
  { repeat, template }: ReturnType<typeof wantedScheduler>,
  nowMs: number,
): Promise<string | null> {
  if (pattern !== repeat.pattern || tz !== repeat.tz) return 'the times differ';
  if (laterThan(nowMs, startDate) !== laterThan(nowMs, repeat.startDate)) return 'the start date differs';
  if (data?.version !== template.data.version) return 'the data version differs';
  if (opts?.priority !== template.opts.priority) return 'the priority differs';
  if (opts?.attempts !== template.opts.attempts) return 'the number of attempts differs';
  // BullMQ creates each job in a schedule from the previous job, so the next job must exist and be unfinished.
  if (next === undefined || next === null) return 'the next time is missing';
  const job = await queue.getJob(`repeat:${key}:${next}`);
  if (job === undefined) return 'the next job is missing';
  return job.finishedOn === undefined ? null : 'the last job has no successor';
}

function optionsOf({ job, scheduled }: JobState, { focus }: Config) {
  const attempts = scheduled === null ? MOST_ATTEMPTS : attemptsWithin(scheduled.periodMs);
  return jobOptions(job.priority(focus), attempts);
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
      (job.attemptsMade > 0 || (scheduledTimeOf(job) ?? job.timestamp + job.delay) <= nowMs),
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
