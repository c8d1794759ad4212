import { describe, expect, it } from 'vitest';
import { SCHEDULED_JOBS } from '../../jobs/all_jobs.ts';
import { isCovered, type JobState, type LastRun, missingJobs, type QueueFacts } from '../../jobs/due_jobs.ts';
import { configFrom } from '../../src/config/config.ts';

const NOON = Date.parse('2026-06-01T12:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('a due job', () => {
  it('is missing if it has never run', () => {
    expect(missing(facts({ 'poll-stats': null }))).toEqual({ 'poll-stats': 'the job has never run' });
  });

  it('is missing if no run followed its scheduled time', () => {
    const yesterday = run({ startedAtMs: NOON - 26 * HOUR, endedAtMs: NOON - 25 * HOUR });
    expect(missing(facts({ 'sweep-search': yesterday }))).toEqual({
      'sweep-search': 'no run since the job was due at 2026-06-01T03:17:00.000Z',
    });
  });

  it('is missing once after many missed scheduled times', () => {
    const lastWeek = run({ startedAtMs: NOON - 7 * 24 * HOUR, endedAtMs: NOON - 7 * 24 * HOUR + 1 });
    const jobs = missingJobs(facts({ 'fetch-entities': lastWeek }), states());
    expect(jobs).toHaveLength(1);
  });

  it('is missing after its run was killed', () => {
    const killed = run({ startedAtMs: NOON - MINUTE, endedAtMs: null, ended: null });
    expect(missing(facts({ 'sweep-search': killed }))).toEqual({
      'sweep-search': 'the previous run was killed',
    });
  });

  it.each(['max_minutes', 'max_calls', 'interrupted', 'allowance'])(
    'is missing after a run that ended with %s',
    (ended) => {
      const unfinished = run({ startedAtMs: NOON - MINUTE, endedAtMs: NOON, ended, calls: 50 });
      expect(missing(facts({ 'sweep-search': unfinished }))).toEqual({
        'sweep-search': `the previous run ended with ${ended}`,
      });
    },
  );

  it('is missing one minute after an unfinished run without calls', () => {
    const idle = run({ startedAtMs: NOON - 30_000, endedAtMs: NOON - 30_000, ended: 'max_calls', calls: 0 });
    expect(missing(facts({ 'sweep-search': idle }))).toEqual({});
    expect(missing({ ...facts({ 'sweep-search': idle }), nowMs: NOON + 30_000 })).toHaveProperty(
      'sweep-search',
    );
  });

  it('is missing if an event after its last run makes it due earlier', () => {
    const event = { atMs: NOON - 1, because: 'the statistics have changed' };
    expect(missing({ ...facts({}), earlierDue: { 'sweep-search': event } })).toEqual({
      'sweep-search': 'the statistics have changed',
    });
    const older = { ...event, atMs: NOON - 2 * MINUTE };
    expect(missing({ ...facts({}), earlierDue: { 'sweep-search': older } })).toEqual({});
  });
});

describe('no job', () => {
  const never = facts({ 'poll-stats': null, 'sweep-search': null, 'fetch-entities': null });

  it('is missing if every job has ended and no event occurred', () => {
    expect(missing(facts({}))).toEqual({});
  });

  it('is missing while a job of its name is queued or running', () => {
    expect(missing(never, { isPending: true })).toEqual({});
  });

  it('with a cost in calls is missing while the allowance is used up', () => {
    expect(missing({ ...never, closedUntilMs: NOON + 1 })).toEqual({});
    expect(missing({ ...never, closedUntilMs: Number.POSITIVE_INFINITY })).toEqual({});
    expect(missing({ ...never, closedUntilMs: NOON })).not.toEqual({});
  });

  it('with a cost in calls is missing while another process holds the lock', () => {
    expect(missing({ ...never, isHeld: true })).toEqual({});
  });

  it('is missing immediately after a failure before its run', () => {
    expect(missing(never, { failedAtMs: NOON - MINUTE })).toEqual({});
    expect(missing(never, { failedAtMs: NOON - 25 * HOUR })).toHaveProperty('poll-stats');
  });

  it.each(['failed', 'drift', 'unauthorised'])(
    'is missing before its next scheduled time after a run that ended with %s',
    (ended) => {
      expect(
        missing(facts({ 'fetch-entities': run({ startedAtMs: NOON - MINUTE, ended, calls: 12 }) })),
      ).toEqual({});
    },
  );

  it('is missing in the seconds in which BullMQ queues it', () => {
    const before = run({ startedAtMs: NOON - 10 * MINUTE });
    expect(missing({ ...facts({ 'fetch-entities': before }), nowMs: NOON + 1000 })).toEqual({});
  });
});

it('a run that starts at or after a scheduled time and ends without a failure covers that time', () => {
  expect(isCovered(NOON, run({ startedAtMs: NOON, endedAtMs: NOON + 1 }))).toBe(true);
  expect(isCovered(NOON, run({ startedAtMs: NOON - 1, endedAtMs: NOON + 1 }))).toBe(false);
  expect(isCovered(NOON, run({ startedAtMs: NOON, endedAtMs: null }))).toBe(false);
  expect(isCovered(NOON, run({ startedAtMs: NOON, endedAtMs: NOON + 1, ended: 'failed' }))).toBe(false);
  expect(isCovered(NOON, null)).toBe(false);
});

/** A registry on which every job has just ended, with some last runs replaced. */
function facts(lastRuns: QueueFacts['lastRuns']): QueueFacts {
  const done = run({ startedAtMs: NOON - MINUTE, endedAtMs: NOON - MINUTE + 1 });
  return {
    nowMs: NOON,
    lastRuns: { ...Object.fromEntries(SCHEDULED_JOBS.map(({ name }) => [name, done])), ...lastRuns },
    earlierDue: {},
    closedUntilMs: null,
    isHeld: false,
  };
}

function run(given: Partial<LastRun>): LastRun {
  return { runId: 1, startedAtMs: NOON, endedAtMs: NOON, ended: 'done', calls: 0, ...given };
}

/** The scheduled jobs with the default patterns. */
function states(given: Partial<JobState> = {}): JobState[] {
  const config = configFrom({
    version: 1,
    source: { name: 'Isle of Man' },
    upstream: { base_url: 'https://registry.example/api', api_key: 'key' },
    allowance: { unlimited: true },
  });
  return SCHEDULED_JOBS.map((job) => ({
    job,
    schedule: { pattern: job.pattern(config), timezone: 'UTC' },
    isPending: false,
    failedAtMs: null,
    ...given,
  }));
}

/** The missing jobs with their reasons. */
function missing(given: QueueFacts, state: Partial<JobState> = {}): Record<string, string> {
  return Object.fromEntries(missingJobs(given, states(state)).map(({ name, because }) => [name, because]));
}
