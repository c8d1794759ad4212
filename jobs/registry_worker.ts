import type { Logger } from 'pino';
import type { Clock } from '../src/clock.ts';
import type { Config } from '../src/config/config.ts';
import { openWorkspace } from '../src/operations/assemble.ts';
import type { CallCount } from '../src/warehouse/activity.ts';
import { endsWithin } from './ends_within.ts';
import { type ErrorLog, openErrorLog } from './error_log.ts';
import type { JobDefinition } from './job.ts';
import {
  keepLeading,
  type LeaderFacts,
  type Leadership,
  type LeaseState,
  openLeadership,
  otherLedgerError,
} from './leadership.ts';
import { type Attempt, type JobObserver, openProcessor, type Processor } from './processor.ts';
import { identityOf, keysOf, type MirrorJob, type MirrorQueue, openQueue, queueNameOf } from './queue.ts';
import { type Connections, messageOf } from './redis.ts';
import { type RegistrySnapshot, readSnapshot } from './registry_snapshot.ts';
import type { RegistryState } from './registry_state.ts';
import {
  type FailureBeforeRun,
  openScheduleReconciler,
  type ScheduleReconciler,
} from './schedule_reconciler.ts';
import { problemsOf } from './worker_problems.ts';

export interface RegistryWorkerOptions {
  readonly jobs: readonly JobDefinition[];
  readonly config: Config;
  readonly connections: Connections;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer: JobObserver;
  /** Identifies this process to other workers. */
  readonly identity: Omit<LeaderFacts, 'ledger'>;
  /** Called when the worker cannot continue until a user corrects the configuration or a file. */
  readonly onFatal: (error: unknown) => void;
}

/**
 * The worker of one registry and account. It leads the queue or is on standby. As leader it reconciles the schedules
 * and runs one job at a time, so that runs never overlap.
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
  readonly #failures = new Map<string, FailureBeforeRun>();
  #filesError: unknown = null;
  #isPaused = false;
  #role: RegistryState['role'] = 'starting';
  #leader: LeaderFacts | null = null;
  #processor: Processor | null = null;
  #snapshot: RegistrySnapshot | null = null;
  readonly #calls = new Map<string, CallCount>();
  #reconciledAtMs: number | null = null;
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
    this.#errors = openErrorLog(this.#log, options.clock);
    const redis = connections.forQueues;
    this.queue = openQueue(config, redis, (error) => this.#logError(error, 'queue error'));
    this.#reconciler = openScheduleReconciler({ jobs, config, queue: this.queue, redis, log: this.#log });
    const key = keysOf(config.worker.prefix, this.name).leader;
    this.#leadership = openLeadership(redis, key, { ...identity, ledger: this.#ledger });
  }

  get state(): RegistryState {
    return {
      role: this.#role,
      leader: this.#leader,
      running: this.#processor?.running ?? null,
      snapshot: this.#snapshot,
      calls: [...this.#calls.values()],
      reconciledAtMs: this.#reconciledAtMs,
      redisError: this.#errors.redisError,
      isPaused: this.#isPaused,
      problems: problemsOf({
        filesError: this.#filesError,
        failures: this.#failures,
        health: this.#snapshot?.health ?? null,
      }),
    };
  }

  start(): void {
    const { clock } = this.#options;
    const leading = keepLeading({
      leadership: this.#leadership,
      clock,
      signal: this.#stop.signal,
      onState: (state) => this.#onLease(state),
      onUnreachable: (error) => this.#logError(error, 'leadership error'),
    });
    this.#loops = Promise.all([leading, this.#reconcileRepeatedly()]);
  }

  /** Waits for the calls in flight and loads them, releases the leadership, and closes. */
  async stop(): Promise<void> {
    // Release the lease only after this step, so that all calls in flight are loaded before another worker leads.
    await this.#stepDown();
    this.#stop.abort();
    const closing = async () => {
      await this.#loops;
      await this.#reconciling;
      await this.#leadership.release();
      await this.queue.close();
    };
    // Without Redis, these commands fail or wait, and the lease expires by itself.
    await endsWithin(CLOSE_WITHIN_MS, closing());
  }

  async #onLease(state: LeaseState): Promise<void> {
    if (state.leads && this.#role !== 'leading') this.#stepUp();
    if (!state.leads) {
      const isNew = this.#role !== 'standing_by' || this.#leader?.worker !== state.leader?.worker;
      await this.#standBy(state.leader, isNew);
    }
  }

  #stepUp(): void {
    const { jobs, config, connections, clock, identity, onFatal } = this.#options;
    try {
      // Create or migrate the warehouse now, so that a fault of the file is reported before the first job.
      openWorkspace(config, clock).close();
    } catch (error) {
      onFatal(error);
      return;
    }
    this.#role = 'leading';
    this.#leader = null;
    this.#log.info('this worker leads the queue');
    this.#processor = openProcessor({
      jobs,
      config,
      connection: connections.forWorkers,
      clock,
      log: this.#log,
      errors: this.#errors,
      workerName: identity.worker,
      lastRunOf: (name) => {
        const { facts } = readSnapshot(config, { jobs, nowMs: clock.now(), afterCallId: null });
        return facts.lastRuns[name] ?? null;
      },
      onAttempt: (job, attempt) => this.#onAttempt(job, attempt),
      onCall: (outcome) => this.#options.observer.callEnded(this.name, outcome),
    });
    void this.#reconcile();
  }

  /**
   * If BullMQ will retry the job, the job stays in the queue. After any other attempt, the reconciler may queue the
   * next batch.
   */
  #onAttempt(job: MirrorJob, attempt: Attempt): Promise<void> {
    const { outcome, failure, hasFailedBeforeRun } = attempt;
    this.#options.observer.attemptEnded(this.name, job.name, attempt);
    if (hasFailedBeforeRun)
      this.#failures.set(job.name, { atMs: this.#options.clock.now(), message: messageOf(failure) });
    else this.#failures.delete(job.name);
    return this.#reconcile(outcome === 'retried' ? null : job);
  }

  async #standBy(leader: LeaderFacts | null, isNew: boolean): Promise<void> {
    if (this.#role === 'leading') {
      this.#log.warn({ leader }, 'another worker leads the queue now');
      this.#snapshot = null;
      this.#filesError = null;
      this.#failures.clear();
    } else if (isNew) this.#log.info({ leader }, 'on standby: another worker leads the queue');
    this.#role = 'standing_by';
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

  async #reconcileRepeatedly(): Promise<void> {
    const { clock } = this.#options;
    while (!this.#stop.signal.aborted) {
      await clock.sleep(RECONCILE_EVERY_MS, this.#stop.signal);
      await this.#reconcile();
    }
  }

  /** Reconciles after the previous reconciliation has ended. Does nothing if this worker does not lead. */
  #reconcile(ending: MirrorJob | null = null): Promise<void> {
    this.#reconciling = this.#reconciling
      .then(() => this.#reconcileNow(ending))
      .catch((error) => this.#logError(error, 'the queue was not reconciled'));
    return this.#reconciling;
  }

  async #reconcileNow(ending: MirrorJob | null): Promise<void> {
    if (this.#role !== 'leading') return;
    const { jobs, clock, config } = this.#options;
    const nowMs = clock.now();
    const afterCallId = this.#snapshot?.lastCallId ?? null;
    try {
      this.#snapshot = readSnapshot(config, { jobs, nowMs, afterCallId });
      this.#filesError = null;
    } catch (error) {
      this.#filesError = error;
      throw error;
    }
    for (const count of this.#snapshot.newCalls) this.#count(count);
    await this.#reconciler.reconcile({
      snapshot: this.#snapshot,
      running: this.#processor?.running ?? null,
      failures: this.#failures,
      ending,
    });
    this.#notePause(await this.queue.isPaused());
    this.#reconciledAtMs = nowMs;
  }

  #notePause(isPaused: boolean): void {
    if (isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    this.#log.warn(isPaused ? PAUSED : 'the queue is resumed');
  }

  #count({ kind, outcome, calls }: CallCount): void {
    const key = `${kind} ${outcome}`;
    this.#calls.set(key, { kind, outcome, calls: calls + (this.#calls.get(key)?.calls ?? 0) });
  }

  #logError(error: unknown, what: string): void {
    if (this.#stop.signal.aborted) this.#log.debug({ err: error }, what);
    else this.#errors.log(error, what);
  }
}

const RECONCILE_EVERY_MS = 5000;
const CLOSE_WITHIN_MS = 1000;
const PAUSED = 'the queue is paused: no job starts until it is resumed (registry-mirror worker resume)';
