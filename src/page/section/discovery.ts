import { byStretch, type Stretch } from '../../report/call_history.ts';
import { counted } from '../../report/figures.ts';
import { numberAxis, timeTicks } from '../chart/axis.ts';
import { bar, chartFigure } from '../chart/chart.ts';
import { type Html, html } from '../html.ts';
import { compact, type Times } from '../page_figures.ts';
import type { Overview } from '../page_reader.ts';

/** What a search brings: it falls as the registry becomes known. */
export function discoveryChart({ nowMs, calls, stretchMs, firstCallMs }: Overview, times: Times): Html {
  const fromMs = Math.floor((firstCallMs ?? nowMs) / stretchMs) * stretchMs;
  const toMs = Math.max(nowMs, fromMs + stretchMs);
  const searched = byStretch(calls).filter(({ searches }) => searches > 0);
  const axis = numberAxis(Math.max(1, ...searched.map(yieldOf)), compact);
  const at = (atMs: number) => (atMs - fromMs) / (toMs - fromMs);
  const width = Math.min(at(fromMs + stretchMs), 1);
  const last = searched.at(-1);
  return chartFigure({
    id: 'discovery',
    title: 'Discovery',
    reading:
      last === undefined
        ? 'no search was answered yet'
        : html`lately ${written(yieldOf(last))} new companies a search, over ${counted(last.searches, 'search', 'searches')}`,
    description: 'New companies that a search brought, over time.',
    legend: [{ name: 'new companies a search', tone: 'first' }],
    x: timeTicks(fromMs, toMs, times.zone),
    y: axis.ticks,
    marks: searched.map((one) =>
      bar(at(one.atMs) + width * 0.1, width * 0.8, 0, yieldOf(one) / axis.top, 'first'),
    ),
    table: {
      head: ['From', 'New a search', 'New companies', 'Searches'],
      rows: searched.map((one) => ({
        at: at(one.atMs) + width / 2,
        cells: [times.text(one.atMs), written(yieldOf(one)), String(one.found), String(one.searches)],
      })),
    },
  });
}

function yieldOf({ found, searches }: Stretch): number {
  return found / searches;
}

function written(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(1);
}
