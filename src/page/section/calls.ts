import {
  byStretch,
  filled,
  OUTCOME_GROUPS,
  type OutcomeGroup,
  type Stretch,
} from '../../report/call_history.ts';
import { count, counted } from '../../report/figures.ts';
import { numberAxis, timeTicks } from '../chart/axis.ts';
import { bar, chartFigure, level, type Tone } from '../chart/chart.ts';
import { type Html, html } from '../html.ts';
import { compact, type Times } from '../page_figures.ts';
import type { Overview } from '../page_reader.ts';
import type { PageSettings } from '../page_settings.ts';

/** Calls of the last hour by the minute, and what became of them. */
export function callsChart({ nowMs, minutes }: Overview, { allowance }: PageSettings, times: Times): Html {
  const toMs = Math.ceil(nowMs / MINUTE_MS) * MINUTE_MS;
  const stretch = { fromMs: toMs - HOUR_MS, toMs, bucketMs: MINUTE_MS };
  const bars = filled(byStretch(minutes), stretch);
  const highest = Math.max(1, ...bars.map(allOf));
  const { perMinute } = allowance;
  const showsLimit = perMinute !== null && perMinute <= highest * 3;
  const axis = numberAxis(showsLimit ? Math.max(highest, perMinute) : highest, compact);
  const made = bars.reduce((sum, { calls }) => sum + calls, 0);
  const slot = 1 / bars.length;
  return chartFigure({
    id: 'calls',
    title: 'Calls a minute',
    reading: html`${counted(made, 'call')} in the last hour${perMinute !== null && html`; the limit is ${count(perMinute)} a minute`}`,
    description: `${counted(made, 'call')} in the last hour, by minute and outcome.`,
    legend: OUTCOME_GROUPS.map((group) => ({ name: group, tone: TONES[group] })),
    x: timeTicks(stretch.fromMs, toMs, times.zone),
    y: axis.ticks,
    marks: [
      ...bars.flatMap((one, at) => stacked(one, (at + 0.1) * slot, 0.8 * slot, axis.top)),
      showsLimit ? level(perMinute / axis.top, `${count(perMinute)} a minute`) : html``,
    ],
    table: {
      head: ['Minute', ...OUTCOME_GROUPS],
      rows: bars
        .map((one, at) => ({ one, at: (at + 0.5) * slot }))
        .filter(({ one }, at) => allOf(one) > 0 || at === bars.length - 1)
        .map(({ one, at }) => ({
          at,
          cells: [times.text(one.atMs), ...OUTCOME_GROUPS.map((group) => count(one.byGroup[group]))],
        })),
    },
  });
}

function stacked({ byGroup }: Stretch, at: number, width: number, top: number): Html[] {
  let below = 0;
  return OUTCOME_GROUPS.map((group) => {
    const from = below;
    below += byGroup[group];
    return bar(at, width, from / top, below / top, TONES[group]);
  });
}

function allOf({ byGroup }: Stretch): number {
  return OUTCOME_GROUPS.reduce((sum, group) => sum + byGroup[group], 0);
}

const TONES: Readonly<Record<OutcomeGroup, Tone>> = {
  answered: 'first',
  rejected: 'warn',
  failed: 'bad',
  unsent: 'muted',
};
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
