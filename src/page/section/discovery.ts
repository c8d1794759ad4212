import { byStretch, type Stretch } from '../../report/call_history.ts';
import { counted } from '../../report/figures.ts';
import { numberAxis, timeTicks } from '../chart/axis.ts';
import { bar, chartFigure } from '../chart/chart.ts';
import { html } from '../html.ts';
import { compact } from '../page_figures.ts';
import { defineSection } from './section.ts';

/** New companies per search over time. The yield falls as the coverage grows. */
export const discoverySection = defineSection({
  id: 'discovery',
  title: 'Discovery',
  group: 'charts',
  shownIf: 'filled',
  script: 'charts.js',
  open: () => (snapshot) => snapshot,
  render({ nowMs, calls, stretchMs, firstCallMs }, { id, title, times }) {
    const fromMs = Math.floor((firstCallMs ?? nowMs) / stretchMs) * stretchMs;
    const toMs = Math.max(nowMs, fromMs + stretchMs);
    const searched = byStretch(calls).filter(({ searches }) => searches > 0);
    const axis = numberAxis(Math.max(1, ...searched.map(yieldOf)), compact);
    const at = (atMs: number) => (atMs - fromMs) / (toMs - fromMs);
    const width = Math.min(at(fromMs + stretchMs), 1);
    const last = searched.at(-1);
    return chartFigure({
      id,
      title,
      reading:
        last === undefined
          ? 'no searches yet'
          : html`recently ${yieldText(yieldOf(last))} new companies per search (${counted(last.searches, 'search', 'searches')})`,
      description: 'New companies per search, over time.',
      legend: [{ name: 'new companies per search', tone: 'first' }],
      x: timeTicks(fromMs, toMs, times.zone),
      y: axis.ticks,
      shapes: searched.map((one) =>
        bar(at(one.atMs) + width * 0.1, width * 0.8, 0, yieldOf(one) / axis.top, 'first'),
      ),
      table: {
        head: ['From', 'New per search', 'New companies', 'Searches'],
        rows: searched.map((one) => ({
          at: at(one.atMs) + width / 2,
          cells: [times.text(one.atMs), yieldText(yieldOf(one)), String(one.found), String(one.searches)],
        })),
      },
    });
  },
});

function yieldOf({ found, searches }: Stretch): number {
  return found / searches;
}

function yieldText(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(1);
}
