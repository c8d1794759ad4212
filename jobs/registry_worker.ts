import type { Logger } from 'pino';
import type { Config } from '../src/config/config.ts';
import { FailedError, MirrorError, messageOf } from '../src/errors.ts';
import { openWorkspace } from '../src/operations/assemble.ts';
import type { Health } from '../src/report/health.ts';
import type { Problem } from '../src/report/problems.ts';
import { lastProcessedCallId } from '../src/warehouse/call.ts';
import { backfill } from './backfill.ts';
import { ErrorLog } from './error_log.ts';
import type { JobDefinition } from './job.ts';
import { identityOf, type LeaderFacts, Leadership, otherLedgerError, RENEW_EVERY_MS } from './leadership.ts';
import { endsWithin, type JobAttempt, Processor, type WorkerParts } from './processor.ts';
import { type MirrorJob, type MirrorQueue, openQueue, queueNameOf, redisKeysOf } from './queue.ts';
import { type RegistrySnapshot, readSnapshot } from './registry_snapshot.ts';
import { type FailureBeforeRun, ScheduleReconciler } from './schedule_reconciler.ts';

interface RegistryWorkerOptions extends WorkerParts {
  readonly config: Config;
}

export type RegistryState = RegistryWorker['state'];

/**
 * The worker for one registry and account. It leads the queue or is on standby. The leader reconciles the schedules and
 * runs one job at a time, so that runs never overlap.
 */
export class RegistryWorker {
  readonly name: string;
  readonly config: Config;
  readonly jobs: readonly JobDefinition[];
  readonly queue: MirrorQueue;
  readonly #options: RegistryWorkerOptions;
  readonly #log: Logger;
  readonly #reconciler: ScheduleReconciler;
  readonly #leadership: Leadership;
  readonly #ledger: string;
  readonly #errors: ErrorLog;
  readonly #stop = new AbortController();
  #isStopping = false;
  readonly #failures = new Map<string, FailureBeforeRun>();
  #filesError: unknown = null;
  #isPaused = false;
  #role: 'starting' | 'leading' | 'standing_by' = 'starting';
  #leader: LeaderFacts | null = null;
  #processor: Processor | null = null;
  #snapshot: RegistrySnapshot | null = null;
  /** The id of the last call that the metrics have counted since this worker became the leader. */
  #countedCallId = 0;
  #reconciledAtMs: number | null = null;
  #leadsSinceMs: number | null = null;
  #triedAtMs: number | null = null;
  #reconciling: Promise<void> = Promise.resolve();
  #loops: Promise<unknown> = Promise.resolve();

  constructor(options: RegistryWorkerOptions) {
    const { jobs, config, connections, identity } = options;
    this.#options = options;
    this.jobs = jobs;
    this.config = config;
    this.name = queueNameOf(config);
    this.#log = options.log.child({ queue: this.name });
    this.#ledger = identityOf(config.ledger);
    this.#errors = new ErrorLog(this.#log, options.clock);
    const redis = connections.forQueues;
    this.queue = openQueue(config, redis, (error) => this.#logError(error, 'queue error'));
    this.#reconciler = new ScheduleReconciler({ config, queue: this.queue, redis, log: this.#log });
    const { leader } = redisKeysOf(config.worker.prefix, this.name);
    this.#leadership = new Leadership(redis, leader, { ...identity, ledger: this.#ledger });
  }

  get state() {
    return {
      role: this.#role,
      /** The leader, while this worker is on standby. */
      leader: this.#leader,
      /** The running job's name; null if no job is running. */
      running: this.#processor?.running ?? null,
      snapshot: this.#snapshot,
      /** When the queue was last reconciled, in epoch milliseconds; null before the first reconciliation. */
      reconciledAtMs: this.#reconciledAtMs,
      /** When this worker became the leader, in epoch milliseconds; null if it does not lead. */
      leadsSinceMs: this.#leadsSinceMs,
      /** When this worker last finished an attempt to lead and reconcile, successful or not, in epoch milliseconds. */
      triedAtMs: this.#triedAtMs,
      /** The error that Redis returned recently, such as OOM; null if there was none. */
      redisError: this.#errors.redisError,
      isPaused: this.#isPaused,
      /** The problems that only a person can resolve, most urgent first. */
      problems: problemsOf(this.#filesError, this.#failures, this.#snapshot?.facts.health ?? null),
    };
  }

  start(): void {
    this.#loops = Promise.all([
      this.#repeat(RENEW_EVERY_MS, () => this.#lead()),
      this.#repeat(RECONCILE_EVERY_MS, () => this.#reconcile(null)),
    ]);
  }

  /** Waits for the in-flight calls and loads them, releases the leadership, and closes. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    // Step down before releasing the lease, so that all in-flight calls are loaded before another worker leads.
    await this.#stepDown();
    this.#stop.abort();
    const closing = async () => {
      await this.#loops;
      await this.#reconciling;
      await this.#leadership.release();
      await this.queue.close();
    };
    // Without Redis, these commands fail or wait, and the lease expires on its own.
    await endsWithin(CLOSE_WITHIN_MS, closing());
  }

  async #repeat(everyMs: number, work: () => Promise<void>): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await work();
      this.#triedAtMs = this.#options.clock.now();
      await this.#options.clock.sleep(everyMs, signal);
    }
  }

  async #lead(): Promise<void> {
    try {
      const { leads, leader } = await this.#leadership.renew();
      if (!leads) await this.#standBy(leader);
      else if (this.#role !== 'leading' && !this.#isStopping) this.#stepUp();
    } catch (error) {
      this.#logError(error, 'leadership error');
    }
  }

  #stepUp(): void {
    const { config, clock, onFatal } = this.#options;
    try {
      // Create or migrate the warehouse now, so that a fault in the file is reported before the first job.
      using workspace = openWorkspace(config, clock);
      this.#countedCallId = lastProcessedCallId(workspace.warehouse.db);
    } catch (error) {
      onFatal(error);
      return;
    }
    this.#role = 'leading';
    this.#leadsSinceMs = clock.now();
    this.#leader = null;
    this.#log.info('this worker leads the queue');
    this.#processor = new Processor({
      ...this.#options,
      log: this.#log,
      errors: this.#errors,
      onAttempt: (job, attempt) => this.#onAttempt(job, attempt),
    });
    void this.#reconcile(null);
  }

  #onAttempt(job: MirrorJob, attempt: JobAttempt): Promise<void> {
    this.#options.observer.attemptEnded(this.name, job.name, attempt);
    // A scheduled job is queued again after its last attempt. A backfill is not, so its failure then ends with the job.
    const isTriedAgain = attempt.outcome === 'retried' || job.name !== backfill.name;
    // A job can still end after this worker has stopped leading. The next leader then reports its failures.
    const isReported = attempt.hasFailedBeforeRun && isTriedAgain && this.#role === 'leading';
    if (isReported)
      this.#failures.set(job.name, { atMs: this.#options.clock.now(), message: messageOf(attempt.failure) });
    else this.#failures.delete(job.name);
    // A job that BullMQ will retry stays in the queue. After any other attempt, the next batch may be queued.
    return this.#reconcile(attempt.outcome === 'retried' ? null : job);
  }

  async #standBy(leader: LeaderFacts | null): Promise<void> {
    if (this.#role === 'leading') {
      this.#log.warn({ leader }, 'another worker leads the queue now');
      this.#snapshot = null;
      this.#filesError = null;
      this.#failures.clear();
    } else if (this.#role === 'starting' || this.#leader?.worker !== leader?.worker)
      this.#log.info({ leader }, 'on standby: another worker leads the queue');
    this.#role = 'standing_by';
    this.#leadsSinceMs = null;
    this.#leader = leader;
    await this.#stepDown();
    if (leader !== null && leader.ledger !== this.#ledger)
      this.#options.onFatal(otherLedgerError(this.config, leader));
  }

  async #stepDown(): Promise<void> {
    const processor = this.#processor;
    this.#processor = null;
    await processor?.close();
  }

  /** Reconciles once the previous reconciliation has ended. Does nothing if this worker does not lead. */
  #reconcile(ending: MirrorJob | null): Promise<void> {
    this.#reconciling = this.#reconciling
      .then(() => this.#reconcileNow(ending))
      .catch((error) => this.#logError(error, 'the queue was not reconciled'));
    return this.#reconciling;
  }

  async #reconcileNow(ending: MirrorJob | null): Promise<void> {
    if (this.#role !== 'leading') return;
    const { jobs, clock, config, observer } = this.#options;
    const nowMs = clock.now();
    try {
      this.#snapshot = readSnapshot(config, { jobs, nowMs, afterCallId: this.#countedCallId });
      this.#filesError = null;
    } catch (error) {
      this.#filesError = error;
      throw error;
    }
    const lost = this.#snapshot.facts.health.problems.find(({ name }) => name === 'ledger_lost');
    // Without the lost calls, the queue's jobs could spend the same units again.
    if (lost !== undefined) throw new FailedError(lost.cause, { hint: lost.remedy });
    this.#countedCallId = this.#snapshot.lastCallId;
    observer.callsLoaded(this.name, this.#snapshot.newCalls);
    await this.#reconciler.reconcile({
      snapshot: this.#snapshot,
      running: this.#processor?.running ?? null,
      failures: this.#failures,
      ending,
    });
    const isPaused = await this.queue.isPaused();
    if (isPaused !== this.#isPaused) this.#log.warn(isPaused ? PAUSED : 'the queue was resumed');
    this.#isPaused = isPaused;
    this.#reconciledAtMs = nowMs;
  }

  #logError(error: unknown, what: string): void {
    if (this.#stop.signal.aborted) this.#log.debug({ err: error }, what);
    else this.#errors.log(error, what);
  }
}

const RECONCILE_EVERY_MS = 5000;
const CLOSE_WITHIN_MS = 1000;
const PAUSED = 'the queue is paused: no job starts until it is resumed (registry-mirror worker resume)';

/** A problem with the mirror (see `src/report/health.ts`), or with the worker's files or jobs. */
type WorkerProblem = Omit<Problem, 'name'> & { readonly name: string };

/**
 * Returns the problems that only a person can resolve, most urgent first. `filesError` is the error from the last
 * attempt to read the warehouse and the ledger. `failures` has the jobs whose last attempt failed before its run
 * started, by name.
 */
function problemsOf(
  filesError: unknown,
  failures: ReadonlyMap<string, FailureBeforeRun>,
  health: Health | null,
): WorkerProblem[] {
  const jobs = [...failures].map(([job, { message }]) => ({
    name: 'job_cannot_start',
    cause: `The job ${job} cannot start: ${message}`,
    remedy:
      job === backfill.name
        ? 'Remove the cause. The job is retried. `registry-mirror status` shows the backfill.'
        : `Remove the cause, then run \`registry-mirror worker run ${job}\`.`,
  }));
  const files = filesError === null ? [] : [problemOfFiles(filesError)];
  return [...files, ...jobs, ...(health?.problems ?? [])];
}

function problemOfFiles(error: unknown): WorkerProblem {
  const remedy = (error instanceof MirrorError ? error.hint : null) ?? 'Run `registry-mirror doctor`.';
  const cause = `The worker cannot read the warehouse or the ledger: ${messageOf(error)}`;
  return { name: 'files', cause, remedy };
}

/** Returns whether this problem keeps jobs from running. */
export function isBlocking({ name }: WorkerProblem): boolean {
  return ['files', 'ledger_lost', 'job_cannot_start'].includes(name);
}
