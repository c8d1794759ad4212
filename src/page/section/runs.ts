import { count } from '../../report/figures.ts';
import { runEnding } from '../../report/run_ending.ts';
import { html } from '../html.ts';
import { listing } from '../listing.ts';
import { roughly } from '../page_figures.ts';
import { defineSection } from './section.ts';

/** The latest runs with their totals. */
export const runsSection = defineSection({
  id: 'runs',
  title: 'Runs',
  group: 'tables',
  shownIf: 'always',
  open: () => (snapshot) => snapshot,
  render: ({ runs, working }, { id, title, times }) =>
    listing({
      id,
      narrow: 'scrolls',
      title,
      empty: 'No runs yet.',
      head: ['Started', 'Command', 'Duration', 'Calls', 'New', 'Changed', 'Gone', 'Quarantined', 'Ended'],
      numeric: [3, 4, 5, 6, 7],
      rows: runs.map((run, at) => {
        const startedMs = Date.parse(run.startedAt);
        const isRunning = at === 0 && run.ended === null && working !== null;
        return [
          times.brief(startedMs),
          run.command,
          run.endedAt === null ? '–' : roughly(Date.parse(run.endedAt) - startedMs),
          count(run.calls),
          count(run.new),
          count(run.changed),
          count(run.gone),
          count(run.quarantined),
          isRunning ? html`<strong class="running">running</strong>` : runEnding(run),
        ];
      }),
    }),
});
