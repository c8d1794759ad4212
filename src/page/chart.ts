import { count } from '../report/figures.ts';
import { type Html, html } from './html.ts';
import { compact } from './page_figures.ts';

/** A column of a chart's values. */
interface Series {
  readonly name: string;
  /** The bars' colour, which is a CSS class. */
  readonly tone: 'good' | 'second' | 'muted' | 'warn' | 'bad';
}

/** The values of one bar or group of bars. A value is null if a series has none there. */
export interface ChartRow {
  readonly label: string;
  /** The label on the axis, which is shown for only some rows. */
  readonly tick: string;
  readonly values: readonly (number | null)[];
}

/** A chart's bars, its legend and its table all follow from its rows and series. */
interface Chart {
  readonly id: string;
  readonly title: string;
  /** A one-line summary. */
  readonly reading: string;
  readonly rows: readonly ChartRow[];
  readonly series: readonly Series[];
  /** What the rows' labels are, for the table. */
  readonly rowHead: string;
  /** Whether the bars of a row stand side by side. By default, they are stacked. */
  readonly isGrouped?: boolean;
  /** A horizontal line at a value. */
  readonly level?: { readonly value: number; readonly name: string } | null;
}

/**
 * Draws a bar chart with a table of its values. Positions are percentages of the width and height, so that the chart
 * fits any screen while its text stays the same size.
 */
export function chartFigure(chart: Chart): Html {
  const { id, title, reading, rows, series, level = null, isGrouped = false } = chart;
  const heights = rows.map(({ values }) => {
    const numbers = values.map((value) => value ?? 0);
    return isGrouped ? Math.max(...numbers) : sumOf(numbers);
  });
  const step = roundStep(Math.max(1, level?.value ?? 0, ...heights) / MAX_LINES);
  const lines = Math.max(1, Math.ceil(Math.max(level?.value ?? 0, ...heights) / step));
  const y = (value: number) => PLOT.bottom - (value / (step * lines)) * (PLOT.bottom - PLOT.top);
  return html`<figure class="chart" id="${id}">
<figcaption><h3>${title}</h3><p class="note">${reading}</p></figcaption>
<svg class="plot" role="img" aria-label="${title}. ${reading}.">
${Array.from({ length: lines + 1 }, (_, at) => gridLine(y(at * step), compact(at * step)))}
${rows.map((row, at) => bars(chart, row, at, y))}
${ticksOf(rows)}
${level !== null && levelLine(y(level.value), level.name)}</svg>
<p class="legend">${series.map(({ name, tone }) => html`<span><svg><rect class="${tone}" width="100%" height="100%"/></svg> ${name}</span> `)}</p>
${dataTable(chart)}
</figure>`;
}

/** Draws one row's bars. Browsers show the values of all its series at the pointer, wherever in the row it is. */
function bars(
  { rows, series, isGrouped = false }: Chart,
  row: ChartRow,
  at: number,
  y: (value: number) => number,
) {
  const slot = (100 - PLOT.left) / rows.length;
  const width = (slot * 0.8) / (isGrouped ? series.length : 1);
  const left = PLOT.left + (at + 0.1) * slot;
  const shapes = series.map(({ tone }, index) => {
    const value = row.values[index] ?? 0;
    if (value === 0) return null;
    const bottom = isGrouped ? 0 : sumOf(row.values.slice(0, index).map((below) => below ?? 0));
    const x = left + (isGrouped ? index * width : 0);
    return html`<rect class="${tone}" ${area(x, y(bottom + value), width, y(bottom))}/>`;
  });
  const values = series.map(({ name }, index) => `${name} ${text(row.values[index] ?? null)}`);
  return html`<g><title>${row.label}: ${values.join(', ')}</title><rect class="row" ${area(left - slot * 0.1, PLOT.top, slot, PLOT.bottom)}/>${shapes}</g>`;
}

function area(x: number, top: number, width: number, bottom: number): Html {
  return html`x="${share(x)}" y="${share(top)}" width="${share(width)}" height="${share(bottom - top)}"`;
}

function gridLine(at: number, label: string): Html {
  const y = share(at);
  return html`<line x1="${share(PLOT.left)}" x2="100%" y1="${y}" y2="${y}"/><text class="end" x="${share(PLOT.left - 1.5)}" y="${y}" dy="4">${label}</text>`;
}

function levelLine(at: number, name: string): Html {
  const y = share(at);
  return html`<line class="level" x1="${share(PLOT.left)}" x2="100%" y1="${y}" y2="${y}"/><text class="level end" x="100%" y="${y}" dy="-4">${name}</text>`;
}

/** Labels at most six rows, in equal distances. */
function ticksOf(rows: readonly ChartRow[]): Html[] {
  const every = Math.ceil(rows.length / MAX_TICKS);
  const slot = (100 - PLOT.left) / rows.length;
  return rows.flatMap(({ tick }, at) =>
    at % every === Math.floor((every - 1) / 2)
      ? html`<text x="${share(PLOT.left + (at + 0.5) * slot)}" y="98%">${tick}</text>`
      : [],
  );
}

/** Draws a chart's table. End tags that HTML does not require are omitted, because tables are large. */
function dataTable({ title, rowHead, series, rows }: Chart): Html {
  const head = [rowHead, ...series.map(({ name }) => name)];
  return html`<details><summary>Table<span class="unseen"> of ${title}</span></summary>
<div class="scroll tall" tabindex="0" role="region" aria-label="Table of ${title}"><table>
<thead><tr>${head.map((name) => html`<th scope="col">${name}`)}</thead>
<tbody>${rows.map(
    ({ label, values }) =>
      html`<tr><th>${label}${values.map((value) => html`<td class="figure">${text(value)}`)}`,
  )}</table></div></details>`;
}

function text(value: number | null): string {
  return value === null ? '–' : count(value);
}

/** Returns the smallest integer of the form 1, 2, 2.5 or 5 times a power of ten that is at least `minimum`. */
function roundStep(minimum: number): number {
  const power = 10 ** Math.floor(Math.log10(minimum));
  const factor = [1, 2, 2.5, 5, 10].find((one) => one * power >= minimum) ?? 10;
  return Math.max(1, Math.ceil(factor * power));
}

function share(percent: number): string {
  return `${Math.round(percent * 100) / 100}%`;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}

/** The area of the bars, in percent of the chart. */
const PLOT = { left: 10, top: 8, bottom: 88 } as const;
const MAX_LINES = 4;
const MAX_TICKS = 6;
