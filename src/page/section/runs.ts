import { count, duration } from '../../report/figures.ts';
import { hasFailed, runEnding } from '../../report/run_ending.ts';
import { html } from '../html.ts';
import { listing } from '../listing.ts';
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
          hasFailed(run) ? html`<strong class="alert">${runEnding(run)}</strong>` : runEnding(run, isRunning),
        ];
      }),
    });
  },
};

const MAX_RUNS = 5;
