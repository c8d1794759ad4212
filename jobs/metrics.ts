import { Counter, Gauge, Registry } from 'prom-client';
import { SCHEDULED_JOBS } from './all_jobs.ts';
import type { RegistryState, RegistryWorker } from './registry_worker.ts';
import { nextMoment } from './schedule.ts';
import { rhythmOf } from './schedule_reconciler.ts';

/** What the metrics are read from, at the moment of a scrape. */
export interface Measured {
  readonly registries: readonly RegistryWorker[];
  readonly isRedisReady: boolean;
  readonly nowMs: number;
}

/** The metrics in the text format of Prometheus. Names and labels: docs/operations.md. */
export async function metricsText(measured: Measured): Promise<string> {
  const registry = new Registry();
  const gauges = openGauges(registry);
  gauges.redisUp.set(measured.isRedisReady ? 1 : 0);
  measureProcess(gauges);
  for (const worker of measured.registries) {
    measureRegistry(gauges, worker.name, worker.state);
    measureSchedules(gauges, worker, measured.nowMs);
    await measureJobs(gauges, worker, measured.isRedisReady);
  }
  return await registry.metrics();
}

type Gauges = ReturnType<typeof openGauges>;

function openGauges(registry: Registry) {
  const registers = [registry];
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Gauge({ name: `registry_mirror_${name}`, help, labelNames: [...labelNames], registers });
  return {
    requests: new Counter({
      name: 'registry_mirror_api_requests_total',
      help: 'Calls to the registry that were loaded since this worker began to lead, whichever process made them.',
      labelNames: ['registry', 'endpoint', 'outcome'],
      registers,
    }),
    remaining: gauge('allowance_remaining', 'Calls that can still be spent; +Inf without a limit.', [
      'registry',
    ]),
    resumes: gauge(
      'allowance_resumes_timestamp_seconds',
      'With nothing left: when calls are possible again; +Inf: never.',
      ['registry'],
    ),
    lastSuccess: gauge('sync_last_success_timestamp_seconds', 'When a run last came to a good end.', [
      'registry',
    ]),
    coverage: gauge('coverage_ratio', "Known companies as a share of the registry's own count.", [
      'registry',
    ]),
    companies: gauge('companies', 'Companies in the mirror: known, with their record, gone.', [
      'registry',
      'state',
    ]),
    warehouse: gauge('warehouse_bytes', 'Size of the warehouse: its file, and its write-ahead log.', [
      'registry',
      'file',
    ]),
    quarantined: gauge('quarantined', 'Answers that wait in quarantine.', ['registry']),
    leader: gauge('worker_leader', 'Whether this worker leads the queue; 0: it stands by.', ['registry']),
    working: gauge('worker_busy', 'Whether a job is at work.', ['registry']),
    jobs: gauge('jobs', 'Jobs in the queue.', ['registry', 'state']),
    lastRun: gauge('schedule_last_run_timestamp_seconds', 'When its last run began.', [
      'registry',
      'schedule',
    ]),
    nextRun: gauge('schedule_next_run_timestamp_seconds', 'When it comes next.', ['registry', 'schedule']),
    heartbeat: gauge(
      'schedule_heartbeat_timestamp_seconds',
      'When the schedule was last seen to stand in Redis.',
      ['registry', 'schedule'],
    ),
    redisUp: gauge('redis_up', 'Whether Redis answers.', []),
    memory: new Gauge({ name: 'process_resident_memory_bytes', help: 'Resident memory.', registers }),
    cpu: new Counter({
      name: 'process_cpu_seconds_total',
      help: 'Processor time, user and system.',
      registers,
    }),
    started: new Gauge({ name: 'process_start_time_seconds', help: 'When the process began.', registers }),
  };
}

function measureProcess({ memory, cpu, started }: Gauges): void {
  const { user, system } = process.cpuUsage();
  memory.set(process.memoryUsage.rss());
  cpu.inc((user + system) / 1e6);
  started.set(Math.round(Date.now() / 1000 - process.uptime()));
}

function measureRegistry(gauges: Gauges, registry: string, state: RegistryState): void {
  gauges.leader.set({ registry }, state.role === 'leading' ? 1 : 0);
  gauges.working.set({ registry }, state.working === null ? 0 : 1);
  for (const { kind, outcome, calls } of state.calls)
    gauges.requests.inc({ registry, endpoint: kind, outcome }, calls);
  if (state.reading === null || state.role !== 'leading') return;
  const { allowance, coverage, facts, lastSuccessAtMs, quarantined, sizes } = state.reading;
  gauges.remaining.set({ registry }, allowance.left);
  if (facts.closedUntilMs !== null) gauges.resumes.set({ registry }, facts.closedUntilMs / 1000);
  if (lastSuccessAtMs !== null) gauges.lastSuccess.set({ registry }, lastSuccessAtMs / 1000);
  if (coverage.knownShare !== null) gauges.coverage.set({ registry }, coverage.knownShare);
  gauges.quarantined.set({ registry }, quarantined);
  gauges.warehouse.set({ registry, file: 'database' }, sizes.bytes);
  gauges.warehouse.set({ registry, file: 'log' }, sizes.walBytes);
  for (const key of ['known', 'fetched', 'gone'] as const)
    gauges.companies.set({ registry, state: key }, coverage[key]);
}

function measureSchedules(gauges: Gauges, { name, config, state }: RegistryWorker, nowMs: number): void {
  if (state.reading === null || state.role !== 'leading') return;
  const { lastRuns, closedUntilMs } = state.reading.facts;
  for (const job of SCHEDULED_JOBS) {
    const labels = { registry: name, schedule: job.name };
    const last = lastRuns[job.name];
    if (last !== null) gauges.lastRun.set(labels, last.startedAtMs / 1000);
    if (closedUntilMs !== Number.POSITIVE_INFINITY)
      gauges.nextRun.set(
        labels,
        nextMoment(rhythmOf(job, config), Math.max(nowMs, (closedUntilMs ?? 0) - 1)) / 1000,
      );
    if (state.keptAtMs !== null) gauges.heartbeat.set(labels, state.keptAtMs / 1000);
  }
}

async function measureJobs(
  { jobs }: Gauges,
  { name, queue }: RegistryWorker,
  isRedisReady: boolean,
): Promise<void> {
  if (!isRedisReady) return;
  try {
    for (const [state, count] of Object.entries(await queue.getJobCounts()))
      jobs.set({ registry: name, state }, count);
  } catch {
    // Redis went away while it was asked: redis_up tells it at the next scrape.
  }
}
