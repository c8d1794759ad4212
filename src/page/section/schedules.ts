import { type CronSchedule, nextTime } from '../../cron/cron_times.ts';
import { HOUR_MS } from '../../durations.ts';
import { runEnding } from '../../report/run_ending.ts';
import { lastRunOf } from '../../warehouse/activity.ts';
import type { RunRow } from '../../warehouse/run.ts';
import { html, type Part } from '../html.ts';
import { liveListing } from '../listing.ts';
import { roughly } from '../page_figures.ts';
import type { Section } from './section.ts';

/** The scheduled jobs, each with its next scheduled time and its last run. */
export const schedulesSection: Section = {
  id: 'schedules',
  title: 'Schedules',
  group: 'tables',
  shownIf: 'always',
  draw({ snapshot: { nowMs, allowance, mirror, working }, db, settings, times }, { id, title }) {
    const { left, resumesAtMs } = allowance.scheduled;
    const closedUntilMs = left > 0 ? nowMs : (resumesAtMs ?? Infinity);
    // Only a worker follows the schedules, and it runs each job soon after its scheduled time.
    const nextRun = (schedule: CronSchedule, last: RunRow | null): Part => {
      const isServed = last !== null && nextTime(schedule, Date.parse(last.startedAt)) + HOUR_MS >= nowMs;
      if (!isServed) return 'no worker runs';
      return closedUntilMs === Infinity ? 'no quota' : times.brief(nextTime(schedule, closedUntilMs));
    };
    return liveListing({
      id,
      title,
      note: html`<code>registry-mirror worker</code> runs these jobs. <code>sync</code> does the same work from cron or by hand.`,
      empty: '',
      head: ['Job', 'Schedule', 'Next', 'Due after', 'Last run'],
      rows: settings.jobs.map(({ name, title: work, pattern, dueMs }) => {
        const last = lastRunOf(db, name);
        const isRunning = working !== null && last?.runId === mirror.runs[0]?.runId;
        return [
          html`${work} <code>${name}</code>`,
          html`<code>${pattern}</code>`,
          nextRun({ pattern, timezone: settings.schedule.timezone }, last),
          dueMs === null ? '–' : roughly(dueMs),
          last === null
            ? 'never'
            : html`${times.brief(Date.parse(last.startedAt))}: ${runEnding(last, isRunning)}`,
        ];
      }),
    });
  },
};
