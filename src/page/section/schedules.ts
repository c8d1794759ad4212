import { nextTime } from '../../cron/cron_times.ts';
import { runEnding } from '../../report/run_ending.ts';
import { lastRunOf } from '../../warehouse/activity.ts';
import { html } from '../html.ts';
import { liveListing } from '../listing.ts';
import { roughly } from '../page_figures.ts';
import { defineSection } from './section.ts';

/** The scheduled jobs, each with its next scheduled time and its last run. */
export const schedulesSection = defineSection({
  id: 'schedules',
  title: 'Schedules',
  group: 'tables',
  shownIf: 'always',
  open: ({ db }) => {
    const lastRun = (name: string) => lastRunOf(db, name);
    return ({ nowMs }) => ({ nowMs, lastRun });
  },
  render({ nowMs, lastRun }, { id, title, settings, times }) {
    return liveListing({
      id,
      title,
      note: html`<code>registry-mirror worker</code> runs these jobs. <code>sync</code> does the same work from cron or by hand.`,
      empty: '',
      head: ['Job', 'Schedule', 'Next', 'Due after', 'Last run'],
      rows: settings.jobs.map(({ name, title: work, pattern, dueMs }) => {
        const last = lastRun(name);
        return [
          html`${work} <code>${name}</code>`,
          html`<code>${pattern}</code>`,
          times.brief(nextTime({ pattern, timezone: settings.schedule.timezone }, nowMs)),
          dueMs === null ? '–' : roughly(dueMs),
          last === null ? 'never' : html`${times.brief(Date.parse(last.startedAt))}: ${runEnding(last)}`,
        ];
      }),
    });
  },
});
