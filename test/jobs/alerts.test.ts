import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { hasPromtool, promtool } from '../support/promtool.ts';

const RULES = resolve(import.meta.dirname, '../../docs/alerts/registry-mirror.rules.yml');

/** Samples of one series in promtool's notation, taken every five minutes from the start of the epoch. */
type Series = Readonly<Record<string, string>>;

type AlertCase = readonly [
  when: string,
  at: string,
  /** The labels of the firing alerts, except the severity. */
  fires: readonly Readonly<Record<string, string>>[],
  series: Series,
];

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

/** The cases of each alert rule. */
const CASES: Readonly<Record<string, readonly AlertCase[]>> = {
  PausedForDays: [
    [
      'the upstream demands a pause of 32 days',
      '1h',
      [A],
      of('allowance_resumes_timestamp_seconds', A, always(32 * 86_400)),
    ],
    [
      'the allowance is used up for a day, or for ever',
      '1h',
      [],
      {
        [series('allowance_resumes_timestamp_seconds', A)]: always(86_400),
        [series('allowance_resumes_timestamp_seconds', { registry: 'b' })]: Array(2016)
          .fill('+Inf')
          .join(' '),
      },
    ],
  ],
  WorkerGone: [
    [
      'the only worker of one of two registries has disappeared',
      '1h',
      [A],
      {
        [series('worker_leader', { ...A, instance: 'one' })]: '1x6 _x30',
        [series('worker_leader', { registry: 'b', instance: 'two' })]: always(1),
      },
    ],
    ['all workers are on standby', '10m', [A], of('worker_leader', A, always(0))],
    [
      'a standby has taken over',
      '1h',
      [],
      {
        [series('worker_leader', { ...A, instance: 'one' })]: '1x6 _x30',
        [series('worker_leader', { ...A, instance: 'two' })]: '0x6 1x30',
      },
    ],
  ],
  RedisLost: [
    [
      'Redis does not respond for ten minutes',
      '15m',
      [{ instance: 'one' }],
      of('redis_up', { instance: 'one' }, '1 0x30'),
    ],
    ['Redis responds', '1h', [], of('redis_up', { instance: 'one' }, always(1))],
  ],
  QueuePaused: [
    ['the queue is paused for more than an hour', '65m', [A], of('queue_paused', A, always(1))],
    ['the pause lasted half an hour', '2h', [], of('queue_paused', A, '1x6 0x30')],
  ],
  ScheduleSilent: [
    [
      'the worker with the schedule has disappeared',
      '1h',
      [SWEEP],
      of('schedule_heartbeat_timestamp_seconds', SWEEP, '0+300x6 _x30'),
    ],
    [
      'the schedule is verified every few seconds',
      '2h',
      [],
      of('schedule_heartbeat_timestamp_seconds', SWEEP, '0+300x30'),
    ],
  ],
  ScheduleLate: [
    [
      'a daily schedule has not run for three days',
      '3d',
      [SWEEP],
      { ...DAILY, ...OPEN, [series('schedule_last_run_timestamp_seconds', SWEEP)]: always(0) },
    ],
    [
      'a weekly schedule ran three days ago',
      '3d',
      [],
      {
        ...OPEN,
        [series('schedule_period_seconds', SWEEP)]: always(604_800),
        [series('schedule_last_run_timestamp_seconds', SWEEP)]: always(0),
      },
    ],
    [
      'the quota is used up',
      '3d',
      [],
      { ...DAILY, ...SPENT, [series('schedule_last_run_timestamp_seconds', SWEEP)]: always(0) },
    ],
    [
      'the worker is busy with jobs of higher priority',
      '3d',
      [],
      {
        ...DAILY,
        ...OPEN,
        [series('worker_busy', A)]: always(1),
        [series('schedule_last_run_timestamp_seconds', SWEEP)]: always(0),
      },
    ],
  ],
  ScheduleFails: [
    [
      'a sweep fails every night',
      '4d',
      [SWEEP],
      {
        ...DAILY,
        ...OPEN,
        ...DAILY_RUNS,
        [series('schedule_last_success_timestamp_seconds', SWEEP)]: always(0),
      },
    ],
    ['a sweep has never succeeded', '2h', [SWEEP], { ...DAILY, ...OPEN, ...DAILY_RUNS }],
    [
      'a sweep failed in one night only',
      '3d',
      [],
      {
        ...DAILY,
        ...OPEN,
        ...DAILY_RUNS,
        [series('schedule_last_success_timestamp_seconds', SWEEP)]: '0x575 172800x1440',
      },
    ],
  ],
  NothingSucceeds: [
    [
      'no run has succeeded for three days',
      '3d',
      [A],
      { ...DAILY, ...OPEN, [series('sync_last_success_timestamp_seconds', A)]: always(0) },
    ],
    [
      'the monthly quota is used up',
      '6d',
      [],
      { ...DAILY, ...SPENT, [series('sync_last_success_timestamp_seconds', A)]: always(0) },
    ],
  ],
  KeyRefused: [
    ['the first call is refused', '5m', [A], of('problem', { ...A, cause: 'key_refused' }, '_ 1x10')],
    ['only another problem exists', '1h', [], of('problem', { ...A, cause: 'drift' }, always(1))],
  ],
  NeedsYou: [
    ...['drift', 'files', 'ledger_lost', 'job_cannot_start', 'runs_fail'].map(
      (cause): AlertCase => [
        `the cause is ${cause}`,
        '20m',
        [{ ...A, cause }],
        of('problem', { ...A, cause }, always(1)),
      ],
    ),
    ['the cause has its own rule', '1h', [], of('problem', { ...A, cause: 'key_refused' }, always(1))],
  ],
  CallsFail: [
    ['half of the calls fail', '90m', [A], callsWith('0+50x30', '0+50x30')],
    ['one call in twenty fails', '90m', [], callsWith('0+95x30', '0+5x30')],
  ],
  AllowanceSpentForGood: [
    ['no quota will return', '5m', [A], of('allowance_resumes_timestamp_seconds', A, 'inf inf inf')],
    ['quota returns tomorrow', '5m', [], of('allowance_resumes_timestamp_seconds', A, always(86_400))],
  ],
  QuarantineGrows: [
    ['a hundred responses were quarantined in one day', '25h', [A], of('quarantined', A, '0x288 100x100')],
    ['a hundred responses have been in quarantine for days', '2d', [], of('quarantined', A, always(100))],
  ],
  JobsFail: [
    [
      'a job fails for the third time since the worker started',
      '4h',
      [{ ...A, name: 'sweep-search' }],
      of('job_runs_total', { ...A, name: 'sweep-search', outcome: 'failed' }, '0x10 1x10 2x10 3x60'),
    ],
    [
      'one attempt failed',
      '4h',
      [],
      of('job_runs_total', { ...A, name: 'sweep-search', outcome: 'failed' }, '0x10 1x60'),
    ],
  ],
  WalGrows: [
    [
      'the write-ahead log has grown to 300 MiB',
      '15m',
      [A],
      of('warehouse_bytes', { ...A, file: 'log' }, always(314_572_800)),
    ],
    [
      'the database has grown to 300 MiB',
      '15m',
      [],
      of('warehouse_bytes', { ...A, file: 'database' }, always(314_572_800)),
    ],
  ],
};

const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-alerts-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('each alert states what to do', () => {
  const withoutRemedy = rulesOf(RULES).filter(({ annotations: { description = '' } }) => description === '');
  expect(withoutRemedy).toEqual([]);
});

describe.runIf(hasPromtool())('the alert rules', () => {
  it('the alert rules are valid', () => {
    expect(promtool('check', 'rules', RULES)).toMatchObject({ passes: true });
  });

  it('each alert rule has a case in which it fires and one in which it does not', () => {
    const named = (isFiring: boolean) =>
      Object.entries(CASES)
        .filter(([, cases]) => cases.some(([, , fires]) => fires.length > 0 === isFiring))
        .map(([alert]) => `RegistryMirror${alert}`);
    const rules = rulesOf(RULES).map(({ alert }) => alert);
    expect(named(true).sort()).toEqual(rules.sort());
    expect(named(false).sort()).toEqual(rules.sort());
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
  const tests = CASES[alertname.replace('RegistryMirror', '')]?.map(([when, at, fires, series]) => ({
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
  }));
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

function of(name: string, labels: Readonly<Record<string, string>>, values: string): Series {
  return { [series(name, labels)]: values };
}

function callsWith(ok: string, broken: string): Series {
  const calls = (outcome: string) => series('api_requests_total', { ...A, endpoint: 'entity', outcome });
  return { [calls('ok')]: ok, [calls('broken')]: broken };
}

interface Rule {
  readonly alert: string;
  readonly labels: { readonly severity: string };
  /** The cases check which alerts fire, but not the alerts' texts. */
  readonly annotations: { readonly description?: string };
}

function rulesOf(path: string): Rule[] {
  return parse(readFileSync(path, 'utf8')).groups.flatMap(({ rules }: { rules: Rule[] }) => rules);
}
