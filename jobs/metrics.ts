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
  openGauges(registry, measure);
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

/** Declares the gauges. At each scrape, their values are read from each registry's state. */
function openGauges(registry: Registry, measure: () => Measured): void {
  const gauge = (
    name: string,
    help: string,
    labels: readonly string[],
    read: (worker: RegistryWorker, measured: Measured) => Samples | Promise<Samples>,
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
  /** Declares a gauge with values from the leader's snapshot. */
  const ofLeader = (
    name: string,
    help: string,
    labels: readonly string[],
    read: (snapshot: RegistrySnapshot, worker: RegistryWorker) => Samples,
  ) =>
    gauge(name, help, labels, (worker) => {
      const { role, snapshot } = worker.state;
      return role === 'leading' && snapshot !== null ? read(snapshot, worker) : [];
    });
  new Gauge({
    name: 'registry_mirror_redis_up',
    help: '1 if Redis responds and accepts commands.',
    registers: [registry],
    collect() {
      this.set(redisFault(measure()) === null ? 1 : 0);
    },
  });
  for (const { name, help, labels = [], samples } of FACTS.flatMap(({ metrics }) => metrics ?? []))
    ofLeader(name, help, labels, ({ facts }) =>
      facts.mirror === null ? [] : samples({ ...facts, mirror: facts.mirror }),
    );
  ofLeader(
    'allowance_resumes_timestamp_seconds',
    'Time at which calls are available again; +Inf if never. Reported only while none are available.',
    [],
    ({ queue }) => [[{}, seconds(queue.closedUntilMs)]],
  );
  ofLeader('queue_paused', '1 while the queue is paused.', [], (_, { state }) => [
    [{}, state.isPaused ? 1 : 0],
  ]);
  gauge('problem', '1 while a problem needs a person to resolve it.', ['cause'], ({ state }) =>
    state.problems.map(({ name }) => [{ cause: name }, 1]),
  );
  gauge('worker_leader', '1 if this worker leads the queue, 0 if it is on standby.', [], ({ state }) => [
    [{}, state.role === 'leading' ? 1 : 0],
  ]);
  gauge('worker_busy', '1 while a job runs.', [], ({ state }) => [[{}, state.running === null ? 0 : 1]]);
  gauge('jobs', 'Jobs in the queue.', ['state'], async ({ queue }, { isRedisReady }) => {
    if (!isRedisReady) return [];
    // If the connection is lost during the query, report no counts. The next scrape reports redis_up 0.
    const counts = await queue.getJobCounts().catch(() => ({}));
    return Object.entries(counts).map(([state, count]) => [{ state }, count]);
  });
  ofLeader(
    'schedule_heartbeat_timestamp_seconds',
    'Last time the schedule was verified in Redis.',
    ['schedule'],
    (_, { jobs, state: { reconciledAtMs } }) =>
      jobs.filter(isScheduled).map(({ name }) => [{ schedule: name }, seconds(reconciledAtMs)]),
  );
}
