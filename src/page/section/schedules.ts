import { CronExpressionParser } from 'cron-parser';
import { lastRunOf } from '../../warehouse/activity.ts';
import type { RunRow } from '../../warehouse/run.ts';
import { html } from '../html.ts';
import { listing } from '../listing.ts';
import { roughly } from '../page_figures.ts';
import type { PageSettings } from '../page_settings.ts';
import { runEnding } from './runs.ts';
import { defineSection } from './section.ts';

/** The scheduled jobs with their next time and last run. */
export const schedulesSection = defineSection({
  id: 'schedules',
  title: 'Schedules',
  group: 'tables',
  shownIf: 'always',
  open:
    ({ db }) =>
    ({ nowMs }) => ({
      nowMs,
      jobs: JOBS.map((job): [JobName, RunRow | null] => [job, lastRunOf(db, job)]),
    }),
  render({ nowMs, jobs }, { id, title, settings, times }) {
    const schedules = schedulesOf(settings);
    return listing({
      id,
      narrow: 'blocks',
      title,
      note: html`<code>registry-mirror worker</code> runs these jobs. <code>sync</code> does the same work from cron or by hand.`,
      empty: '',
      head: ['Work', 'Job', 'Schedule', 'Next', 'Due after', 'Last run'],
      rows: jobs.map(([job, last]) => {
        const { work, pattern, dueMs } = schedules[job];
        return [
          work,
          html`<code>${job}</code>`,
          html`<code>${pattern}</code>`,
          times.brief(nextTimeMs(pattern, settings.schedule.timezone, nowMs)),
          roughly(dueMs),
          last === null ? 'never' : html`${times.brief(Date.parse(last.startedAt))}: ${runEnding(last)}`,
        ];
      }),
    });
  },
});

const JOBS = ['poll-stats', 'sweep-search', 'fetch-entities'] as const;
type JobName = (typeof JOBS)[number];

interface Schedule {
  readonly work: string;
  readonly pattern: string;
  readonly dueMs: number;
}

function schedulesOf({ schedule, maxAge }: PageSettings): Readonly<Record<JobName, Schedule>> {
  return {
    'poll-stats': { work: 'Statistics', pattern: schedule.stats, dueMs: maxAge.statsMs },
    'sweep-search': { work: 'Searches', pattern: schedule.sweep, dueMs: maxAge.summariesMs },
    'fetch-entities': { work: 'Records', pattern: schedule.entities, dueMs: maxAge.recordsMs },
  };
}

/** The hash seed is that of the worker, so that `H` in a pattern gives the same minute. */
function nextTimeMs(pattern: string, timezone: string, nowMs: number): number {
  return CronExpressionParser.parse(pattern, {
    tz: timezone,
    currentDate: new Date(nowMs),
    hashSeed: pattern,
  })
    .next()
    .getTime();
}
