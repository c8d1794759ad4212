import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { hasPromtool, promtool } from '../support/promtool.ts';

const RULES = resolve(import.meta.dirname, '../../docs/alerts/registry-mirror.rules.yml');

/** Samples of one series in promtool's notation, taken every five minutes from the start of the epoch. */
type Series = Readonly<Record<string, string>>;

interface AlertCase {
  readonly alert: string;
  readonly when: string;
  readonly series: Series;
  readonly at: string;
  /** The labels of the firing alerts, except the severity. */
  readonly fires: readonly Readonly<Record<string, string>>[];
}

const A = { registry: 'a' };
const SWEEP = { registry: 'a', schedule: 'sweep-search' };
/** A series whose value is constant for a week. */
const always = (value: number | string) => `${value}x2016`;
const DAILY = { [series('schedule_period_seconds', SWEEP)]: always(86_400) };
const OPEN = { [series('allowance_remaining', A)]: always(50) };
const SPENT = { [series('allowance_remaining', A)]: always(0) };
/** A series for runs that start at the beginning of each day. */
const DAILY_RUNS = {
  [series('schedule_last_run_timestamp_seconds', SWEEP)]: [0, 1, 2, 3, 4, 5, 6]
    .map((day) => `${day * 86_400}x287`)
    .join(' '),
};

const CASES: readonly AlertCase[] = [
  {
    alert: 'PausedForDays',
    when: 'the upstream demands a pause of 32 days',
    series: { [series('allowance_resumes_timestamp_seconds', A)]: always(32 * 86_400) },
    at: '1h',
    fires: [A],
  },
  {
    alert: 'PausedForDays',
    when: 'the allowance is used up for a day, or for ever',
    series: {
      [series('allowance_resumes_timestamp_seconds', A)]: always(86_400),
      [series('allowance_resumes_timestamp_seconds', { registry: 'b' })]: Array(2016).fill('+Inf').join(' '),
    },
    at: '1h',
    fires: [],
  },
  {
    alert: 'WorkerGone',
    when: 'the only worker of one of two registries has disappeared',
    series: {
      [series('worker_leader', { ...A, instance: 'one' })]: '1x6 _x30',
      [series('worker_leader', { registry: 'b', instance: 'two' })]: always(1),
    },
    at: '1h',
    fires: [A],
  },
  {
    alert: 'WorkerGone',
    when: 'only a standby is left',
    series: { [series('worker_leader', A)]: always(0) },
    at: '10m',
    fires: [A],
  },
  {
    alert: 'WorkerGone',
    when: 'a standby has taken over',
    series: {
      [series('worker_leader', { ...A, instance: 'one' })]: '1x6 _x30',
      [series('worker_leader', { ...A, instance: 'two' })]: '0x6 1x30',
    },
    at: '1h',
    fires: [],
  },
  {
    alert: 'RedisLost',
    when: 'Redis does not respond for ten minutes',
    series: { [series('redis_up', { instance: 'one' })]: '1 0x30' },
    at: '15m',
    fires: [{ instance: 'one' }],
  },
  {
    alert: 'RedisLost',
    when: 'Redis responds',
    series: { [series('redis_up', { instance: 'one' })]: always(1) },
    at: '1h',
    fires: [],
  },
  {
    alert: 'QueuePaused',
    when: 'the queue is paused for more than an hour',
    series: { [series('queue_paused', A)]: always(1) },
    at: '65m',
    fires: [A],
  },
  {
    alert: 'QueuePaused',
    when: 'the pause lasted half an hour',
    series: { [series('queue_paused', A)]: '1x6 0x30' },
    at: '2h',
    fires: [],
  },
  {
    alert: 'ScheduleSilent',
    when: 'the worker with the schedule has disappeared',
    series: { [series('schedule_heartbeat_timestamp_seconds', SWEEP)]: '0+300x6 _x30' },
    at: '1h',
    fires: [SWEEP],
  },
  {
    alert: 'ScheduleSilent',
    when: 'the schedule is verified every few seconds',
    series: { [series('schedule_heartbeat_timestamp_seconds', SWEEP)]: '0+300x30' },
    at: '2h',
    fires: [],
  },
  {
    alert: 'ScheduleLate',
    when: 'a daily schedule has not run for three days',
    series: { ...DAILY, ...OPEN, [series('schedule_last_run_timestamp_seconds', SWEEP)]: always(0) },
    at: '3d',
    fires: [SWEEP],
  },
  {
    alert: 'ScheduleLate',
    when: 'a weekly schedule ran three days ago',
    series: {
      ...OPEN,
      [series('schedule_period_seconds', SWEEP)]: always(604_800),
      [series('schedule_last_run_timestamp_seconds', SWEEP)]: always(0),
    },
    at: '3d',
    fires: [],
  },
  {
    alert: 'ScheduleLate',
    when: 'the quota is used up',
    series: { ...DAILY, ...SPENT, [series('schedule_last_run_timestamp_seconds', SWEEP)]: always(0) },
    at: '3d',
    fires: [],
  },
  {
    alert: 'ScheduleLate',
    when: 'the worker is busy with jobs of higher priority',
    series: {
      ...DAILY,
      ...OPEN,
      [series('worker_busy', A)]: always(1),
      [series('schedule_last_run_timestamp_seconds', SWEEP)]: always(0),
    },
    at: '3d',
    fires: [],
  },
  {
    alert: 'ScheduleFails',
    when: 'a sweep fails every night',
    series: {
      ...DAILY,
      ...OPEN,
      ...DAILY_RUNS,
      [series('schedule_last_success_timestamp_seconds', SWEEP)]: always(0),
    },
    at: '4d',
    fires: [SWEEP],
  },
  {
    alert: 'ScheduleFails',
    when: 'a sweep has never succeeded',
    series: { ...DAILY, ...OPEN, ...DAILY_RUNS },
    at: '2h',
    fires: [SWEEP],
  },
  {
    alert: 'ScheduleFails',
    when: 'a sweep failed in one night only',
    series: {
      ...DAILY,
      ...OPEN,
      ...DAILY_RUNS,
      [series('schedule_last_success_timestamp_seconds', SWEEP)]: '0x575 172800x1440',
    },
    at: '3d',
    fires: [],
  },
  {
    alert: 'NothingSucceeds',
    when: 'no run has succeeded for three days',
    series: { ...DAILY, ...OPEN, [series('sync_last_success_timestamp_seconds', A)]: always(0) },
    at: '3d',
    fires: [A],
  },
  {
    alert: 'NothingSucceeds',
    when: 'the monthly quota is used up',
    series: { ...DAILY, ...SPENT, [series('sync_last_success_timestamp_seconds', A)]: always(0) },
    at: '6d',
    fires: [],
  },
  {
    alert: 'KeyRefused',
    when: 'the first call is refused',
    series: { [series('problem', { ...A, cause: 'key_refused' })]: '_ 1x10' },
    at: '5m',
    fires: [A],
  },
  {
    alert: 'KeyRefused',
    when: 'only another problem exists',
    series: { [series('problem', { ...A, cause: 'drift' })]: always(1) },
    at: '1h',
    fires: [],
  },
  ...['drift', 'files', 'ledger_lost', 'job_cannot_start', 'runs_fail'].map((cause) => ({
    alert: 'NeedsYou',
    when: `the cause is ${cause}`,
    series: { [series('problem', { ...A, cause })]: always(1) },
    at: '20m',
    fires: [{ ...A, cause }],
  })),
  {
    alert: 'NeedsYou',
    when: 'the cause has its own rule',
    series: { [series('problem', { ...A, cause: 'key_refused' })]: always(1) },
    at: '1h',
    fires: [],
  },
  {
    alert: 'CallsFail',
    when: 'half of the calls fail',
    series: callsWith('0+50x30', '0+50x30'),
    at: '90m',
    fires: [A],
  },
  {
    alert: 'CallsFail',
    when: 'one call in twenty fails',
    series: callsWith('0+95x30', '0+5x30'),
    at: '90m',
    fires: [],
  },
  {
    alert: 'AllowanceSpentForGood',
    when: 'no quota will return',
    series: { [series('allowance_resumes_timestamp_seconds', A)]: 'inf inf inf' },
    at: '5m',
    fires: [A],
  },
  {
    alert: 'AllowanceSpentForGood',
    when: 'quota returns tomorrow',
    series: { [series('allowance_resumes_timestamp_seconds', A)]: always(86_400) },
    at: '5m',
    fires: [],
  },
  {
    alert: 'QuarantineGrows',
    when: 'a hundred responses were quarantined in one day',
    series: { [series('quarantined', A)]: '0x288 100x100' },
    at: '25h',
    fires: [A],
  },
  {
    alert: 'QuarantineGrows',
    when: 'a hundred responses have been in quarantine for days',
    series: { [series('quarantined', A)]: always(100) },
    at: '2d',
    fires: [],
  },
  {
    alert: 'JobsFail',
    when: 'a job fails for the third time since the worker started',
    series: {
      [series('job_runs_total', { ...A, name: 'sweep-search', outcome: 'failed' })]: '0x10 1x10 2x10 3x60',
    },
    at: '4h',
    fires: [{ ...A, name: 'sweep-search' }],
  },
  {
    alert: 'JobsFail',
    when: 'one attempt failed',
    series: { [series('job_runs_total', { ...A, name: 'sweep-search', outcome: 'failed' })]: '0x10 1x60' },
    at: '4h',
    fires: [],
  },
  {
    alert: 'WalGrows',
    when: 'the write-ahead log has grown to 300 MiB',
    series: { [series('warehouse_bytes', { ...A, file: 'log' })]: always(314_572_800) },
    at: '15m',
    fires: [A],
  },
  {
    alert: 'WalGrows',
    when: 'the database has grown to 300 MiB',
    series: { [series('warehouse_bytes', { ...A, file: 'database' })]: always(314_572_800) },
    at: '15m',
    fires: [],
  },
];

const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-alerts-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe.runIf(hasPromtool())('the alert rules', () => {
  it('the alert rules are valid', () => {
    expect(promtool('check', 'rules', RULES)).toMatchObject({ passes: true });
  });

  it('each alert rule has a case in which it fires and one in which it does not', () => {
    const named = (isFiring: boolean) =>
      CASES.filter(({ fires }) => fires.length > 0 === isFiring).map(({ alert }) => `RegistryMirror${alert}`);
    const rules = rulesOf(RULES).map(({ alert }) => alert);
    expect([...new Set(named(true))].sort()).toEqual(rules.sort());
    expect([...new Set(named(false))].sort()).toEqual(rules.sort());
  });

  it('the alert rules fire only in the cases above', () => {
    const files = rulesOf(RULES).map(writeTest);
    expect(promtool('test', 'rules', ...files)).toEqual({
      passes: true,
      output: expect.stringContaining('SUCCESS'),
    });
  });
});

/** Writes one rule and its cases to files. Returns the path that promtool needs. */
function writeTest({ annotations: _, ...rule }: Rule): string {
  const { alert: alertname, labels } = rule;
  const tests = CASES.filter(({ alert }) => alertname === `RegistryMirror${alert}`).map(
    ({ when, series, at, fires }) => ({
      name: `${alertname} when ${when}`,
      interval: '5m',
      input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
      alert_rule_test: [
        {
          eval_time: at,
          alertname,
          exp_alerts: fires.map((own) => ({ exp_labels: { ...own, ...labels } })),
        },
      ],
    }),
  );
  const rules = `${alertname}.rules.yml`;
  const path = join(folder, `${alertname}.test.yml`);
  writeFileSync(join(folder, rules), stringify({ groups: [{ name: 'one', rules: [rule] }] }));
  writeFileSync(path, stringify({ rule_files: [rules], evaluation_interval: '5m', tests }));
  return path;
}

function series(name: string, labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return `registry_mirror_${name}{${pairs.join(',')}}`;
}

function callsWith(ok: string, broken: string): Series {
  const calls = (outcome: string) => series('api_requests_total', { ...A, endpoint: 'entity', outcome });
  return { [calls('ok')]: ok, [calls('broken')]: broken };
}

interface Rule {
  readonly alert: string;
  readonly labels: { readonly severity: string };
  /** The cases check which alerts fire, but not the alerts' texts. */
  readonly annotations: unknown;
}

function rulesOf(path: string): Rule[] {
  return parse(readFileSync(path, 'utf8')).groups.flatMap(({ rules }: { rules: Rule[] }) => rules);
}
