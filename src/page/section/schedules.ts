import { duration } from '../../report/figures.ts';
import { runEnding } from '../../report/run_ending.ts';
import type { ScheduleFacts } from '../../report/schedules.ts';
import { html, type Part } from '../html.ts';
import { listing } from '../listing.ts';
import type { Times } from '../page_figures.ts';
import type { Section } from './section.ts';

/** The scheduled jobs, each with its next scheduled time and its last run. */
export const schedulesSection: Section = {
  id: 'schedules',
  title: 'Schedules',
  group: 'tables',
  shownIf: 'always',
  draw({ snapshot: { mirror, working }, settings, times }, { id, title }) {
    return listing({
      id,
      title,
      note: html`<code>registry-mirror worker</code> runs these jobs. <code>sync</code> does the same work from cron or by hand.`,
      empty: '',
      head: ['Job', 'Schedule', 'Next', 'Due after', 'Last run'],
      rows: mirror.schedules.map((job, at) => {
        const { name, schedule, lastRun } = job;
        const { title: work = name, dueMs = null } = settings.jobs[at] ?? {};
        const isRunning = working !== null && lastRun?.runId === mirror.runs[0]?.runId;
        return [
          html`${work} <code>${name}</code>`,
          html`<code>${schedule.pattern}</code>`,
          nextRun(job, times),
          dueMs === null ? '–' : duration(dueMs),
          lastRun === null
            ? 'never'
            : html`${times.brief(Date.parse(lastRun.startedAt))}: ${runEnding(lastRun, isRunning)}`,
        ];
      }),
    });
  },
};

/** Only a worker follows the schedules, and it runs each job soon after its scheduled time. */
function nextRun({ isServed, nextMs }: ScheduleFacts, times: Times): Part {
  if (!isServed) return 'no worker runs';
  return nextMs === Infinity ? 'no quota' : times.brief(nextMs);
}
