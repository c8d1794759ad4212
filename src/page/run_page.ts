import { hasFailed, runEnding } from '../ending.ts';
import type { RunDetails } from '../report/facts.ts';
import { count, counted, duration } from '../report/figures.ts';
import { type PageDocument, pageDocument } from './frame.ts';
import { html, listing } from './html.ts';
import { timesIn } from './page_figures.ts';
import type { PageSettings } from './page_snapshot.ts';

interface RunView extends RunDetails {
  readonly nowMs: number;
  readonly zone: string;
}

export function runPage(view: RunView, settings: PageSettings): PageDocument {
  const { nowMs, zone, run, isRunning, counts } = view;
  const times = timesIn(zone, nowMs);
  const startedMs = Date.parse(run.startedAt);
  const total = counts.reduce((sum, one) => sum + one.calls, 0);
  const cause = runEnding(run, isRunning);
  return pageDocument(settings, {
    title: `Run ${run.runId}`,
    zone,
    main: html`<h1>Run ${run.runId}: ${run.command}</h1>
<dl class="seen">
<div><dt>Started</dt><dd>${times.full(startedMs)}</dd></div>
${run.endedAt !== null && html`<div><dt>Took</dt><dd>${duration(Date.parse(run.endedAt) - startedMs)}</dd></div>`}
<div><dt>End</dt><dd${hasFailed(run) && html` class="alert"`}>${cause}</dd></div>
<div><dt>Results</dt><dd>${count(run.new)} new, ${count(run.changed)} changed, ${count(run.gone)} gone, ${count(run.quarantined)} in quarantine</dd></div>
</dl>
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
