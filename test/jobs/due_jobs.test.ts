import { expect, it } from 'vitest';
import { backfill } from '../../jobs/backfill.ts';
import { isCovered, type JobState, jobsToQueue, type LastRun, type QueueFacts } from '../../jobs/due_jobs.ts';
import { SCHEDULED_JOBS } from '../../jobs/scheduled_jobs.ts';
import { isoTime } from '../../src/clock.ts';
import { FACT_CONFIG } from '../support/facts.ts';
import { jobStateOf } from '../support/registry_snapshots.ts';

const NOON = Date.parse('2026-06-01T12:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const yesterday = run({ startedAtMs: NOON - 26 * HOUR, endedAtMs: NOON - 25 * HOUR });
const lastWeek = run({ startedAtMs: NOON - 7 * 24 * HOUR, endedAtMs: NOON - 7 * 24 * HOUR + 1 });
const killed = run({ startedAtMs: NOON - MINUTE, endedAtMs: null, ended: null });
const idle = (atMs: number) => run({ startedAtMs: atMs, endedAtMs: atMs, ended: 'max_calls' });
const ended = (how: string) => run({ startedAtMs: NOON - MINUTE, endedAtMs: NOON, ended: how, calls: 50 });
const changed = (atMs: number) => ({ 'sweep-search': { atMs, because: 'the statistics have changed' } });

it.each<[string, Registry, Record<string, string>]>([
  ['if it has never run', facts({ 'poll-stats': null }), { 'poll-stats': 'the job has never run' }],
  [
    'if no run has started since its scheduled time',
    facts({ 'sweep-search': yesterday }),
    { 'sweep-search': 'no run since the job was due at 2026-06-01T03:17:00.000Z' },
  ],
  [
    'after its run was killed',
    facts({ 'sweep-search': killed }),
    { 'sweep-search': 'the previous run was killed' },
  ],
  [
    'if an event after its last run makes it due earlier',
    { ...facts({}), events: changed(NOON - 1) },
    { 'sweep-search': 'the statistics have changed' },
  ],
  [
    'one minute after an unfinished run without calls',
    facts({ 'sweep-search': idle(NOON - MINUTE) }),
    { 'sweep-search': 'the previous run ended before its work was done (max_calls)' },
  ],
  ...['max_minutes', 'max_calls', 'interrupted', 'allowance'].map(
    (how): [string, Registry, Record<string, string>] => [
      `after a run that ended with ${how}`,
      facts({ 'sweep-search': ended(how) }),
      { 'sweep-search': `the previous run ended before its work was done (${how})` },
    ],
  ),
])('a job is queued %s', (_, given, expected) => {
  expect(queued(given)).toEqual(expected);
});

it('a job is queued only once after many missed runs', () => {
  expect(Object.keys(queued(facts({ 'fetch-entities': lastWeek })))).toHaveLength(1);
});

const never = facts({ 'poll-stats': null, 'sweep-search': null, 'fetch-entities': null });

it.each<[string, Registry, Attempt?]>([
  ['if its last run is done and no event has occurred since', facts({})],
  ['because of an event before its last run', { ...facts({}), events: changed(NOON - 2 * MINUTE) }],
  ['within a minute after an unfinished run without calls', facts({ 'sweep-search': idle(NOON - 30_000) })],
  ['while a job with its name is queued or running', never, { isPending: true }],
  ['while the allowance is exhausted', { ...never, closedUntilMs: NOON + 1 }],
  ['if no quota will ever return', { ...never, closedUntilMs: Number.POSITIVE_INFINITY }],
  ['while another process holds the lock', { ...never, isHeld: true }],
  ['right after an attempt that failed before its run started', never, { failedAtMs: NOON - MINUTE }],
  [
    'during the three seconds that BullMQ may take to queue it',
    { ...facts({ 'fetch-entities': run({ startedAtMs: NOON - 10 * MINUTE }) }), nowMs: NOON + 1000 },
  ],
  ...['failed', 'drift', 'unauthorised'].map((how): [string, Registry] => [
    `before its next scheduled time if its last run ended with ${how}`,
    facts({ 'fetch-entities': ended(how) }),
  ]),
])('a job is not queued %s', (_, given, state = {}) => {
  expect(queued(given, state)).toEqual({});
});

it('a job is queued when the allowance returns, and a day after an attempt that could not start', () => {
  expect(Object.keys(queued({ ...never, closedUntilMs: NOON }))).toHaveLength(3);
  expect(queued(never, { failedAtMs: NOON - 25 * HOUR })).toHaveProperty('poll-stats');
});

it('a job without a schedule is queued as long as an event makes it due', () => {
  const event = { atMs: NOON - HOUR, because: 'a user queued backfill 1' };
  const reason = (lastRun: LastRun | null, given: JobState['event'] = event) =>
    jobsToQueue(facts({}), [{ job: backfill, scheduled: null, lastRun, event: given }], NO_ATTEMPTS)[0]
      ?.because;
  expect(reason(null)).toBe('a user queued backfill 1');
  expect(reason(ended('failed'))).toBe('a user queued backfill 1');
  expect(reason(idle(NOON - 30_000))).toBeUndefined();
  expect(reason(null, null)).toBeUndefined();
});

it('a run covers a scheduled time if it starts at or after that time and does not fail', () => {
  expect(isCovered(NOON, run({ startedAtMs: NOON, endedAtMs: NOON + 1 }))).toBe(true);
  expect(isCovered(NOON, run({ startedAtMs: NOON - 1, endedAtMs: NOON + 1 }))).toBe(false);
  expect(isCovered(NOON, run({ startedAtMs: NOON, endedAtMs: null }))).toBe(false);
  expect(isCovered(NOON, run({ startedAtMs: NOON, endedAtMs: NOON + 1, ended: 'failed' }))).toBe(false);
});

interface Registry extends QueueFacts {
  readonly lastRuns: Readonly<Record<string, LastRun | null>>;
  readonly events: Readonly<Record<string, JobState['event']>>;
}

const NO_ATTEMPTS = { pending: new Set<string>(), failures: new Map() };

/** The last attempt at every job. */
interface Attempt {
  readonly isPending?: boolean;
  readonly failedAtMs?: number;
}

/** A registry in which every job has just ended, unless `lastRuns` states otherwise. */
function facts(lastRuns: Registry['lastRuns']): Registry {
  const done = run({ startedAtMs: NOON - MINUTE, endedAtMs: NOON - MINUTE + 1 });
  return {
    nowMs: NOON,
    lastRuns: { ...Object.fromEntries(SCHEDULED_JOBS.map(({ name }) => [name, done])), ...lastRuns },
    events: {},
    closedUntilMs: null,
    isHeld: false,
  };
}

function run({
  startedAtMs = NOON,
  endedAtMs = NOON,
  ...given
}: Partial<LastRun> & { startedAtMs?: number; endedAtMs?: number | null }): LastRun {
  const endedAt = endedAtMs === null ? null : isoTime(endedAtMs);
  return { runId: 1, startedAt: isoTime(startedAtMs), endedAt, ended: 'done', calls: 0, ...given };
}

/** Returns the jobs to queue, and why they are due. The schedules have their default patterns. */
function queued(
  { lastRuns, events, ...given }: Registry,
  { isPending = false, failedAtMs }: Attempt = {},
): Record<string, string> {
  const names = SCHEDULED_JOBS.map(({ name }) => name);
  const states = SCHEDULED_JOBS.map((job) => ({
    ...jobStateOf(job, FACT_CONFIG, lastRuns[job.name] ?? null),
    event: events[job.name] ?? null,
  }));
  const due = jobsToQueue(given, states, {
    pending: new Set(isPending ? names : []),
    failures: new Map(failedAtMs === undefined ? [] : names.map((name) => [name, { atMs: failedAtMs }])),
  });
  return Object.fromEntries(due.map(({ state, because }) => [state.job.name, because]));
}
