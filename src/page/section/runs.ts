import { hasFailed, runEnding } from '../../ending.ts';
import type { RunDetails } from '../../report/facts.ts';
import { count, counted, duration } from '../../report/figures.ts';
import type { ScheduleFacts } from '../../report/schedules.ts';
import type { RunRow } from '../../warehouse/run.ts';
import { type PageContext, type PageDocument, pageDocument } from '../frame.ts';
import { definitions, html, listing, type Markup } from '../html.ts';
import type { Times } from '../page_figures.ts';
import type { Section } from './section.ts';

/** The last runs with their totals. */
export const runsSection: Section = {
  id: 'runs',
  title: 'Runs',
  group: 'tables',
  shownIf: 'always',
  draw({ snapshot: { mirror, working }, times }, { id, title }) {
    const runs = mirror.runs.slice(0, MAX_RUNS);
    return listing({
      id,
      title,
      note:
        runs.length === MAX_RUNS &&
        html`The latest ${count(MAX_RUNS)} of ${count(runs[0]?.runId ?? 0)} runs.`,
      empty: 'No runs yet.',
      head: ['Run', 'Started', 'Command', 'Duration', 'Calls', 'New', 'Changed', 'Gone', 'Ended'],
      numeric: [4, 5, 6, 7],
      rows: runs.map((run, at) => {
        const startedMs = Date.parse(run.startedAt);
        const isRunning = at === 0 && run.ended === null && working !== null;
        return [
          html`<a href="/page/runs/${run.runId}">${run.runId}</a>`,
          times.brief(startedMs),
          run.command,
          run.endedAt === null ? '–' : duration(Date.parse(run.endedAt) - startedMs),
          count(run.calls),
          count(run.new),
          count(run.changed),
          count(run.gone),
          endOf(run, isRunning),
        ];
      }),
    });
  },
};

function endOf(run: RunRow, isRunning: boolean): Markup {
  return hasFailed(run) ? html`<strong class="alert">${runEnding(run)}</strong>` : runEnding(run, isRunning);
}

const MAX_RUNS = 5;

/** The scheduled jobs, each with its next scheduled time and its last run. */
export const schedulesSection: Section = {
  id: 'schedules',
  title: 'Schedules',
  group: 'tables',
  shownIf: 'always',
  draw({ snapshot: { mirror, working }, times }, { id, title }) {
    return listing({
      id,
      title,
      note: html`<code>registry-mirror worker</code> runs these jobs. <code>sync</code> does the same work from cron or by hand.`,
      empty: '',
      head: ['Job', 'Schedule', 'Next', 'Due after', 'Last run'],
      rows: mirror.schedules.map((job) => {
        const { name, title: work, schedule, lastRun, dueMs } = job;
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
function nextRun({ isServed, nextMs }: ScheduleFacts, times: Times): Markup {
  if (!isServed) return 'no worker runs';
  return nextMs === Infinity ? 'no quota' : times.brief(nextMs);
}

export function runPage({ run, isRunning, counts }: RunDetails, context: PageContext): PageDocument {
  const { times } = context;
  const startedMs = Date.parse(run.startedAt);
  const total = counts.reduce((sum, one) => sum + one.calls, 0);
  return pageDocument(context, {
    title: `Run ${run.runId}`,
    main: html`<h1>Run ${run.runId}: ${run.command}</h1>
${definitions([
  ['Started', times.full(startedMs)],
  ['Took', run.endedAt !== null && duration(Date.parse(run.endedAt) - startedMs)],
  ['End', endOf(run, isRunning)],
  [
    'Results',
    `${count(run.new)} new, ${count(run.changed)} changed, ${count(run.gone)} gone, ${count(run.quarantined)} in quarantine`,
  ],
])}
${listing({
  id: 'counts',
  title: counted(total, 'call'),
  empty: 'This run sent no calls.',
  head: ['Kind', 'Outcome', 'Calls'],
  numeric: [2],
  rows: counts.map((one) => [one.kind, one.outcome, count(one.calls)]),
})}
<p class="note">Failed calls: <code>registry-mirror status --run ${run.runId}</code></p>`,
  });
}
