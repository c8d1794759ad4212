import { counted } from '../../report/figures.ts';
import { runEnding } from '../../report/run_ending.ts';
import { type Html, html } from '../html.ts';
import type { Times } from '../page_figures.ts';
import type { PageSnapshot } from '../page_snapshot.ts';
import { defineSection } from './section.ts';

/** One line: the current run, or the end of the last run. */
export const stateSection = defineSection({
  id: 'state',
  title: 'State of the mirror',
  group: 'header',
  shownIf: 'always',
  open: () => (snapshot) => snapshot,
  render: (snapshot, { id, title, times }) =>
    html`<p class="state" id="${id}" role="status" aria-label="${title}" data-live>${stateText(snapshot, times)}</p>`,
});

function stateText({ working, runs, ledger, nowMs }: PageSnapshot, times: Times): Html {
  const [last] = runs;
  if (working !== null && last !== undefined && last.ended === null)
    return html`<strong class="running">${last.command} is running</strong> since ${times.brief(Date.parse(last.startedAt))}: ${counted(last.calls, 'call')} so far`;
  if (working !== null)
    return html`<strong class="running">Working</strong> since ${times.brief(Date.parse(working.takenAt))}`;
  if (last === undefined) return html`<strong>No runs yet</strong>`;
  const resumes =
    ledger.resumesAtMs !== null &&
    ledger.resumesAtMs > nowMs &&
    html`; calls resume ${times.brief(ledger.resumesAtMs)}`;
  return html`<strong>Idle</strong> since ${times.brief(Date.parse(last.endedAt ?? last.startedAt))}: ${runEnding(last)}${resumes}`;
}
