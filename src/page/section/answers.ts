import type { WindowState } from '../../allowance/ledger.ts';
import { windowRow } from '../../allowance/window_table.ts';
import { completionText } from '../../report/completion_forecast.ts';
import { count, counted, percent } from '../../report/figures.ts';
import { forecastQuota, observedRate, quotaForecastText } from '../../report/quota_forecast.ts';
import { type Html, html, type Part } from '../html.ts';
import type { Times } from '../page_figures.ts';
import type { PageSnapshot } from '../page_snapshot.ts';
import { defineSection } from './section.ts';

/**
 * Answers four questions: when will the mirror be complete, how complete is it, what quota is left, and what has
 * changed?
 */
export const answersSection = defineSection({
  id: 'answers',
  title: 'Answers',
  group: 'summary',
  shownIf: 'always',
  open: () => (snapshot) => snapshot,
  render: (snapshot, { id, title, times }) => html`<h2 class="unseen">${title}</h2>
<dl class="figures" id="${id}" data-live>
${completion(snapshot, times)}
${coverage(snapshot)}
${calls(snapshot, times)}
${changes(snapshot)}
</dl>`,
});

function figure(name: string, value: Part, notes: readonly Part[]): Html {
  return html`<div><dt>${name}</dt><dd><span class="value">${value}</span>${notes
    .filter((note) => note !== null && note !== false)
    .map((note) => html`<span class="note">${note}</span>`)}</dd></div>`;
}

function completion({ completion: forecast, nowMs, coverage }: PageSnapshot, times: Times): Html {
  const text = completionText(forecast, nowMs, times.zone);
  const estimate =
    forecast.is === 'unknown'
      ? 'The next run stores an estimate.'
      : html`estimate of ${times.brief(forecast.estimatedAtMs)}`;
  const records = html`${count(coverage.fetched)} records${coverage.fetchedShare !== null && ` (${percent(coverage.fetchedShare)})`}`;
  return figure('Finish', text, [estimate, records]);
}

/** Draws a bar that shows the estimated coverage range. */
function coverage({ coverage: { known, gone, registryTotal }, coverageEstimate }: PageSnapshot): Html {
  const { low, high, by } = coverageEstimate;
  const range = low === high ? percent(low) : `${percent(low)} to ${percent(high)}`;
  const bar = html`<svg class="share" role="img" aria-label="Known share: ${range}" viewBox="0 0 100 4" preserveAspectRatio="none"><rect class="rest" width="100" height="4"/><rect class="open" width="${width(high)}" height="4"/><rect class="known" width="${width(low)}" height="4"/></svg>`;
  const known_ = count(known - gone);
  const source = {
    statistics: `${known_} of the registry’s ${count(registryTotal ?? 0)}`,
    searches: `${known_} companies${registryTotal === null ? '' : `; the registry reports only ${count(registryTotal)}`}; share estimated from searches`,
    // If there is a registry count but no estimate, the count is below the number of known companies.
    nothing:
      registryTotal === null
        ? `${known_} companies; registry count unknown`
        : `${known_} companies; the registry reports only ${count(registryTotal)}`,
  };
  return figure('Coverage', by === 'nothing' ? known_ : range, [
    by !== 'nothing' && bar,
    source[by],
    gone > 0 && `${count(gone)} gone`,
  ]);
}

function width(share: number): number {
  return Math.round(Math.min(1, share) * 1_000) / 10;
}

function calls(snapshot: PageSnapshot, times: Times): Html {
  const { ledger, callsToday } = snapshot;
  const lines = ledger.windows.map((window) => windowText(window, snapshot, times));
  const exhausted =
    ledger.exhausted !== null &&
    html`the registry reported a used-up quota until ${times.brief(ledger.exhausted.untilMs)}`;
  const value = ledger.left === Number.POSITIVE_INFINITY ? 'no limit' : `${count(ledger.left)} left`;
  return figure('Calls', value, [`${counted(callsToday, 'call')} today`, ...lines, exhausted]);
}

function windowText(
  window: WindowState,
  { ledger, hours, firstCallMs, nowMs }: PageSnapshot,
  times: Times,
): Html {
  const { name, limit, spent, left, resetsAtMs } = window;
  const rate = observedRate(hours, { firstCallMs, nowMs });
  const forecast = forecastQuota(window, rate, { windows: ledger.windows, nowMs });
  const text = quotaForecastText(forecast, nowMs, times.zoned);
  // If there is only one window, its quota is already shown.
  const leftText = ledger.windows.length === 1 ? '' : `, ${count(left)} left`;
  const reset = resetsAtMs === null ? null : html`; resets ${times.brief(resetsAtMs)}`;
  return html`${count(spent)} of ${count(limit)} ${windowRow(name).words.per} used${leftText}${reset}${text !== null && `; ${text}`}`;
}

function changes({ week: { new: fresh, changed, gone } }: PageSnapshot): Html {
  return figure('Changed in 7 days', html`<a href="/page/changes">${count(changed)}</a>`, [
    `${counted(fresh, 'new company', 'new companies')}`,
    `${count(gone)} gone`,
  ]);
}
