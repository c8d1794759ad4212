import type { Logger } from 'pino';
import type { Clock } from '../src/clock.ts';
import type { Config } from '../src/config/config.ts';
import { UsageError } from '../src/errors.ts';
import { openWorkspace } from '../src/operations/assemble.ts';
import type { CallCount } from '../src/warehouse/activity.ts';
import { type Consumer, openConsumer } from './consumer.ts';
import {
  keepLeading,
  type LeaderFacts,
  type Leadership,
  type LeaseState,
  openLeadership,
} from './leadership.ts';
import { identityOf, isScheduledName, type MirrorJob, type MirrorQueue, openQueue } from './queue.ts';
import { keysOf, queueNameOf } from './queue_name.ts';
import { type Connections, isConnectionError } from './redis.ts';
import { type RegistrySnapshot, readSnapshot } from './registry_snapshot.ts';
import { openScheduleReconciler, type ScheduleReconciler } from './schedule_reconciler.ts';

export interface RegistryWorkerParts {
  readonly config: Config;
  readonly connections: Connections;
  readonly clock: Clock;
  readonly log: Logger;
  /** Who this process is. */
  readonly identity: Omit<LeaderFacts, 'ledger'>;
  /** It cannot go on: the configuration or a file must be corrected. */
  readonly onFatal: (error: unknown) => void;
}

/** What one registry's part of the worker is doing, for health, metrics and the log. */
export interface RegistryState {
  readonly role: 'starting' | 'leading' | 'standing_by';
  /** The other worker, while this one stands by. */
  readonly leader: LeaderFacts | null;
  readonly working: string | null;
  readonly reading: RegistrySnapshot | null;
  /** Calls seen in the warehouse since this worker began to lead, whichever process made them. */
  readonly calls: readonly CallCount[];
  /** When the queue was last seen to be in order; null: not yet. */
  readonly keptAtMs: number | null;
}

/**
 * One registry and account: leads its queue or stands by; as leader, keeps its schedules and works on its jobs
 * one after the other, so that runs never overlap.
 */
export class RegistryWorker {
  readonly name: string;
  readonly config: Config;
  readonly queue: MirrorQueue;
  readonly #parts: RegistryWorkerParts;
  readonly #log: Logger;
  readonly #keeper: ScheduleReconciler;
  readonly #leadership: Leadership;
  readonly #ledger: string;
  readonly #stop = new AbortController();
  readonly #failedAtMs = new Map<string, number>();
  #role: RegistryState['role'] = 'starting';
  #leader: LeaderFacts | null = null;
  #consumer: Consumer | null = null;
  #reading: RegistrySnapshot | null = null;
  readonly #calls = new Map<string, CallCount>();
  #keptAtMs: number | null = null;
  #keeping: Promise<void> = Promise.resolve();
  #loops: Promise<unknown> = Promise.resolve();

  constructor(parts: RegistryWorkerParts) {
    const { config, connections, identity } = parts;
    this.#parts = parts;
    this.config = config;
    this.name = queueNameOf(config);
    this.#log = parts.log.child({ queue: this.name });
    this.#ledger = identityOf(config.ledger);
    const redis = connections.forQueues;
    this.queue = openQueue(config, redis, (error) => this.#complain(error, 'queue'));
    this.#keeper = openScheduleReconciler({ config, queue: this.queue, redis, log: this.#log });
    const key = keysOf(config.worker.prefix, this.name).leader;
    this.#leadership = openLeadership(redis, key, { ...identity, ledger: this.#ledger });
  }

  get state(): RegistryState {
    return {
      role: this.#role,
      leader: this.#leader,
      working: this.#consumer?.working ?? null,
      reading: this.#reading,
      calls: [...this.#calls.values()],
      keptAtMs: this.#keptAtMs,
    };
  }

  start(): void {
    const { clock } = this.#parts;
    const leading = keepLeading({
      leadership: this.#leadership,
      clock,
      signal: this.#stop.signal,
      onState: (state) => this.#onLease(state),
      onUnreachable: (error) => this.#complain(error, 'leadership'),
    });
    this.#loops = Promise.all([leading, this.#keepUp()]);
  }

  /** Finishes and loads the calls in flight, hands the queue over, and closes. */
  async stop(): Promise<void> {
    // The lease is kept until then: whoever takes over finds the calls in flight loaded.
    await this.#stepDown();
    this.#stop.abort();
    await this.#loops;
    await this.#keeping;
    await this.#leadership.release().catch((error: unknown) => this.#complain(error, 'leadership'));
    await this.queue.close().catch((error: unknown) => this.#complain(error, 'queue'));
  }

  async #onLease(state: LeaseState): Promise<void> {
    if (state.leads && this.#role !== 'leading') this.#stepUp();
    if (!state.leads) {
      const isNew = this.#role !== 'standing_by' || this.#leader?.worker !== state.leader?.worker;
      await this.#standBy(state.leader, isNew);
    }
  }

  #stepUp(): void {
    const { config, connections, clock, identity, onFatal } = this.#parts;
    try {
      // Creates the warehouse or brings it up to date, and shows what is wrong with it before a job does.
      openWorkspace(config, clock).close();
    } catch (error) {
      onFatal(error);
      return;
    }
    this.#role = 'leading';
    this.#leader = null;
    this.#log.info('leads this queue');
    this.#consumer = openConsumer({
      config,
      connection: connections.forWorkers,
      clock,
      log: this.#log,
      workerName: identity.worker,
      lastRunOf: (name) => readSnapshot(config, clock.now()).facts.lastRuns[name],
      ending: (job, failedBeforeRun) => {
        if (failedBeforeRun) this.#failedAtMs.set(job.name, clock.now());
        return this.#keep(job);
      },
    });
    void this.#keep();
  }

  async #standBy(leader: LeaderFacts | null, isNew: boolean): Promise<void> {
    if (this.#role === 'leading') this.#log.warn({ leader }, 'another worker leads this queue now');
    else if (isNew) this.#log.info({ leader }, 'stands by for another worker');
    this.#role = 'standing_by';
    this.#leader = leader;
    await this.#stepDown();
    if (leader !== null && leader.ledger !== this.#ledger)
      this.#parts.onFatal(otherLedger(this.config, leader));
  }

  async #stepDown(): Promise<void> {
    const consumer = this.#consumer;
    this.#consumer = null;
    await consumer?.close();
  }

  async #keepUp(): Promise<void> {
    const { clock } = this.#parts;
    while (!this.#stop.signal.aborted) {
      await clock.sleep(KEEP_EVERY_MS, this.#stop.signal);
      await this.#keep();
    }
  }

  /** One at a time, and only as leader: looks at what is due, and sees that the queue asks for it. */
  #keep(ending?: MirrorJob): Promise<void> {
    this.#keeping = this.#keeping
      .then(() => this.#keepNow(ending))
      .catch((error) => this.#complain(error, 'keeping'));
    return this.#keeping;
  }

  async #keepNow(ending?: MirrorJob): Promise<void> {
    if (this.#role !== 'leading') return;
    const { clock, config } = this.#parts;
    const nowMs = clock.now();
    this.#reading = readSnapshot(config, nowMs, this.#reading?.lastCallId ?? null);
    for (const count of this.#reading.newCalls) this.#count(count);
    const working = this.#consumer?.working ?? null;
    await this.#keeper.reconcile({
      reading: this.#reading,
      working: working !== null && isScheduledName(working) ? working : null,
      failedAtMs: this.#failedAtMs,
      ...(ending !== undefined && { ending }),
    });
    this.#keptAtMs = nowMs;
  }

  #count({ kind, outcome, calls }: CallCount): void {
    const key = `${kind} ${outcome}`;
    this.#calls.set(key, { kind, outcome, calls: calls + (this.#calls.get(key)?.calls ?? 0) });
  }

  #complain(error: unknown, what: string): void {
    if (this.#stop.signal.aborted || isConnectionError(error)) this.#log.debug({ err: error }, what);
    else this.#log.error({ err: error }, what);
  }
}

function otherLedger(config: Config, { host, pid, worker }: LeaderFacts): UsageError {
  return new UsageError(
    `the account ${config.account.id} of ${config.source.name} is served by another worker (${worker}, process ${pid} on ${host}) that counts its calls in another ledger`,
    {
      hint:
        'One account needs one ledger, or its allowance is spent twice: stop one of the two, let both name the same ' +
        '`ledger`, or give this registry another `source.name` or `account.id` if it is another one.',
    },
  );
}

const KEEP_EVERY_MS = 5000;
