import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { FACTS, type Sample, seconds } from '../src/report/fact_table.ts';
import { isScheduled } from './job.ts';
import type { WorkerObserver } from './processor.ts';
import type { RegistrySnapshot } from './registry_snapshot.ts';
import type { RegistryWorker } from './registry_worker.ts';

/** The state that one scrape measures. */
export interface Measured {
  readonly registries: readonly RegistryWorker[];
  readonly isRedisReady: boolean;
  readonly nowMs: number;
}

/** This process's metrics. Their names and labels are documented in docs/operations.md. */
export interface Metrics extends WorkerObserver {
  /** Returns the metrics in Prometheus's text format. */
  text(): Promise<string>;
}

/** Returns why the worker cannot use Redis, or null if Redis accepts its commands. */
export function redisFault({ registries, isRedisReady }: Measured): string | null {
  if (!isRedisReady) return 'Redis does not respond';
  return registries.find(({ state }) => state.redisError !== null)?.state.redisError ?? null;
}

export function openMetrics(measure: () => Measured): Metrics {
  const registry = new Registry();
  const registers = [registry];
  // With the default precision of 10 ms, an idle worker would wake up 100 times a second.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 1000 });
  new Gauge({
    name: 'registry_mirror_redis_up',
    help: '1 if Redis responds and accepts commands.',
    registers,
    collect() {
      this.set(redisFault(measure()) === null ? 1 : 0);
    },
  });
  for (const gauge of GAUGES) openGauge(registry, measure, gauge);
  const calls = new Counter({
    name: 'registry_mirror_api_requests_total',
    help: 'Calls by any process, counted by the worker that leads when they are loaded.',
    labelNames: ['registry', 'endpoint', 'outcome'],
    registers,
  });
  const jobs = new Counter({
    name: 'registry_mirror_job_runs_total',
    help: 'Job attempts by this worker, by ending: retried, failed, covered, or how the run ended.',
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
    help: 'Duration of job attempts by this worker.',
    labelNames: ['registry', 'name'],
    buckets: [1, 10, 60, 300, 900, 3600],
    registers,
  });
  const callDuration = new Histogram({
    name: 'registry_mirror_api_request_duration_seconds',
    help: 'Time from sending a call to its response, for calls by this worker.',
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
    callsLoaded: (registry, counts) => {
      for (const { kind, outcome, calls: count } of counts)
        calls.inc({ registry, endpoint: kind, outcome }, count);
    },
    text: () => registry.metrics(),
  };
}

type Samples = readonly Sample[];

/** A gauge. At each scrape, its values are read from each registry's state. */
interface WorkerGauge {
  /** Its name gets the prefix `registry_mirror_`. */
  readonly name: string;
  readonly help: string;
  /** The labels in addition to `registry`. */
  readonly labels?: readonly string[];
  read(worker: RegistryWorker, measured: Measured): Samples | Promise<Samples>;
}

/** The facts' gauges, and those of the worker and its queue. To add one, add an entry. */
const GAUGES: readonly WorkerGauge[] = [
  ...FACTS.flatMap(({ metrics }) => metrics ?? []).map(({ samples, ...gauge }) => ({
    ...gauge,
    read: ofLeader(({ facts }) => (facts.mirror === null ? [] : samples({ ...facts, mirror: facts.mirror }))),
  })),
  {
    name: 'allowance_resumes_timestamp_seconds',
    help: 'Time at which calls are available again; +Inf if never. Reported only while none are available.',
    read: ofLeader(({ queue }) => [[{}, seconds(queue.closedUntilMs)]]),
  },
  {
    name: 'queue_paused',
    help: '1 while the queue is paused.',
    read: ofLeader((_, { state }) => [[{}, state.isPaused ? 1 : 0]]),
  },
  {
    name: 'problem',
    help: '1 while a problem needs a person to resolve it.',
    labels: ['cause'],
    read: ({ state }) => state.problems.map(({ name }) => [{ cause: name }, 1]),
  },
  {
    name: 'worker_leader',
    help: '1 if this worker leads the queue, 0 if it is on standby.',
    read: ({ state }) => [[{}, state.role === 'leading' ? 1 : 0]],
  },
  {
    name: 'worker_busy',
    help: '1 while a job runs.',
    read: ({ state }) => [[{}, state.running === null ? 0 : 1]],
  },
  {
    name: 'jobs',
    help: 'Jobs in the queue.',
    labels: ['state'],
    async read({ queue }, { isRedisReady }) {
      if (!isRedisReady) return [];
      // If the connection is lost during the query, report no counts. The next scrape reports redis_up 0.
      const counts = await queue.getJobCounts().catch(() => ({}));
      return Object.entries(counts).map(([state, count]) => [{ state }, count]);
    },
  },
  {
    name: 'schedule_heartbeat_timestamp_seconds',
    help: 'Last time the schedule was verified in Redis.',
    labels: ['schedule'],
    read: ofLeader((_, { jobs, state: { reconciledAtMs } }) =>
      jobs.filter(isScheduled).map(({ name }) => [{ schedule: name }, seconds(reconciledAtMs)]),
    ),
  },
];

/** Returns a reader of values from the leader's snapshot. */
function ofLeader(
  read: (snapshot: RegistrySnapshot, worker: RegistryWorker) => Samples,
): (worker: RegistryWorker) => Samples {
  return (worker) => {
    const { role, snapshot } = worker.state;
    return role === 'leading' && snapshot !== null ? read(snapshot, worker) : [];
  };
}

function openGauge(
  registry: Registry,
  measure: () => Measured,
  { name, help, labels = [], read }: WorkerGauge,
): void {
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
