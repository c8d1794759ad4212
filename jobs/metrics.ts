import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { isScheduled, type ScheduledJob } from './job.ts';
import type { JobObserver } from './processor.ts';
import type { RegistrySnapshot } from './registry_snapshot.ts';
import type { RegistryWorker } from './registry_worker.ts';
import { nextTime, periodOf } from './schedule.ts';
import { cronScheduleOf } from './schedule_reconciler.ts';

/** The state from which the metrics of one scrape are computed. */
export interface Measured {
  readonly registries: readonly RegistryWorker[];
  readonly isRedisReady: boolean;
  readonly nowMs: number;
}

/** The metrics of this process. Their names and labels are documented in docs/operations.md. */
export interface Metrics extends JobObserver {
  /** The text format of Prometheus. */
  text(): Promise<string>;
}

/** The reason why the worker cannot use Redis; null: Redis accepts its commands. */
export function redisFault({ registries, isRedisReady }: Measured): string | null {
  if (!isRedisReady) return 'Redis does not respond';
  return registries.find(({ state }) => state.redisError !== null)?.state.redisError ?? null;
}

export function openMetrics(measure: () => Measured): Metrics {
  const registry = new Registry();
  const registers = [registry];
  // With the default precision of 10 ms, an idle worker would wake up 100 times a second.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 1000 });
  openRegistryGauges(registry, measure);
  openScheduleGauges(registry, measure);
  const jobs = new Counter({
    name: 'registry_mirror_job_runs_total',
    help: 'Attempts of jobs by this worker, by ending: retried, failed, covered, or the ending of the run.',
    labelNames: ['registry', 'name', 'outcome'],
    registers,
    // Create the counters with the value 0, so that the first failure is visible as an increase.
    collect() {
      for (const { name, jobs } of measure().registries)
        for (const job of jobs) this.inc({ registry: name, name: job.name, outcome: 'failed' }, 0);
    },
  });
  const jobDuration = new Histogram({
    name: 'registry_mirror_job_duration_seconds',
    help: 'Duration of the attempts of jobs by this worker.',
    labelNames: ['registry', 'name'],
    buckets: [1, 10, 60, 300, 900, 3600],
    registers,
  });
  const callDuration = new Histogram({
    name: 'registry_mirror_api_request_duration_seconds',
    help: 'Time from sending a call to its response, for the calls of this worker.',
    labelNames: ['registry', 'endpoint'],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  return {
    attemptEnded: (registry, name, { outcome, durationMs }) => {
      jobs.inc({ registry, name, outcome });
      jobDuration.observe({ registry, name }, durationMs / 1000);
    },
    callEnded: (registry, { call, status, durationMs }) => {
      if (status !== null) callDuration.observe({ registry, endpoint: call.kind }, durationMs / 1000);
    },
    text: () => registry.metrics(),
  };
}

/** The labels in addition to `registry`, and a value; null: the metric has no value now. */
type Sample = readonly [labels: Readonly<Record<string, string>>, value: number | null];

/** Declares gauges. At each scrape, their values are read from the state of each registry. */
function gaugesOver(registry: Registry, measure: () => Measured) {
  return (
    name: string,
    help: string,
    labels: readonly string[],
    read: (worker: RegistryWorker, measured: Measured) => readonly Sample[] | Promise<readonly Sample[]>,
  ) =>
    new Gauge({
      name: `registry_mirror_${name}`,
      help,
      labelNames: ['registry', ...labels],
      registers: [registry],
      async collect() {
        this.reset();
        const measured = measure();
        for (const worker of measured.registries)
          for (const [own, value] of await read(worker, measured))
            if (value !== null) this.set({ registry: worker.name, ...own }, value);
      },
    });
}

function openRegistryGauges(registry: Registry, measure: () => Measured): void {
  const gauge = gaugesOver(registry, measure);
  /** Declares a gauge without further labels. Its value comes from the leader's snapshot. */
  const ofLeader = (name: string, help: string, read: (snapshot: RegistrySnapshot) => number | null) =>
    gauge(name, help, [], (worker) => (leads(worker) ? [[{}, read(worker.state.snapshot)]] : []));

  new Gauge({
    name: 'registry_mirror_redis_up',
    help: '1 if Redis responds and accepts commands.',
    registers: [registry],
    collect() {
      this.set(redisFault(measure()) === null ? 1 : 0);
    },
  });
  new Counter({
    name: 'registry_mirror_api_requests_total',
    help: 'Calls that were loaded since this worker became leader, from all processes.',
    labelNames: ['registry', 'endpoint', 'outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { name, state } of measure().registries)
        for (const { kind, outcome, calls } of state.calls)
          this.inc({ registry: name, endpoint: kind, outcome }, calls);
    },
  });
  ofLeader(
    'allowance_remaining',
    'Remaining calls; +Inf without a limit.',
    ({ allowance }) => allowance.left,
  );
  ofLeader(
    'allowance_resumes_timestamp_seconds',
    'Time at which calls are available again, only while none are; +Inf: never.',
    ({ facts }) => seconds(facts.closedUntilMs),
  );
  ofLeader('sync_last_success_timestamp_seconds', 'End of the last successful run.', ({ mirror }) =>
    mirror.lastSuccessAt === null ? null : Date.parse(mirror.lastSuccessAt) / 1000,
  );
  ofLeader(
    'coverage_ratio',
    "Known companies divided by the registry's own count.",
    ({ mirror }) => mirror.coverage.knownShare,
  );
  ofLeader('quarantined', 'Responses in quarantine.', ({ mirror }) => mirror.quarantined);
  gauge('companies', 'Companies in the mirror by state: known, fetched, gone.', ['state'], (worker) => {
    if (!leads(worker)) return [];
    const { coverage } = worker.state.snapshot.mirror;
    return (['known', 'fetched', 'gone'] as const).map((state) => [{ state }, coverage[state]]);
  });
  gauge('warehouse_bytes', 'Size of the database file and of its write-ahead log.', ['file'], (worker) => {
    if (!leads(worker)) return [];
    const { bytes, walBytes } = worker.state.snapshot.mirror.files;
    return [
      [{ file: 'database' }, bytes],
      [{ file: 'log' }, walBytes],
    ];
  });
  gauge('problem', '1 while a condition lasts that only a person can end.', ['cause'], ({ state }) =>
    state.problems.map(({ name }) => [{ cause: name }, 1]),
  );
  gauge('worker_leader', '1: this worker leads the queue; 0: it is on standby.', [], ({ state }) => [
    [{}, state.role === 'leading' ? 1 : 0],
  ]);
  gauge('worker_busy', '1 while a job runs.', [], ({ state }) => [[{}, state.running === null ? 0 : 1]]);
  gauge('queue_paused', '1 while the queue is paused.', [], (worker) =>
    leads(worker) ? [[{}, worker.state.isPaused ? 1 : 0]] : [],
  );
  gauge('jobs', 'Jobs in the queue.', ['state'], async ({ queue }, { isRedisReady }) => {
    if (!isRedisReady) return [];
    // If the connection is lost during the query, report no counts. The next scrape reports redis_up 0.
    const counts = await queue.getJobCounts().catch(() => ({}));
    return Object.entries(counts).map(([state, count]) => [{ state }, count]);
  });
}

function openScheduleGauges(registry: Registry, measure: () => Measured): void {
  const gauge = gaugesOver(registry, measure);
  const ofSchedule = (
    name: string,
    help: string,
    read: (worker: Leading, job: ScheduledJob, nowMs: number) => number | null,
  ) =>
    gauge(`schedule_${name}_seconds`, help, ['schedule'], (worker, { nowMs }) =>
      leads(worker)
        ? worker.jobs
            .filter(isScheduled)
            .map((job) => [{ schedule: job.name }, seconds(read(worker, job, nowMs))])
        : [],
    );

  ofSchedule(
    'last_run_timestamp',
    'Start of the last run.',
    ({ state }, { name }) => state.snapshot.facts.lastRuns[name]?.startedAtMs ?? null,
  );
  ofSchedule(
    'last_success_timestamp',
    'End of the last successful run.',
    ({ state }, { name }) => state.snapshot.lastSuccesses[name] ?? null,
  );
  ofSchedule('next_run_timestamp', 'Next scheduled run.', ({ config, state }, job, nowMs) => {
    const closedUntilMs = job.spendsCalls ? state.snapshot.facts.closedUntilMs : null;
    if (closedUntilMs === Number.POSITIVE_INFINITY) return null;
    return nextTime(cronScheduleOf(job, config), Math.max(nowMs, (closedUntilMs ?? 0) - 1));
  });
  ofSchedule('period', 'Time between two scheduled runs.', ({ config }, job) =>
    periodOf(cronScheduleOf(job, config)),
  );
  ofSchedule(
    'heartbeat_timestamp',
    'Last time the schedule was verified in Redis.',
    ({ state }) => state.reconciledAtMs,
  );
}

type Leading = RegistryWorker & {
  readonly state: { readonly snapshot: RegistrySnapshot };
};

/** Does this worker lead the queue, and has it read the files? */
function leads(worker: RegistryWorker): worker is Leading {
  return worker.state.role === 'leading' && worker.state.snapshot !== null;
}

function seconds(atMs: number | null): number | null {
  return atMs === null ? null : atMs / 1000;
}
