import { count } from '../../report/figures.ts';
import type { RunRow } from '../../warehouse/run.ts';
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

/** The reason for the end of a run, as the end of a sentence. */
export function runEnding({ ended, endedAt, error }: Pick<RunRow, 'ended' | 'endedAt' | 'error'>): string {
  if (ended === null) return endedAt === null ? 'the last run was killed' : 'the last run ended';
  const text = ENDINGS[ended] ?? ended.replaceAll('_', ' ');
  return ended === 'failed' && error !== null ? `${text} (${error})` : text;
}

const ENDINGS: Readonly<Record<string, string>> = {
  done: 'nothing more was due',
  allowance: 'the quota was used up',
  max_calls: 'the limit of calls was reached',
  max_minutes: 'the limit of minutes was reached',
  interrupted: 'the run was interrupted',
  unauthorised: 'the registry refused the key',
  drift: 'responses no longer match the dialect',
  failed: 'the last run failed',
};
