import { count, counted, duration } from '../report/figures.ts';
import { hasFailed, runEnding } from '../report/run_ending.ts';
import type { CallCount } from '../warehouse/activity.ts';
import type { RunRow } from '../warehouse/run.ts';
import type { RunCall } from '../warehouse/run_calls.ts';
import { documentOf } from './frame.ts';
import { foreign, html } from './html.ts';
import { listing } from './listing.ts';
import { timesIn } from './page_figures.ts';
import type { PageSettings } from './page_settings.ts';

/** One run with its calls. */
export interface RunView {
  readonly nowMs: number;
  readonly zone: string;
  readonly run: RunRow;
  readonly isRunning: boolean;
  readonly counts: readonly CallCount[];
  /** The run's last calls, most recent first. */
  readonly calls: readonly RunCall[];
  readonly onlyFailed: boolean;
}

export function runPage(view: RunView, settings: PageSettings): string {
  const { nowMs, zone, run, isRunning, counts, calls, onlyFailed } = view;
  const times = timesIn(zone, nowMs);
  const startedMs = Date.parse(run.startedAt);
  const total = counts.reduce((sum, one) => sum + one.calls, 0);
  const failed = counts.filter(({ outcome }) => !GOOD.has(outcome)).reduce((sum, one) => sum + one.calls, 0);
  const cause = runEnding(run, isRunning);
  return documentOf({
    title: `Run ${run.runId}, ${settings.source.name}`,
    ...{ source: settings.source, zone, query: '' },
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
${listing({
  id: 'calls',
  title: `${onlyFailed ? 'Failed calls' : 'Calls'}: ${count(calls.length)} of ${count(onlyFailed ? failed : total)}`,
  note: onlyFailed
    ? html`<a href="/page/runs/${run.runId}#calls">All calls</a>`
    : failed > 0 &&
      html`<a href="/page/runs/${run.runId}?calls=failed#calls">Only the ${counted(failed, 'failed call')}</a>`,
  empty: 'No calls to show.',
  head: ['Sent', 'Call', 'Outcome', 'HTTP', 'ms', 'New', 'Changed', 'Reason or note'],
  numeric: [3, 4, 5, 6],
  rows: calls.map((call) => [
    times.brief(Date.parse(call.sentAt)),
    html`${call.kind} ${call.kind === 'entity' ? html`<a href="/page/company?id=${encodeURIComponent(call.target)}">${foreign(call.target)}</a>` : foreign(call.target)}`,
    GOOD.has(call.outcome) ? call.outcome : html`<strong class="alert">${call.outcome}</strong>`,
    call.status ?? '–',
    count(call.ms),
    count(call.new),
    count(call.changed),
    foreign(call.note ?? call.reason),
  ]),
})}`,
  });
}

const GOOD = new Set(['ok', 'received', 'absent', 'gone']);
