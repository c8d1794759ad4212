import { describe, expect, it } from 'vitest';
import { SCHEDULED_JOBS } from '../../jobs/all_jobs.ts';
import { isCovered, type JobState, jobsToQueue, type LastRun, type QueueFacts } from '../../jobs/due_jobs.ts';
import { configFrom } from '../../src/config/load_config.ts';

const NOON = Date.parse('2026-06-01T12:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('queueing due jobs', () => {
  it('a job is queued if it has never run', () => {
    expect(queued(facts({ 'poll-stats': null }))).toEqual({ 'poll-stats': 'the job has never run' });
  });

  it('a job is queued if no run has started since its scheduled time', () => {
    const yesterday = run({ startedAtMs: NOON - 26 * HOUR, endedAtMs: NOON - 25 * HOUR });
    expect(queued(facts({ 'sweep-search': yesterday }))).toEqual({
      'sweep-search': 'no run since the job was due at 2026-06-01T03:17:00.000Z',
    });
  });

  it('a job is queued only once after many missed runs', () => {
    const lastWeek = run({ startedAtMs: NOON - 7 * 24 * HOUR, endedAtMs: NOON - 7 * 24 * HOUR + 1 });
    const jobs = jobsToQueue(facts({ 'fetch-entities': lastWeek }), states());
    expect(jobs).toHaveLength(1);
  });

  it('a job is queued after its run was killed', () => {
    const killed = run({ startedAtMs: NOON - MINUTE, endedAtMs: null, ended: null });
    expect(queued(facts({ 'sweep-search': killed }))).toEqual({
      'sweep-search': 'the previous run was killed',
    });
  });

  it.each(['max_minutes', 'max_calls', 'interrupted', 'allowance'])(
    'a job is queued again after a run that ended with %s',
    (ended) => {
      const unfinished = run({ startedAtMs: NOON - MINUTE, endedAtMs: NOON, ended, calls: 50 });
      expect(queued(facts({ 'sweep-search': unfinished }))).toEqual({
        'sweep-search': `the previous run ended with ${ended}`,
      });
    },
  );

  it('a job is queued one minute after an unfinished run without calls', () => {
    const idle = run({ startedAtMs: NOON - 30_000, endedAtMs: NOON - 30_000, ended: 'max_calls', calls: 0 });
    expect(queued(facts({ 'sweep-search': idle }))).toEqual({});
    expect(queued({ ...facts({ 'sweep-search': idle }), nowMs: NOON + 30_000 })).toHaveProperty(
      'sweep-search',
    );
  });

  it('a job is queued if an event after its last run makes it due earlier', () => {
    const event = { atMs: NOON - 1, because: 'the statistics have changed' };
    expect(queued({ ...facts({}), earlierDue: { 'sweep-search': event } })).toEqual({
      'sweep-search': 'the statistics have changed',
    });
    const older = { ...event, atMs: NOON - 2 * MINUTE };
    expect(queued({ ...facts({}), earlierDue: { 'sweep-search': older } })).toEqual({});
  });
});

describe('jobs that are not queued', () => {
  const never = facts({ 'poll-stats': null, 'sweep-search': null, 'fetch-entities': null });

  it('a job is not queued if its last run is done and no event has occurred since', () => {
    expect(queued(facts({}))).toEqual({});
  });

  it('a job is not queued while a job with its name is queued or running', () => {
    expect(queued(never, { isPending: true })).toEqual({});
  });

  it('a job that spends calls is not queued while the allowance is exhausted', () => {
    expect(queued({ ...never, closedUntilMs: NOON + 1 })).toEqual({});
    expect(queued({ ...never, closedUntilMs: Number.POSITIVE_INFINITY })).toEqual({});
    expect(queued({ ...never, closedUntilMs: NOON })).not.toEqual({});
  });

  it('a job that spends calls is not queued while another process holds the lock', () => {
    expect(queued({ ...never, isHeld: true })).toEqual({});
  });

  it('a job is not queued right after an attempt that failed before its run started', () => {
    expect(queued(never, { failedAtMs: NOON - MINUTE })).toEqual({});
    expect(queued(never, { failedAtMs: NOON - 25 * HOUR })).toHaveProperty('poll-stats');
  });

  it.each(['failed', 'drift', 'unauthorised'])(
    'a job is not queued before its next scheduled time if its last run ended with %s',
    (ended) => {
      expect(
        queued(facts({ 'fetch-entities': run({ startedAtMs: NOON - MINUTE, ended, calls: 12 }) })),
      ).toEqual({});
    },
  );

  it('a job is not queued again during the three seconds that BullMQ may take to queue it', () => {
    const before = run({ startedAtMs: NOON - 10 * MINUTE });
    expect(queued({ ...facts({ 'fetch-entities': before }), nowMs: NOON + 1000 })).toEqual({});
  });
});

it('a run covers a scheduled time if it starts at or after that time and does not fail', () => {
  expect(isCovered(NOON, run({ startedAtMs: NOON, endedAtMs: NOON + 1 }))).toBe(true);
  expect(isCovered(NOON, run({ startedAtMs: NOON - 1, endedAtMs: NOON + 1 }))).toBe(false);
  expect(isCovered(NOON, run({ startedAtMs: NOON, endedAtMs: null }))).toBe(false);
  expect(isCovered(NOON, run({ startedAtMs: NOON, endedAtMs: NOON + 1, ended: 'failed' }))).toBe(false);
});

/** A registry in which every job has just ended, unless `lastRuns` states otherwise. */
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

/** The scheduled jobs with their default patterns. */
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

/** Returns the jobs to queue, and why they are due. */
function queued(given: QueueFacts, state: Partial<JobState> = {}): Record<string, string> {
  return Object.fromEntries(jobsToQueue(given, states(state)).map(({ job, because }) => [job.name, because]));
}
