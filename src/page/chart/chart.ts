import { type Html, html, type Part } from '../html.ts';
import type { Tick } from './axis.ts';

/** The colour of a series. Each tone is a CSS class with a colour for light mode, dark mode and paper. */
export type Tone = 'first' | 'second' | 'muted' | 'warn' | 'bad';

/** A point in a chart. Both values are from 0 to 1; `up` is measured from the bottom. */
export interface ChartPoint {
  readonly at: number;
  readonly up: number;
}

export interface ChartTable {
  readonly head: readonly string[];
  /**
   * `at` is the row's horizontal position in the chart, from 0 to 1. The chart shows this row when the pointer is at
   * that position.
   */
  readonly rows: readonly { readonly at: number; readonly cells: readonly string[] }[];
}

export interface Chart {
  readonly id: string;
  readonly title: string;
  /**
   * A summary in one line. While the user points at the chart, the values at the pointer or cursor are shown instead.
   */
  readonly reading: Part;
  /** A description of the chart for screen readers. */
  readonly description: string;
  readonly legend: readonly { readonly name: string; readonly tone: Tone }[];
  readonly x: readonly Tick[];
  readonly y: readonly Tick[];
  /** Lines, surfaces and bars. Later shapes are drawn over earlier ones. */
  readonly shapes: readonly Html[];
  readonly table: ChartTable;
}

/**
 * A chart with a table of its values, or with a link to the table, because all tables together are as large as the rest
 * of the page. Positions are percentages of the width and height, so that the chart fits any screen while its text has
 * a constant size.
 */
export function chartFigure(chart: Chart, hasTable: boolean): Html {
  const { id, title, reading, description, legend, x, y, shapes, table } = chart;
  return html`<figure class="chart" id="${id}" data-live>
<figcaption><h3>${title}</h3><p class="reading" aria-live="polite"><span>${reading}</span></p></figcaption>
<div class="plot" role="img" tabindex="0" aria-label="${title}. ${description}">
<svg class="y" aria-hidden="true">${y.map(yLabel)}</svg>
<svg class="area" aria-hidden="true">${y.map(gridLine)}${shapes}</svg>
<svg class="x" aria-hidden="true">${x.map(xLabel)}</svg>
</div>
<ul class="legend">${legend.map(({ name, tone }) => html`<li class="${tone}">${name}</li>`)}</ul>
${hasTable ? dataTable(title, table) : html`<p class="table"><a href="/?tables=1#${id}">Table<span class="unseen"> of ${title}</span></a></p>`}
</figure>`;
}

/** A line through the points; with `isStep`, each value is constant until the next point. */
export function line(
  points: readonly ChartPoint[],
  tone: Tone,
  options: { isStep?: boolean; isForecast?: boolean } = {},
): Html {
  const { isStep = false, isForecast = false } = options;
  const style = isForecast ? `line ${tone} forecast` : `line ${tone}`;
  return stretched(html`<path class="${style}" d="${pathOf(points, isStep)}"/>`);
}

/** The filled surface below a line. */
export function surface(points: readonly ChartPoint[], tone: Tone): Html {
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return html``;
  const down = `V${UNITS}H${round(first.at * UNITS)}Z`;
  return stretched(html`<path class="surface ${tone}" d="${pathOf(points, false)}${down}"/>`);
}

/** A bar from `bottom` to `top`. All positions and sizes are from 0 to 1. */
export function bar(at: number, width: number, bottom: number, top: number, tone: Tone): Html {
  if (top <= bottom) return html``;
  return html`<rect class="bar ${tone}" x="${share(at)}" width="${share(width)}" y="${share(1 - top)}" height="${share(top - bottom)}"/>`;
}

/**
 * Draws many bars without hatching as one path, because a separate rectangle for each of 60 days would make the page
 * much larger.
 */
export function solidBars(
  bars: readonly {
    readonly at: number;
    readonly width: number;
    readonly bottom: number;
    readonly top: number;
  }[],
  tone: 'first' | 'muted',
): Html {
  const unit = (value: number) => round(value * UNITS, 1);
  const path = bars
    .filter(({ bottom, top }) => top > bottom)
    .map(
      ({ at, width, bottom, top }) =>
        `M${unit(at)} ${unit(1 - top)}h${unit(width)}v${unit(top - bottom)}h${unit(-width)}z`,
    );
  return path.length === 0 ? html`` : stretched(html`<path class="bar ${tone}" d="${path.join('')}"/>`);
}

/** A horizontal line with a label, at a height from 0 to 1. */
export function horizontalRule(up: number, name: string): Html {
  const y = share(1 - up);
  return html`<line class="level" x1="0" x2="100%" y1="${y}" y2="${y}"/><text class="level" x="100%" y="${y}" dy="-4">${name}</text>`;
}

/** A vertical line with a label, at a position from 0 to 1. */
export function verticalRule(at: number, name: string): Html {
  const x = share(at);
  const side = at > 0.7 ? html` class="level"` : html` class="level begins"`;
  return html`<line class="level" y1="0" y2="100%" x1="${x}" x2="${x}"/><text${side} x="${x}" y="0" dx="${at > 0.7 ? -5 : 5}" dy="11">${name}</text>`;
}

/** Patterns by which tones can be distinguished without colour. The style sheet refers to them. */
export const HATCHING: Html = html`<svg class="unseen" aria-hidden="true"><defs>${[
  { id: 'hatch-second', path: 'M0 0H6' },
  { id: 'hatch-warn', path: 'M0 6L6 0' },
  { id: 'hatch-bad', path: 'M0 0L6 6M0 6L6 0' },
].map(
  ({ id, path }) =>
    html`<pattern id="${id}" width="6" height="6" patternUnits="userSpaceOnUse"><rect width="6" height="6"/><path d="${path}"/></pattern>`,
)}</defs></svg>`;

/** Omits end tags that HTML does not require, because tables are a large part of the page. */
function dataTable(title: string, { head, rows }: ChartTable): Html {
  return html`<details><summary>Table<span class="unseen"> of ${title}</span></summary>
<div class="scroll tall" tabindex="0" role="region" aria-label="Table of ${title}"><table class="data">
<thead><tr>${head.map((name) => html`<th scope="col">${name}`)}</thead>
<tbody>${rows.map(
    ({ at, cells: [first = '', ...others] }) =>
      html`<tr data-at="${round(at)}"><th>${first}${others.map((cell) => html`<td>${cell}`)}`,
  )}</table></div></details>`;
}

/** SVG paths do not support percentages, so they are drawn in units and stretched to the size of the chart. */
function stretched(path: Html): Html {
  return html`<svg viewBox="0 0 ${UNITS} ${UNITS}" preserveAspectRatio="none" width="100%" height="100%">${path}</svg>`;
}

function pathOf(points: readonly ChartPoint[], isStep: boolean): string {
  return points
    .map(({ at, up }, index) => {
      const [x, y] = [round(at * UNITS, 1), round((1 - up) * UNITS, 1)];
      if (index === 0) return `M${x} ${y}`;
      return isStep ? `H${x}V${y}` : `L${x} ${y}`;
    })
    .join('');
}

function yLabel({ at, label }: Tick): Html {
  return html`<text x="100%" y="${share(1 - at)}" dx="-8" dy="4">${label}</text>`;
}

function gridLine({ at }: Tick): Html {
  const y = share(1 - at);
  return html`<line class="${at === 0 ? 'base' : 'grid'}" x1="0" x2="100%" y1="${y}" y2="${y}"/>`;
}

function xLabel({ at, label, isMinor = false }: Tick): Html {
  const anchor = at < 0.04 ? 'start' : at > 0.96 ? 'end' : 'middle';
  return html`<text${isMinor && html` class="minor"`} x="${share(at)}" y="1.2em" text-anchor="${anchor}">${label}</text>`;
}

function share(value: number): string {
  return `${round(value * 100, 2)}%`;
}

function round(value: number, digits = 3): string {
  return String(Math.round(value * 10 ** digits) / 10 ** digits);
}

const UNITS = 1_000;
