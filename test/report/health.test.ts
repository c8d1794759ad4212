import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { LedgerState, WindowState } from '../../src/allowance/ledger.ts';
import type { Receiver } from '../../src/config/receiver.ts';
import { readFacts, readLock } from '../../src/report/facts.ts';
import { type HealthState, healthOf, healthSentence } from '../../src/report/health.ts';
import type { CompletenessFacts, HealthFacts } from '../../src/report/problems.ts';
import { acquireLock, isAlive, LOCK_STALE_AFTER_MS } from '../../src/warehouse/lock.ts';
import { longestBrokenListing } from '../../src/warehouse/query.ts';
import type { RunRow } from '../../src/warehouse/run.ts';
import { openWarehouse } from '../../src/warehouse/warehouse.ts';
import { FACT_CONFIG } from '../support/facts.ts';
import { UNLIMITED } from '../support/ledger.ts';

const HOUR_MS = 3_600_000;
const NOW_MS = Date.UTC(2027, 2, 10, 12);
const AN_HOUR_AGO = new Date(NOW_MS - HOUR_MS).toISOString();

const formatTime = (ms: number) => new Date(ms).toISOString();

const run = (changes: Partial<RunRow>): RunRow => ({
  runId: 7,
  command: 'sync',
  startedAt: AN_HOUR_AGO,
  endedAt: AN_HOUR_AGO,
  ended: 'done',
  error: null,
  calls: 5,
  new: 0,
  changed: 0,
  gone: 0,
  quarantined: 0,
  ...changes,
});

const ended = (...endings: readonly (string | null)[]): RunRow[] =>
  endings.map((one, at) => run({ runId: 20 - at, ended: one, endedAt: one === null ? null : AN_HOUR_AGO }));

const allowance = (changes: Partial<LedgerState>): LedgerState => ({ ...UNLIMITED, ...changes });

const spentTotal: WindowState = {
  name: 'total',
  limit: 100,
  sinceMs: Number.NEGATIVE_INFINITY,
  resetsAtMs: null,
  spent: 100,
  left: 0,
};

const spentMonth: WindowState = { ...spentTotal, name: 'month' };

/** A mirror in which nothing is due, and which no count or listing shows to be complete. */
function completenessOf(known: number, reported: number | null, changes: Partial<CompletenessFacts> = {}) {
  return { known, reported, capped: { rows: 0, unsplit: 0 }, isShown: false, isNothingDue: true, ...changes };
}

const HEALTHY: HealthFacts = {
  nowMs: NOW_MS,
  isRunning: false,
  runs: [run({})],
  quarantined: 0,
  allowance: UNLIMITED,
  lostCalls: 0,
  hasDialect: true,
  licenceEnds: null,
  schedules: [],
  brokenListing: null,
  answered: { queries: 40, successful: 30, contradicted: 0 },
  latestRecords: { companies: 1000, unnamed: 30 },
  completeness: completenessOf(980, 1_000, { isShown: true }),
  missing: 5,
  disabledReceivers: [],
};

const UNKNOWN_COMPLETENESS = completenessOf(311, null);

const OVERDUE = { name: 'poll-stats', overdueSinceMs: NOW_MS };

const health = (changes: Partial<HealthFacts>) => healthOf({ ...HEALTHY, ...changes }, formatTime);

const names = (changes: Partial<HealthFacts>) => health(changes).problems.map(({ name }) => name);

describe("a mirror's health without problems", () => {
  test.each<[string, Partial<HealthFacts>]>([
    ['Healthy', {}],
    ['Healthy', { completeness: completenessOf(311, 420, { isShown: true, isNothingDue: false }) }],
    [
      'Healthy, but it is unknown whether companies are missing, and 30 of the last 1,000 companies have no name',
      { completeness: UNKNOWN_COMPLETENESS },
    ],
    [
      'Healthy, but it is unknown whether companies are missing',
      {
        completeness: UNKNOWN_COMPLETENESS,
        latestRecords: { companies: 311, unnamed: 0 },
      },
    ],
    ['Not started', { runs: [] }],
    ['Working', { isRunning: true }],
    ['Waiting for quota until 2027-03-10T13:00:00.000Z', { allowance: waiting(NOW_MS + HOUR_MS) }],
    [
      'Waiting for quota until 2027-03-10T13:00:00.000Z',
      { allowance: allowance({ pausedUntilMs: NOW_MS + HOUR_MS }) },
    ],
    ['Working', { isRunning: true, allowance: waiting(NOW_MS + HOUR_MS) }],
  ])('a mirror without problems has the health %s', (expected, changes) => {
    expect(healthSentence(health(changes), formatTime)).toBe(expected);
  });
});

describe('when a mirror needs its user', () => {
  test.each<[string, Partial<HealthFacts>, RegExp]>([
    ['key_refused', { allowance: refusedAt(NOW_MS) }, /^The upstream refused the key on 2027-03-10T12/],
    ['ledger_lost', { lostCalls: 40 }, /^The ledger was deleted or replaced, so it can lack 40 calls/],
    [
      'ledger_lost',
      { lostCalls: 40, runs: [run({ ended: 'failed', error: 'the ledger can lack 40 calls' })] },
      /^The ledger was deleted or replaced/,
    ],
    ['drift', { runs: [run({ ended: 'drift', error: 'no results' })] }, /dialect: no results\.$/],
    ['drift', { runs: [run({ ended: 'done', calls: 0 }), run({ ended: 'drift' })] }, /^The responses/],
    [
      'runs_fail',
      { runs: [run({ ended: 'failed', error: 'disk full' })] },
      /^The last run failed: disk full\.$/,
    ],
    ['runs_fail', { runs: ended('failed', null, 'done') }, /^The last 2 runs failed\.$/],
    ['runs_fail', { runs: ended(null, null, null) }, /^The last 3 runs were killed/],
    [
      'allowance_used_up',
      { allowance: allowance({ windows: [spentTotal], left: 0 }) },
      /^The account has used all 100 calls of its allowance, which never resets\.$/,
    ],
    [
      'listing_breaks_off',
      { brokenListing: { text: '', rows: 220, why: 'debut must be at most 200', count: 2 } },
      /^The listing of all companies breaks off after 220 rows, and 1 other listing too: debut must be at most 200\.$/,
    ],
    [
      'searches_find_nothing',
      { answered: { queries: 110, successful: 1, contradicted: 9 } },
      /^Only 1 of 110 searches found a company\.$/,
    ],
    [
      'names_missing',
      { latestRecords: { companies: 420, unnamed: 36 } },
      /^36 of the last 420 companies with a record have no name\.$/,
    ],
    [
      'companies_missing',
      { completeness: completenessOf(311, 420) },
      /^Only 311 of 420 companies are known, and no further search would find the rest\.$/,
    ],
    [
      'companies_missing',
      { completeness: completenessOf(100, null, { capped: { rows: 100, unsplit: 0 } }) },
      /^Companies may be missing: a listing ended after 100 rows, probably at a limit, and no search found a company/,
    ],
    [
      'companies_missing',
      { completeness: completenessOf(112, null, { capped: { rows: 100, unsplit: 100 } }) },
      /^Companies may be missing: a listing ended after 100 rows, probably at a limit, and no search can list the rest\.$/,
    ],
    ['records_not_found', { missing: 30 }, /^The upstream did not return the records of 30 known companies/],
    ['no_dialect', { hasDialect: false }, /has no dialect/],
    ['licence_ends', { licenceEnds: '2027-03-09' }, /^The paid licence ended on 2027-03-09\.$/],
    ['licence_ends', { licenceEnds: '2027-03-10' }, /2027-03-10, today\.$/],
    ['licence_ends', { licenceEnds: '2027-04-09' }, /2027-04-09, in 30 days\.$/],
    ['schedule_unserved', { schedules: [OVERDUE] }, /schedule poll-stats, due on 2027-03-10T12/],
    [
      'schedule_unserved',
      { schedules: [OVERDUE, { ...OVERDUE, name: 'sweep-search' }] },
      /schedules poll-stats, sweep-search, due/,
    ],
    [
      'runs_fail',
      { isRunning: true, runs: [...ended(null), run({ ended: 'failed', error: 'disk full' })] },
      /^The last run failed: disk full\.$/,
    ],
    ['receiver_disabled', { disabledReceivers: ['ops'] }, /^The receiver ops is disabled and gets no/],
    ['receiver_disabled', { disabledReceivers: ['a', 'b'] }, /^The receivers a, b are disabled and get no/],
    ['quarantine', { quarantined: 1 }, /^1 response could not be processed and is in quarantine\.$/],
  ])('a mirror needs its user because of %s', (name, changes, cause) => {
    const { state, problems } = health(changes);
    expect(state).toBe('needs_you');
    expect(problems.map((one) => one.name)).toEqual([name]);
    expect(problems[0]?.cause).toMatch(cause);
    expect(problems[0]?.remedy).toMatch(/^[A-Z].*\.$/);
  });

  test.each([
    [420, true],
    [null, false],
  ])('the remedy for missing companies names the count only if there is one (%s)', (reported, isNamed) => {
    const completeness = {
      known: 100,
      reported,
      capped: { rows: 100, unsplit: 0 },
      isShown: false,
      isNothingDue: true,
    };
    const { remedy } = health({ completeness }).problems[0] ?? { remedy: '' };
    expect(remedy).toContain('registry-mirror backfill');
    expect(remedy.includes('dialect.stats.total')).toBe(isNamed);
  });
});

test('without a dialect and without quota, the remedy names the time at which probe can run', () => {
  const remedyWith = (left: number) =>
    health({ hasDialect: false, allowance: allowance({ left, resumesAtMs: NOW_MS + HOUR_MS }) }).problems[0]
      ?.remedy;
  expect(remedyWith(0)).toMatch(
    /^Run `registry-mirror probe` when the quota is available again, on 2027-03-10T13:/,
  );
  expect(remedyWith(1)).toMatch(/^Run `registry-mirror probe`\. /);
});

describe('the reported cause', () => {
  test.each<[string, Partial<HealthFacts>, string, RegExp]>([
    [
      'a refused key',
      { allowance: allowance({ refusedKey: { fingerprint: 'k', sinceMs: NOW_MS } }) },
      'key_refused',
      /upstream\.api_key/,
    ],
    [
      'a failed probe',
      { runs: [run({ command: 'probe', ended: 'failed' })] },
      'runs_fail',
      /then run `registry-mirror probe`\.$/,
    ],
    [
      'a total that is used up',
      { allowance: allowance({ windows: [spentTotal], left: 0 }) },
      'allowance_used_up',
      /licence/,
    ],
  ])('without a dialect, %s is reported alone, with its remedy', (_what, changes, name, remedy) => {
    const { problems } = health({ ...changes, hasDialect: false });
    expect(problems.map((problem) => problem.name)).toEqual([name]);
    expect(problems[0]?.remedy).toMatch(remedy);
  });

  test('the reported cause is the most urgent one, even during a run', () => {
    const both = health({ quarantined: 2, licenceEnds: '2027-03-01', isRunning: true });
    expect(both.problems.map(({ name }) => name)).toEqual(['licence_ends', 'quarantine']);
    expect(healthSentence(both, formatTime)).toBe('Needs you: The paid licence ended on 2027-03-01.');
  });

  test('the reported cause is shortened to one line of limited length', () => {
    const { problems } = health({ runs: [run({ ended: 'failed', error: `${'x'.repeat(900)}\nstack` })] });
    expect(problems[0]?.cause).toBe(`The last run failed: ${'x'.repeat(400)}…`);
    const exact = health({ runs: [run({ ended: 'failed', error: 'x'.repeat(400) })] });
    expect(exact.problems[0]?.cause).toBe(`The last run failed: ${'x'.repeat(400)}.`);
  });
});

describe('when a mirror does not need its user', () => {
  test.each<[string, Partial<HealthFacts>]>([
    ['a later run succeeded', { runs: ended('done', 'failed', 'failed') }],
    ['two runs were killed', { runs: ended(null, null, 'done') }],
    [
      'a run with calls followed one that ended with drift',
      { runs: [run({ ended: 'done', calls: 3 }), run({ ended: 'drift' })] },
    ],
    [
      'the exhausted allowance will reset',
      { allowance: { ...waiting(NOW_MS + HOUR_MS), windows: [spentTotal] } },
    ],
    ['a monthly allowance is exhausted', { allowance: allowance({ windows: [spentMonth], left: 0 }) }],
    ['a schedule waits for a run', { schedules: [OVERDUE], isRunning: true }],
    [
      'a schedule waits during a pause',
      {
        schedules: [OVERDUE],
        allowance: allowance({ pausedUntilMs: NOW_MS + HOUR_MS }),
      },
    ],
    ['a run is in progress', { isRunning: true, runs: ended(null, null, null, 'done') }],
    ['a probe looks for the dialect', { hasDialect: false, isRunning: true }],
    [
      'a listing shows all companies, although searches find none',
      {
        answered: { queries: 22, successful: 0, contradicted: 3 },
        completeness: completenessOf(420, 420, { isShown: true }),
      },
    ],
    [
      'searches find the known names and look for others in vain',
      { answered: { queries: 209, successful: 8, contradicted: 0 } },
    ],
    [
      'a truncated listing lacks companies that longer queries list',
      { completeness: completenessOf(112, null, { capped: { rows: 100, unsplit: 0 } }) },
    ],
    [
      'a count shows that no company is missing, although a listing is truncated',
      { completeness: completenessOf(980, 980, { capped: { rows: 100, unsplit: 100 }, isShown: true }) },
    ],
    [
      'a run may still find the missing companies',
      { isRunning: true, completeness: completenessOf(311, 420) },
    ],
    ['a licence ends in 31 days', { licenceEnds: '2027-04-10' }],
    ['a schedule waits for quota', { schedules: [OVERDUE], allowance: waiting(NOW_MS + HOUR_MS) }],
  ])('a mirror does not need its user if %s', (_condition, changes) => {
    expect(names(changes)).toEqual([]);
  });
});

test("a run counts as in progress until its lock's heartbeat is too old, or its process has died", () => {
  const { db, close } = openWarehouse({ path: ':memory:', nowMs: NOW_MS });
  onTestFinished(close);
  expect(readLock(db, NOW_MS)).toEqual({ holder: null, isHeld: false });
  acquireLock(db, { owner: 'host:1:a', pid: 1, host: 'host', nowMs: NOW_MS, isAlive });
  expect(readLock(db, NOW_MS + LOCK_STALE_AFTER_MS).isHeld).toBe(true);
  expect(readLock(db, NOW_MS + LOCK_STALE_AFTER_MS + 1)).toMatchObject({
    holder: { owner: 'host:1:a' },
    isHeld: false,
  });
  const { pid } = spawnSync(process.execPath, ['--version']);
  const nowMs = NOW_MS + LOCK_STALE_AFTER_MS + 1;
  acquireLock(db, { owner: 'killed', pid, host: hostname(), nowMs, isAlive });
  expect(readLock(db, nowMs)).toMatchObject({ holder: { owner: 'killed' }, isHeld: false });
});

test.each<[string, Partial<RunRow>[], HealthState]>([
  [
    'only probe has run',
    [
      { runId: 2, command: 'doctor' },
      { runId: 1, command: 'probe' },
    ],
    'empty',
  ],
  ['a sync has run', [{ runId: 2, command: 'probe' }, { runId: 1 }], 'healthy'],
  ['the first run is not among the latest', [{ runId: 9, command: 'probe' }], 'healthy'],
])('if %s, the state is right', (_name, runs, state) => {
  expect(healthOf({ ...HEALTHY, runs: runs.map(run) }, formatTime).state).toBe(state);
});

test('after a probe that found no dialect, the remedy is to answer its questions', () => {
  const runs = [run({ command: 'probe', ended: 'done' })];
  const { problems } = healthOf({ ...HEALTHY, hasDialect: false, runs }, formatTime);
  expect(problems).toMatchObject([
    { name: 'no_dialect', remedy: expect.stringMatching(/^Answer the questions/) },
  ]);
});

test('without a warehouse, the health depends only on the account', () => {
  const config = { ...FACT_CONFIG, notify: [{ name: 'ops' } as Receiver] };
  const stateWith = (allowance: LedgerState) =>
    readFacts({
      nowMs: NOW_MS,
      db: null,
      ledger: { state: () => allowance },
      lostCalls: 0,
      config,
      formatTime,
    }).health.state;
  expect(stateWith(UNLIMITED)).toBe('empty');
  expect(stateWith(waiting(NOW_MS + HOUR_MS))).toBe('waiting');
});

function refusedAt(sinceMs: number): LedgerState {
  return allowance({ refusedKey: { fingerprint: 'a', sinceMs } });
}

function waiting(resumesAtMs: number): LedgerState {
  return allowance({ left: 0, resumesAtMs });
}

test('a truncated listing breaks off only if the API has no search by name', () => {
  const { db, close } = openWarehouse({ path: ':memory:', nowMs: NOW_MS });
  onTestFinished(close);
  db.exec(`INSERT INTO _query (query_key, "by", text, pages, rows, status, listed_at, asked_at)
      VALUES ('name:', 'name', '', 11, 220, 'capped', '2027-03-01', '2027-03-01'),
        ('name:a', 'name', 'a', 1, 300, 'capped', '2027-03-01', '2027-03-01');
    INSERT INTO _failure (kind, target, tries, failed_at, next_try_at, why, call_id)
      VALUES ('search', 'name:#7', 4, '2027-03-01', '2027-03-08', 'at most 200', 0),
        ('search', 'name:a#1', 1, '2027-03-01', '2027-03-08', 'no search by name', 0)`);
  expect(longestBrokenListing(db, { hasNameSearch: true })).toBeNull();
  expect(longestBrokenListing(db, { hasNameSearch: false })).toEqual({
    text: '',
    rows: 220,
    why: 'at most 200',
    count: 1,
  });
});
