import type { WindowState } from '../../allowance/ledger.ts';
import { windowLengthMs, windowRow } from '../../allowance/window_table.ts';
import { DAY_MS } from '../../durations.ts';
import { byStretch } from '../../report/call_history.ts';
import { count, counted } from '../../report/figures.ts';
import { chartFigure } from '../chart.ts';
import { type Html, html } from '../html.ts';
import { endValues, inPeriods, periodRows, periodsOf } from '../periods.ts';
import type { Section, SectionContext } from './section.ts';

/** The remaining quota in each allowance window over time. The key figures have the forecast. */
export const allowanceSection: Section = {
  id: 'allowance',
  title: 'Allowance',
  group: 'charts',
  shownIf: 'always',
  draw(context, section) {
    const { windows, spentEver } = context.snapshot.allowance.scheduled;
    // Short windows are omitted, because the key figures already show their quota.
    const long = windows.filter(({ name }) => windowLengthMs(windowRow(name)) > DAY_MS);
    const shown = long.length === 0 ? windows.slice(0, 1) : long;
    if (shown.length > 0) return shown.map((window) => quotaLeft(window, context, section));
    return html`<article id="${section.id}"><h3>${section.title}</h3><p>No allowance is configured, so only the rate is limited. Calls so far: ${count(spentEver)}.</p></article>`;
  },
};

function quotaLeft(window: WindowState, { snapshot, times }: SectionContext, { id, title }: Section): Html {
  const { nowMs, range, firstCallMs, hours } = snapshot;
  const { name, limit, spent, sinceMs } = window;
  const left = Math.max(0, limit - spent);
  const fromMs = Math.max(sinceMs, firstCallMs ?? nowMs);
  const periods = periodsOf(range ?? 'all', fromMs, nowMs, times.zone);
  const calls = inPeriods(periods, byStretch(hours), ({ atMs }) => atMs).map((own) =>
    own.reduce((sum, stretch) => sum + stretch.calls, 0),
  );
  const used = endValues(spent, calls);
  const firstAt = periods.starts.findLastIndex((startMs) => startMs <= fromMs);
  return chartFigure({
    id: `${id}-${name}`,
    title: `${title}: ${counted(limit, 'call')} ${windowRow(name).words.per}`,
    reading: `${count(left)} of ${count(limit)} left`,
    series: [{ name: 'calls left', tone: 'good' }],
    ...periodRows(
      periods,
      used.map((spentThen, at) => [at < firstAt ? null : Math.max(0, limit - spentThen)]),
      times,
    ),
  });
}
