import {
  byStretch,
  filled,
  OUTCOME_GROUPS,
  type OutcomeGroup,
  type Stretch,
} from '../../report/call_history.ts';
import { count, counted } from '../../report/figures.ts';
import { callBuckets } from '../../warehouse/page_queries.ts';
import { numberAxis, timeTicks } from '../chart/axis.ts';
import { bar, chartFigure, horizontalRule, type Tone } from '../chart/chart.ts';
import { type Html, html } from '../html.ts';
import { compact } from '../page_figures.ts';
import { defineSection } from './section.ts';

/** Calls of the last hour by minute and outcome. */
export const callsSection = defineSection({
  id: 'calls',
  title: 'Calls per minute',
  group: 'charts',
  shownIf: 'always',
  script: 'charts.js',
  open({ db }) {
    const readBuckets = callBuckets(db);
    return ({ nowMs }) => ({
      nowMs,
      minutes: readBuckets({ fromMs: nowMs - HOUR_MS, toMs: nowMs + HOUR_MS, bucketMs: MINUTE_MS }),
    });
  },
  render({ nowMs, minutes }, { id, title, settings, times }) {
    const toMs = Math.ceil(nowMs / MINUTE_MS) * MINUTE_MS;
    const stretch = { fromMs: toMs - HOUR_MS, toMs, bucketMs: MINUTE_MS };
    const bars = filled(byStretch(minutes), stretch);
    const highest = Math.max(1, ...bars.map(countAll));
    const { perMinute } = settings.allowance;
    const showsLimit = perMinute !== null && perMinute <= highest * 3;
    const axis = numberAxis(showsLimit ? Math.max(highest, perMinute) : highest, compact);
    const made = bars.reduce((sum, { calls }) => sum + calls, 0);
    const slot = 1 / bars.length;
    return chartFigure({
      id,
      title,
      reading: html`${counted(made, 'call')} in the last hour${perMinute !== null && html`; limit: ${count(perMinute)} per minute`}`,
      description: `${counted(made, 'call')} in the last hour, by minute and outcome.`,
      legend: OUTCOME_GROUPS.map((group) => ({ name: group, tone: TONES[group] })),
      x: timeTicks(stretch.fromMs, toMs, times.zone),
      y: axis.ticks,
      shapes: [
        ...bars.flatMap((one, at) => stackedBars(one, (at + 0.1) * slot, 0.8 * slot, axis.top)),
        showsLimit ? horizontalRule(perMinute / axis.top, `${count(perMinute)} per minute`) : html``,
      ],
      table: {
        head: ['Minute', ...OUTCOME_GROUPS],
        rows: bars
          .map((one, at) => ({ one, at: (at + 0.5) * slot }))
          .filter(({ one }, at) => countAll(one) > 0 || at === bars.length - 1)
          .map(({ one, at }) => ({
            at,
            cells: [times.text(one.atMs), ...OUTCOME_GROUPS.map((group) => count(one.byGroup[group]))],
          })),
      },
    });
  },
});

function stackedBars({ byGroup }: Stretch, at: number, width: number, top: number): Html[] {
  let below = 0;
  return OUTCOME_GROUPS.map((group) => {
    const from = below;
    below += byGroup[group];
    return bar(at, width, from / top, below / top, TONES[group]);
  });
}

function countAll({ byGroup }: Stretch): number {
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
