import { MetricsTime, type Telemetry, UnrecoverableError, Worker } from 'bullmq';
import type { Logger } from 'pino';
import type { Clock } from '../src/clock.ts';
import type { Config } from '../src/config/config.ts';
import { MirrorError } from '../src/errors.ts';
import { openWorkspace } from '../src/operations/assemble.ts';
import { updateStoredEstimate } from '../src/operations/estimate.ts';
import type { Outcome } from '../src/outcome.ts';
import { type Connections, isConnectionError } from '../src/redis/connection.ts';
import type { RunTotals } from '../src/run_totals.ts';
import type { CallCount } from '../src/warehouse/call_counts.ts';
import { lastRunOf } from '../src/warehouse/run.ts';
import { isCovered } from './due_jobs.ts';
import type { ErrorLog } from './error_log.ts';
import {
  assertJobData,
  failureOf,
  type JobDefinition,
  JobRejected,
  type JobResult,
  KeyRefused,
  resultOf,
} from './job.ts';
import type { LeaderFacts } from './leadership.ts';
import {
  type MirrorJob,
  type MirrorWorker,
  queueNameOf,
  repeatStrategy,
  retention,
  scheduledTimeOf,
} from './queue.ts';

/** The parts that all registries of one worker share. */
export interface WorkerParts {
  readonly jobs: readonly JobDefinition[];
  readonly connections: Connections;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer: WorkerObserver;
  /** Traces jobs; null if tracing is disabled. */
  readonly tracing: Telemetry | null;
  /** Identifies this process to other workers. */
  readonly identity: Omit<LeaderFacts, 'ledger'>;
  /** Called when the worker cannot continue until a user corrects the configuration or a file. */
  readonly onFatal: (error: unknown) => void;
}

interface ProcessorOptions extends WorkerParts {
  readonly config: Config;
  readonly errors: ErrorLog;
  /** Called after each attempt at a job, before BullMQ records it. Never rejects. */
  onAttempt(job: MirrorJob, attempt: JobAttempt): Promise<void>;
}

/** One attempt at a job. It processes one bounded batch. */
export interface JobAttempt {
  readonly durationMs: number;
  /**
   * How the run ended, or `covered`, `failed` or `retried`. A `retried` attempt has failed, and BullMQ will process the
   * job again.
   */
  readonly outcome: string;
  /** The error that the attempt threw; null if it succeeded. */
  readonly failure: Error | null;
  /** True if the attempt failed before its run started, for example because a file could not be opened. */
  readonly hasFailedBeforeRun: boolean;
}

/** Observes attempts and calls in all queues, for the metrics. */
export interface WorkerObserver {
  attemptEnded(registry: string, job: string, attempt: JobAttempt): void;
  /** Called when one of this worker's calls has ended. */
  callEnded(registry: string, outcome: Outcome): void;
  /** Called when calls made by any process have been loaded. */
  callsLoaded(registry: string, calls: readonly CallCount[]): void;
}

/** Processes the jobs in one queue, one at a time, while this process leads the queue. */
export class Processor {
  readonly #options: ProcessorOptions;
  readonly #worker: MirrorWorker;
  readonly #closing = new AbortController();
  #running: string | null = null;
  #lastErrorMs = 0;
  #pauseMs = SHORTEST_PAUSE_MS;

  constructor(options: ProcessorOptions) {
    const { config, connections, log, identity, tracing } = options;
    this.#options = options;
    this.#worker = new Worker(queueNameOf(config), (job) => this.#process(job), {
      connection: connections.forWorkers,
      prefix: config.worker.prefix,
      name: identity.worker,
      concurrency: 1,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_EVERY_MS,
      maxStalledCount: MOST_STALLS,
      runRetryDelay: RETRY_AFTER_MS,
      skipVersionCheck: true,
      metrics: { maxDataPoints: MetricsTime.ONE_WEEK },
      settings: { repeatStrategy },
      ...(tracing !== null && { telemetry: tracing }),
      ...retention(),
    });
    logEvents(this.#worker, log);
    this.#worker.on('error', (error) => this.#pauseAfter(error));
  }

  /** The running job's name; null if no job is running. */
  get running(): string | null {
    return this.#running;
  }

  /** Stops taking jobs, waits for the in-flight calls and loads them, and returns the unfinished job to the queue. */
  async close(): Promise<void> {
    this.#closing.abort();
    const closed = this.#worker.close();
    while (this.#running !== null) await endsWithin(POLL_MS, closed);
    // Without Redis, the job cannot be marked as ended. That is acceptable, because the warehouse stores the result.
    await endsWithin(CLOSE_WITHIN_MS, closed);
  }

  async #process(job: MirrorJob): Promise<JobResult> {
    const { jobs, config, clock, log, onAttempt } = this.#options;
    const definition = jobs.find(({ name }) => name === job.name);
    const startedAtMs = clock.now();
    const progress = new JobProgress(job, log.child({ job: job.id, name: job.name }), clock);
    this.#running = job.name;
    const batch = { job, definition, progress };
    const { result, failure } = await runBatch(this.#options, batch, this.#closing.signal).then(
      (result) => ({ result, failure: null }),
      (error: unknown) => ({ result: null, failure: failureOf(error) }),
    );
    this.#running = null;
    const nowMs = clock.now();
    const isRetried = failure !== null && hasRetryAfter(failure, job);
    await onAttempt(job, {
      durationMs: nowMs - startedAtMs,
      outcome: result?.ended ?? (isRetried ? 'retried' : 'failed'),
      failure,
      hasFailedBeforeRun: failure !== null && progress.runId === null && !(failure instanceof JobRejected),
    });
    if (failure === null) return result as JobResult;
    if (!isRetried && !(failure instanceof KeyRefused)) definition?.onFailed?.(config, nowMs);
    throw failure;
  }

  /**
   * Pauses the worker after each error, because BullMQ immediately retries a command that Redis rejects. The pause
   * doubles while errors continue.
   */
  #pauseAfter(error: Error): void {
    const { errors, clock } = this.#options;
    const { signal } = this.#closing;
    errors.log(error, 'the worker received an error from the queue');
    if (isConnectionError(error) || this.#worker.isPaused() || signal.aborted) return;
    const nowMs = clock.now();
    const isRepeated = nowMs - this.#lastErrorMs <= FORGET_ERRORS_MS;
    this.#pauseMs = isRepeated ? Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS) : SHORTEST_PAUSE_MS;
    this.#lastErrorMs = nowMs;
    void this.#pause(this.#pauseMs);
  }

  async #pause(pauseMs: number): Promise<void> {
    const { signal } = this.#closing;
    void this.#worker.pause(true);
    await this.#options.clock.sleep(pauseMs, signal);
    if (!signal.aborted) await this.#worker.resume();
  }
}

interface BatchInput {
  readonly job: MirrorJob;
  readonly definition: JobDefinition | undefined;
  readonly progress: JobProgress;
}

/** Runs one batch of a job. A batch can be repeated safely, because the warehouse stores all progress. */
async function runBatch(
  { config, observer }: ProcessorOptions,
  { job, definition, progress }: BatchInput,
  signal: AbortSignal,
): Promise<JobResult> {
  if (definition === undefined)
    throw new JobRejected(
      `this version has no job \`${job.name}\`; the job did nothing. Remove it from the queue.`,
    );
  assertJobData(job.data);
  const scheduledMs = scheduledTimeOf(job);
  using workspace = openWorkspace(config);
  const lastRun = scheduledMs === null ? null : lastRunOf(workspace.warehouse.db, job.name);
  if (scheduledMs !== null && lastRun !== null && isCovered(scheduledMs, lastRun))
    return { summary: `run ${lastRun.runId} covered this scheduled time`, run: null, ended: 'covered' };
  const bounds = {
    maxCalls: config.worker.job_calls ?? Number.POSITIVE_INFINITY,
    maxMinutes: config.worker.job_time.ms / 60_000,
    signal,
    onStarted: (runId: number) => progress.started(runId),
    onProgress: (...[totals, outcomes]: Parameters<JobProgress['loaded']>) => {
      for (const outcome of outcomes) observer.callEnded(queueNameOf(config), outcome);
      progress.loaded(totals, outcomes);
    },
  };
  const report = await definition.process({ workspace, bounds });
  if (report === null) return { summary: 'no work is left', run: null, ended: 'covered' };
  updateStoredEstimate(workspace, report);
  return resultOf(report, definition.name);
}

/** Returns whether BullMQ will process the job again after this failure. */
function hasRetryAfter(failure: Error, { attemptsMade, opts }: MirrorJob): boolean {
  return !(failure instanceof UnrecoverableError) && attemptsMade + 1 < (opts.attempts ?? 1);
}

function logEvents(worker: MirrorWorker, log: Logger): void {
  worker.on('completed', (job, result) =>
    log.info({ job: job.id, name: job.name, ...result }, 'job finished'),
  );
  worker.on('failed', (job, { message: reason, cause }) => {
    const { attempts = 1, backoff } = job?.opts ?? {};
    const isExpected = cause === undefined || cause instanceof MirrorError;
    const line = {
      job: job?.id,
      name: job?.name,
      attempt: job?.attemptsMade,
      attempts,
      reason,
      ...(!isExpected && { err: cause }),
    };
    if (job?.finishedOn === undefined) log.warn({ ...line, backoff }, 'job failed; it will be retried');
    else log.error(line, 'job failed');
  });
  worker.on('stalled', (id) =>
    log.warn({ job: id }, 'job taken over, because no worker has renewed its lock'),
  );
}

// After a worker is killed, its job continues within this time plus two checks for stalled jobs.
const LOCK_MS = 10_000;
const STALLED_EVERY_MS = 5000;
// A batch can be repeated safely, but a job that always kills its worker must eventually fail.
const MOST_STALLS = 5;
const RETRY_AFTER_MS = 1000;
const SHORTEST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 10_000;
const FORGET_ERRORS_MS = 60_000;
const POLL_MS = 50;
const CLOSE_WITHIN_MS = 1000;

/** Returns whether the work ends in time, with or without an error. Late work is not stopped. */
export async function endsWithin(delayMs: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), delayMs);
  });
  const ended = work.then(
    () => true,
    () => true,
  );
  const isInTime = await Promise.race([ended, late]);
  clearTimeout(timer);
  return isInTime;
}

/** Reports one job's run in the worker's log, and its progress on the dashboard. */
class JobProgress {
  readonly #job: MirrorJob;
  readonly #log: Logger;
  readonly #clock: Clock;
  #runId: number | null = null;
  #updatedAtMs = 0;

  constructor(job: MirrorJob, log: Logger, clock: Clock) {
    this.#job = job;
    this.#log = log;
    this.#clock = clock;
  }

  /** The id of the run in `_run`; null if no run has started. */
  get runId(): number | null {
    return this.#runId;
  }

  started(runId: number): void {
    this.#runId = runId;
    this.#log.info({ run: runId }, 'run started');
  }

  loaded(totals: RunTotals, outcomes: readonly Outcome[]): void {
    for (const { callId, call, verdict, status, durationMs } of outcomes) {
      const ms = Math.round(durationMs);
      const line = { run: this.#runId, call: callId, kind: call.kind, outcome: verdict.is, status, ms };
      if ('why' in verdict) this.#log.warn({ ...line, why: verdict.why }, 'call failed');
      else this.#log.debug(line, 'call');
    }
    const nowMs = this.#clock.now();
    if (nowMs - this.#updatedAtMs < PROGRESS_EVERY_MS) return;
    this.#updatedAtMs = nowMs;
    // If FLUSHALL has removed the job, the run continues anyway, and the warehouse stores its result.
    this.#job
      .updateProgress({ run: this.#runId, ...totals })
      .catch((error) => this.#log.debug({ run: this.#runId, err: error }, 'progress not updated'));
  }
}

const PROGRESS_EVERY_MS = 1000;
