import { hasFailed, runEnding } from '../ending.ts';
import type { RunDetails } from '../report/facts.ts';
import { count, counted, duration } from '../report/figures.ts';
import type { PageContext } from './frame.ts';
import { type PageDocument, pageDocument } from './frame.ts';
import { html, listing } from './html.ts';

export function runPage({ run, isRunning, counts }: RunDetails, context: PageContext): PageDocument {
  const { times } = context;
  const startedMs = Date.parse(run.startedAt);
  const total = counts.reduce((sum, one) => sum + one.calls, 0);
  const cause = runEnding(run, isRunning);
  return pageDocument(context, {
    title: `Run ${run.runId}`,
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
