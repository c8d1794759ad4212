import { count } from '../../report/figures.ts';
import type { Html } from '../html.ts';
import { compact, type Times } from '../page_figures.ts';
import { numberAxis, timeTicks } from './axis.ts';
import { bars, type Chart, chartFigure, horizontalRule, type Tone } from './chart.ts';
import type { Periods } from './periods.ts';

/** A bar in each period. */
export interface Series {
  readonly name: string;
  readonly tone: Tone;
  /** The series' value in each period. */
  readonly values: readonly number[];
}

export interface PeriodChart extends Pick<Chart, 'id' | 'title' | 'reading' | 'description'> {
  readonly periods: Periods;
  readonly series: readonly Series[];
  /** Whether the bars of one period are stacked or stand side by side. */
  readonly bars: 'stacked' | 'side_by_side';
  /** A horizontal line at this value, with a label. */
  readonly limit?: { readonly at: number; readonly name: string };
}

/** Draws a chart with bars for consecutive periods, and a table of their values. */
export function periodChart(
  { periods, series, limit, bars: order, ...chart }: PeriodChart,
  { times, hasTables }: { readonly times: Times; readonly hasTables: boolean },
): Html {
  const slot = 1 / periods.starts.length;
  const valuesAt = (at: number) => series.map(({ values }) => values[at] ?? 0);
  const heights = periods.starts.map((_, at) =>
    order === 'stacked' ? sumOf(valuesAt(at)) : Math.max(...valuesAt(at)),
  );
  const { top, ticks } = numberAxis(Math.max(1, ...heights, limit?.at ?? 0), compact);
  const barsOf = ({ values, tone }: Series, index: number) =>
    bars(
      values.map((value, at) => {
        const bottom = order === 'stacked' ? sumOf(valuesAt(at).slice(0, index)) : 0;
        return { at: (at + centreOf(index)) * slot, bottom: bottom / top, top: (bottom + value) / top };
      }),
      tone,
      (order === 'stacked' ? 0.8 : GROUP / series.length - 0.02) * slot,
    );
  const centreOf = (index: number) =>
    order === 'stacked' ? 0.5 : (1 - GROUP) / 2 + ((index + 0.5) * GROUP) / series.length;
  return chartFigure(
    {
      ...chart,
      legend: series.map(({ name, tone }) => ({ name, tone })),
      x: timeTicks(periods.starts[0] ?? 0, periods.endMs, times.zone),
      y: ticks,
      shapes: [
        ...series.map(barsOf),
        ...(limit === undefined ? [] : [horizontalRule(limit.at / top, limit.name)]),
      ],
      table: {
        head: ['From', ...series.map(({ name }) => name)],
        rows: periods.starts.map((atMs, at) => ({
          at: (at + 0.5) * slot,
          cells: [times.text(atMs), ...valuesAt(at).map((value) => count(value))],
        })),
      },
    },
    hasTables,
  );
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}

/** The share of a period's width that its bars take. */
const GROUP = 0.81;
