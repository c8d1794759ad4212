import { Counter, Gauge, Registry } from 'prom-client';
import { isScheduled } from './job.ts';
import type { RegistryState, RegistryWorker } from './registry_worker.ts';
import { nextTime } from './schedule.ts';
import { cronScheduleOf } from './schedule_reconciler.ts';

/** The state from which the metrics of one scrape are computed. */
export interface Measured {
  readonly registries: readonly RegistryWorker[];
  readonly isRedisReady: boolean;
  readonly nowMs: number;
}

/** Returns the metrics in the text format of Prometheus. docs/operations.md documents names and labels. */
export async function metricsText(measured: Measured): Promise<string> {
  const registry = new Registry();
  const gauges = openGauges(registry);
  gauges.redisUp.set(redisFault(measured) === null ? 1 : 0);
  measureProcess(gauges);
  for (const worker of measured.registries) {
    measureRegistry(gauges, worker.name, worker.state);
    measureSchedules(gauges, worker, measured.nowMs);
    await measureJobs(gauges, worker, measured.isRedisReady);
  }
  return await registry.metrics();
}

/** The reason why the worker cannot use Redis; null: Redis accepts its commands. */
export function redisFault({ registries, isRedisReady }: Measured): string | null {
  if (!isRedisReady) return 'Redis does not respond';
  return registries.find(({ state }) => state.redisError !== null)?.state.redisError ?? null;
}

type Gauges = ReturnType<typeof openGauges>;

function openGauges(registry: Registry) {
  const registers = [registry];
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Gauge({ name: `registry_mirror_${name}`, help, labelNames: [...labelNames], registers });
  return {
    requests: new Counter({
      name: 'registry_mirror_api_requests_total',
      help: 'Calls that were loaded since this worker became leader, from all processes.',
      labelNames: ['registry', 'endpoint', 'outcome'],
      registers,
    }),
    remaining: gauge('allowance_remaining', 'Remaining calls; +Inf without a limit.', ['registry']),
    resumes: gauge(
      'allowance_resumes_timestamp_seconds',
      'Time at which calls are available again, only while none are; +Inf: never.',
      ['registry'],
    ),
    lastSuccess: gauge('sync_last_success_timestamp_seconds', 'End of the last successful run.', [
      'registry',
    ]),
    coverage: gauge('coverage_ratio', "Known companies divided by the registry's own count.", ['registry']),
    companies: gauge('companies', 'Companies in the mirror by state: known, fetched, gone.', [
      'registry',
      'state',
    ]),
    warehouse: gauge('warehouse_bytes', 'Size of the warehouse: the database file and its write-ahead log.', [
      'registry',
      'file',
    ]),
    quarantined: gauge('quarantined', 'Responses in quarantine.', ['registry']),
    leader: gauge('worker_leader', '1: this worker leads the queue; 0: it is on standby.', ['registry']),
    working: gauge('worker_busy', '1 while a job runs.', ['registry']),
    jobs: gauge('jobs', 'Jobs in the queue.', ['registry', 'state']),
    lastRun: gauge('schedule_last_run_timestamp_seconds', 'Start of the last run.', ['registry', 'schedule']),
    nextRun: gauge('schedule_next_run_timestamp_seconds', 'Next scheduled run.', ['registry', 'schedule']),
    heartbeat: gauge(
      'schedule_heartbeat_timestamp_seconds',
      'Last time the schedule was verified in Redis.',
      ['registry', 'schedule'],
    ),
    redisUp: gauge('redis_up', '1 if Redis responds and accepts commands.', []),
    memory: new Gauge({ name: 'process_resident_memory_bytes', help: 'Resident memory.', registers }),
    cpu: new Counter({
      name: 'process_cpu_seconds_total',
      help: 'Processor time, user and system.',
      registers,
    }),
    started: new Gauge({ name: 'process_start_time_seconds', help: 'Start of the process.', registers }),
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
  gauges.working.set({ registry }, state.running === null ? 0 : 1);
  for (const { kind, outcome, calls } of state.calls)
    gauges.requests.inc({ registry, endpoint: kind, outcome }, calls);
  if (state.snapshot === null || state.role !== 'leading') return;
  const { allowance, coverage, facts, lastSuccessAtMs, quarantined, sizes } = state.snapshot;
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

function measureSchedules(
  gauges: Gauges,
  { name, config, jobs, state }: RegistryWorker,
  nowMs: number,
): void {
  if (state.snapshot === null || state.role !== 'leading') return;
  const { lastRuns, closedUntilMs } = state.snapshot.facts;
  for (const job of jobs.filter(isScheduled)) {
    const labels = { registry: name, schedule: job.name };
    const last = lastRuns[job.name] ?? null;
    const closedMs = job.spendsCalls ? closedUntilMs : null;
    if (last !== null) gauges.lastRun.set(labels, last.startedAtMs / 1000);
    if (closedMs !== Number.POSITIVE_INFINITY) {
      const fromMs = Math.max(nowMs, (closedMs ?? 0) - 1);
      gauges.nextRun.set(labels, nextTime(cronScheduleOf(job, config), fromMs) / 1000);
    }
    if (state.reconciledAtMs !== null) gauges.heartbeat.set(labels, state.reconciledAtMs / 1000);
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
    // The connection was lost during the query. The next scrape reports it as redis_up 0.
  }
}
