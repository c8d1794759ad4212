import { describe, expect, it } from 'vitest';
import { SCHEDULED_JOBS } from '../../jobs/all_jobs.ts';
import { type Due, demandOf, isCovered, type LastRun, type QueueFacts } from '../../jobs/due_jobs.ts';
import type { ScheduledName } from '../../jobs/job.ts';

const NOON = Date.parse('2026-06-01T12:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('a job is asked for', () => {
  it('when it never ran', () => {
    expect(asked(facts({ 'poll-stats': null }))).toEqual({ 'poll-stats': 'it never ran' });
  });

  it('when its time came and nothing ran', () => {
    const yesterday = run({ startedAtMs: NOON - 26 * HOUR, endedAtMs: NOON - 25 * HOUR });
    expect(asked(facts({ 'sweep-search': yesterday }))).toEqual({
      'sweep-search': 'nothing has run since it was due at 2026-06-01T03:17:00.000Z',
    });
  });

  it('once, however many of its times were missed', () => {
    const lastWeek = run({ startedAtMs: NOON - 7 * 24 * HOUR, endedAtMs: NOON - 7 * 24 * HOUR + 1 });
    const jobs = demandOf(facts({ 'fetch-entities': lastWeek }), dues());
    expect(jobs).toHaveLength(1);
  });

  it('when the run before was killed', () => {
    const killed = run({ startedAtMs: NOON - MINUTE, endedAtMs: null, ended: null });
    expect(asked(facts({ 'sweep-search': killed }))).toEqual({
      'sweep-search': 'the run before was cut off',
    });
  });

  it.each(['max_minutes', 'max_calls', 'interrupted', 'allowance'])(
    'when the run before ended with %s',
    (ended) => {
      const slice = run({ startedAtMs: NOON - MINUTE, endedAtMs: NOON, ended, calls: 50 });
      expect(asked(facts({ 'sweep-search': slice }))).toEqual({
        'sweep-search': `the run before ended with ${ended}`,
      });
    },
  );

  it('a minute later, when the run before had more to do and could spend nothing', () => {
    const idle = run({ startedAtMs: NOON - 30_000, endedAtMs: NOON - 30_000, ended: 'max_calls', calls: 0 });
    expect(asked(facts({ 'sweep-search': idle }))).toEqual({});
    expect(asked({ ...facts({ 'sweep-search': idle }), nowMs: NOON + 30_000 })).toHaveProperty(
      'sweep-search',
    );
  });

  it('as a sweep, when the statistics changed since the last one', () => {
    const result = { statisticsChangedAtMs: NOON - 1, companiesFoundAtMs: null };
    expect(asked({ ...facts({}), news: result })).toEqual({ 'sweep-search': 'the statistics changed' });
  });

  it('for records, when a sweep found something since the last one', () => {
    const result = { statisticsChangedAtMs: null, companiesFoundAtMs: NOON - 1 };
    expect(asked({ ...facts({}), news: result })).toEqual({
      'fetch-entities': 'a sweep found new or changed companies',
    });
  });
});

describe('a job is not asked for', () => {
  const never = facts({ 'poll-stats': null, 'sweep-search': null, 'fetch-entities': null });

  it('when all is done and nothing happened', () => {
    expect(asked(facts({}))).toEqual({});
  });

  it('while one of its name waits or works', () => {
    expect(asked(never, { isPending: true })).toEqual({});
  });

  it('while the allowance is spent', () => {
    expect(asked({ ...never, closedUntilMs: NOON + 1 })).toEqual({});
    expect(asked({ ...never, closedUntilMs: Number.POSITIVE_INFINITY })).toEqual({});
    expect(asked({ ...never, closedUntilMs: NOON })).not.toEqual({});
  });

  it('while another process is at work in the warehouse', () => {
    expect(asked({ ...never, isHeld: true })).toEqual({});
  });

  it('again at once, when it failed before it came to a run', () => {
    expect(asked(never, { failedAtMs: NOON - MINUTE })).toEqual({});
    expect(asked(never, { failedAtMs: NOON - 25 * HOUR })).toHaveProperty('poll-stats');
  });

  it.each(['failed', 'drift', 'unauthorised'])(
    'before its next time, when the last run ended with %s',
    (ended) => {
      expect(
        asked(facts({ 'fetch-entities': run({ startedAtMs: NOON - MINUTE, ended, calls: 12 }) })),
      ).toEqual({});
    },
  );

  it('in the seconds in which its schedule brings it by itself', () => {
    const before = run({ startedAtMs: NOON - 10 * MINUTE });
    expect(asked({ ...facts({ 'fetch-entities': before }), nowMs: NOON + 1000 })).toEqual({});
  });
});

it('covers a moment by a run that began then or later, and came to its end', () => {
  expect(isCovered(NOON, run({ startedAtMs: NOON, endedAtMs: NOON + 1 }))).toBe(true);
  expect(isCovered(NOON, run({ startedAtMs: NOON - 1, endedAtMs: NOON + 1 }))).toBe(false);
  expect(isCovered(NOON, run({ startedAtMs: NOON, endedAtMs: null }))).toBe(false);
  expect(isCovered(NOON, null)).toBe(false);
});

/** A registry on which everything has just been done, but for what is given. */
function facts(lastRuns: Partial<Record<ScheduledName, LastRun | null>>): QueueFacts {
  const done = run({ startedAtMs: NOON - MINUTE, endedAtMs: NOON - MINUTE + 1 });
  return {
    nowMs: NOON,
    lastRuns: { 'poll-stats': done, 'sweep-search': done, 'fetch-entities': done, ...lastRuns },
    news: { statisticsChangedAtMs: null, companiesFoundAtMs: null },
    closedUntilMs: null,
    isHeld: false,
  };
}

function run(given: Partial<LastRun>): LastRun {
  return { runId: 1, startedAtMs: NOON, endedAtMs: NOON, ended: 'done', calls: 0, ...given };
}

function dues(given: Partial<Due> = {}): Due[] {
  const patterns = {
    'poll-stats': '7 3 * * *',
    'sweep-search': '17 3 * * *',
    'fetch-entities': '*/10 * * * *',
  };
  return SCHEDULED_JOBS.map((job) => ({
    job,
    rhythm: { pattern: patterns[job.name], timezone: 'UTC' },
    isPending: false,
    failedAtMs: null,
    ...given,
  }));
}

function asked(given: QueueFacts, due: Partial<Due> = {}): Record<string, string> {
  return Object.fromEntries(demandOf(given, dues(due)).map(({ name, because }) => [name, because]));
}
