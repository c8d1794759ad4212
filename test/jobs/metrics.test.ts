import { expect, test } from 'vitest';
import { openMetrics } from '../../jobs/metrics.ts';
import type { Outcome } from '../../src/outcome.ts';
import { FACTS } from '../../src/report/fact_table.ts';
import { measuredWorker } from '../support/measured_worker.ts';

/** Returns the samples of all metrics, as labels and values. Of the fact table, only the schedules are included. */
async function samplesOf(metrics: ReturnType<typeof openMetrics>): Promise<string[]> {
  const facts = FACTS.filter(({ key }) => key !== 'schedules')
    .flatMap((fact) => fact.metrics ?? [])
    .map(({ name }) => `registry_mirror_${name}`);
  const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith('registry_mirror_'));
  const own = lines.filter((line) => !facts.includes(line.split(/[{ ]/)[0] ?? '') && !/_bucket\{/.test(line));
  return own.map((line) => line.replace('registry_mirror_', '').replace('registry="isle"', 'R'));
}

test("every gauge has the leader's value", async () => {
  expect(await samplesOf(openMetrics(() => measuredWorker()))).toEqual([
    'redis_up 1',
    'schedule_last_run_timestamp_seconds{R,schedule="poll-stats"} 101',
    'schedule_last_success_timestamp_seconds{R,schedule="poll-stats"} 99',
    'schedule_next_run_timestamp_seconds{R,schedule="poll-stats"} 1804683600',
    'schedule_period_seconds{R,schedule="poll-stats"} 86400',
    'allowance_resumes_timestamp_seconds{R} 1804680005',
    'queue_paused{R} 1',
    'problem{R,cause="drift"} 1',
    'worker_leader{R} 1',
    'worker_busy{R} 1',
    'jobs{R,state="active"} 1',
    'jobs{R,state="delayed"} 2',
    'jobs{R,state="failed"} 4',
    'schedule_heartbeat_timestamp_seconds{R,schedule="poll-stats"} 103',
    'job_runs_total{R,name="poll-stats",outcome="failed"} 0',
  ]);
});

test('a worker on standby has only its own gauges, and a Redis error is visible', async () => {
  const standby = measuredWorker({
    role: 'standing_by',
    snapshot: null,
    running: null,
    problems: [],
    redisError: 'OOM',
  });
  expect(await samplesOf(openMetrics(() => standby))).toEqual([
    'redis_up 0',
    'worker_leader{R} 0',
    'worker_busy{R} 0',
    'jobs{R,state="active"} 1',
    'jobs{R,state="delayed"} 2',
    'jobs{R,state="failed"} 4',
    'job_runs_total{R,name="poll-stats",outcome="failed"} 0',
  ]);
});

test('attempts and calls are counted by registry, and their durations are in seconds', async () => {
  const metrics = openMetrics(() => ({ ...measuredWorker(), registries: [] }));
  const attempt = { failure: null, hasFailedBeforeRun: false };
  metrics.attemptEnded('isle', 'sweep-search', { ...attempt, outcome: 'done', durationMs: 4_500 });
  const call = { kind: 'search' } as Outcome['call'];
  metrics.callEnded('isle', { call, status: 200, durationMs: 250 } as Outcome);
  metrics.callEnded('isle', { call, status: null, durationMs: 9_000 } as Outcome);
  metrics.callsLoaded('isle', [{ kind: 'entity', outcome: 'gone', calls: 6 }]);
  expect(await samplesOf(metrics)).toEqual([
    'redis_up 1',
    'api_requests_total{R,endpoint="entity",outcome="gone"} 6',
    'job_runs_total{R,name="sweep-search",outcome="done"} 1',
    'job_duration_seconds_sum{R,name="sweep-search"} 4.5',
    'job_duration_seconds_count{R,name="sweep-search"} 1',
    'api_request_duration_seconds_sum{R,endpoint="search"} 0.25',
    'api_request_duration_seconds_count{R,endpoint="search"} 1',
  ]);
});
