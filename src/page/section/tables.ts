import { hasFailed, runEnding } from '../../ending.ts';
import { count, duration } from '../../report/figures.ts';
import type { ScheduleFacts } from '../../report/schedules.ts';
import { type ChangeFilter, readChanges } from '../../warehouse/change_list.ts';
import { listQuarantined, type Quarantined, quarantineCounts } from '../../warehouse/quarantine.ts';
import { changeRow, changesByCompany, countOfChanges } from '../company_markup.ts';
import { foreign, html, listing, type Markup } from '../html.ts';
import type { Times } from '../page_figures.ts';
import type { Section } from './section.ts';

/** The last changes, with one row for each company and call. */
export const changesSection: Section = {
  id: 'changes',
  title: 'Recent changes',
  group: 'tables',
  shownIf: 'filled',
  draw({ db, times }, { id, title }) {
    const { changes: latest, total } = readChanges(db, EVERY_CHANGE, { beforeId: null, most: MAX_CHANGES });
    const companies = changesByCompany(latest).slice(0, MAX_COMPANIES);
    const shown = companies.reduce((sum, changes) => sum + changes.length, 0);
    return listing({
      id,
      title,
      empty:
        'No changes yet. A change appears when a record is fetched again and differs from the previous version.',
      head: ['Seen', 'Company', 'Changes'],
      note:
        total > 0 &&
        html`${count(shown)} of ${countOfChanges(total)} ${total === 1 ? 'change' : 'changes'}. <a href="/page/changes">All changes</a>`,
      rows: companies.flatMap((ofCompany) => changeRow(ofCompany, times, MAX_FIELDS)),
    });
  },
};

const EVERY_CHANGE: ChangeFilter = { sinceMs: null, path: null, kind: 'all' };
const MAX_CHANGES = 40;
const MAX_COMPANIES = 5;
const MAX_FIELDS = 2;

/** Responses that could not be processed. */
export const quarantineSection: Section = {
  id: 'quarantine',
  title: 'Quarantine',
  group: 'tables',
  shownIf: 'always',
  draw({ db, times }, { id, title }) {
    const { open } = quarantineCounts(db);
    const latest = listQuarantined(db, 'open', MAX_ENTRIES);
    return listing({
      id,
      title: open === 0 ? title : `${title}: ${count(open)} open`,
      note:
        open > 0 &&
        html`${count(latest.length)} of ${count(open)} responses that could not be processed. <a href="/page/quarantine">All entries</a>`,
      ...quarantineTable(latest, times),
    });
  },
};

export function quarantineTable(entries: readonly Quarantined[], times: Times) {
  return {
    empty: 'The quarantine is empty: all responses were processed.',
    head: ['Since', 'Call', 'Target', 'Reason', 'Times'],
    numeric: [4],
    rows: entries.map((one) => [
      times.brief(Date.parse(one.quarantinedAt)),
      html`<a href="/page/quarantine?id=${one.quarantineId}">${one.kind} ${one.quarantineId}</a>`,
      foreign(one.target),
      foreign(one.reason),
      count(one.times),
    ]),
  };
}

const MAX_ENTRIES = 5;

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
          hasFailed(run) ? html`<strong class="alert">${runEnding(run)}</strong>` : runEnding(run, isRunning),
        ];
      }),
    });
  },
};

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
