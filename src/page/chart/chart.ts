import { type Html, html, type Part } from '../html.ts';
import type { Tick } from './axis.ts';

/** A series' colour. Each tone is a CSS class with one colour each for light mode, dark mode and paper. */
export type Tone = 'first' | 'second' | 'muted' | 'warn' | 'bad';

/** A point in a chart. Both values are from 0 to 1, and `up` is measured from the bottom. */
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
  /** A one-line summary. While the user reads the chart, the values at the pointer or cursor replace it. */
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
 * Draws a chart with a table of its values or, to keep the page small, with a link to the table. All tables together
 * are as large as the rest of the page. Positions are percentages of the width and height, so that the chart fits any
 * screen while its text stays the same size.
 */
export function chartFigure(chart: Chart, hasTable: boolean): Html {
  const { id, title, reading, description, legend, x, y, shapes, table } = chart;
  return html`<figure class="chart" id="${id}" data-live>
<figcaption><h3>${title}</h3><p class="reading" aria-live="polite"><span>${reading}</span></p></figcaption>
<div class="plot" role="img" tabindex="0" aria-label="${title}. ${description}">
<svg class="y">${y.map(yLabel)}</svg>
<svg class="area">${gridLines(y)}${shapes}</svg>
<svg class="x">${x.map(xLabel)}</svg>
</div>
<ul class="legend">${legend.map(({ name, tone }) => html`<li class="${tone}">${name}</li>`)}</ul>
${hasTable ? dataTable(title, table) : html`<p class="table"><a href="/?tables=1#${id}">Table<span class="unseen"> of ${title}</span></a></p>`}
</figure>`;
}

/** Draws a line through the points. With `isStep`, each value stays constant until the next point. */
export function line(
  points: readonly ChartPoint[],
  tone: Tone,
  options: { isStep?: boolean; isForecast?: boolean } = {},
): Html {
  const { isStep = false, isForecast = false } = options;
  const style = isForecast ? `line ${tone} forecast` : `line ${tone}`;
  return stretched(html`<path class="${style}" d="${pathOf(points, isStep)}"/>`);
}

/** Fills the area below a line. */
export function surface(points: readonly ChartPoint[], tone: Tone): Html {
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return html``;
  const down = `V${UNITS}H${unitsOf(first.at)}Z`;
  return stretched(html`<path class="surface ${tone}" d="${pathOf(points, false)}${down}"/>`);
}

/** A bar around the position `at`, from `bottom` to `top`. All values are from 0 to 1. */
export interface Bar {
  readonly at: number;
  readonly bottom: number;
  readonly top: number;
}

/**
 * Draws all bars in one tone as a single path of thick lines, because a rectangle for each bar would take five times as
 * many bytes.
 */
export function bars(all: readonly Bar[], tone: Tone, width: number): Html {
  const path = all
    .filter(({ bottom, top }) => top > bottom)
    .map(({ at, bottom, top }) => `M${unitsOf(at)} ${unitsOf(1 - bottom)}V${unitsOf(1 - top)}`);
  if (path.length === 0) return html``;
  return stretched(
    html`<path class="bar ${tone}" stroke-width="${unitsOf(width, 1)}" d="${path.join('')}"/>`,
  );
}

/** Draws a horizontal line with a label, at a height from 0 to 1. */
export function horizontalRule(up: number, name: string): Html {
  const y = share(1 - up);
  return html`<line class="level" x2="100%" y1="${y}" y2="${y}"/><text class="level" x="100%" y="${y}" dy="-4">${name}</text>`;
}

/** Draws a vertical line with a label, at a position from 0 to 1. */
export function verticalRule(at: number, name: string): Html {
  const x = share(at);
  const side = at > 0.7 ? html` class="level"` : html` class="level begins"`;
  return html`<line class="level" y2="100%" x1="${x}" x2="${x}"/><text${side} x="${x}" y="0" dx="${at > 0.7 ? -5 : 5}" dy="11">${name}</text>`;
}

/** Patterns that distinguish tones without colour. The style sheet refers to them. */
export const HATCHING: Html = html`<svg class="unseen" aria-hidden="true"><defs>${[
  { id: 'hatch-second', path: 'M0 0H6' },
  { id: 'hatch-warn', path: 'M0 6L6 0' },
  { id: 'hatch-bad', path: 'M0 0L6 6M0 6L6 0' },
].map(
  ({ id, path }) =>
    // The scale roughly compensates for the stretching of the bars.
    html`<pattern id="${id}" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="scale(2 6)"><rect width="6" height="6"/><path d="${path}"/></pattern>`,
)}</defs></svg>`;

/**
 * Draws a chart's table. End tags that HTML does not require are omitted, because tables make up a large part of the
 * page.
 */
function dataTable(title: string, { head, rows }: ChartTable): Html {
  return html`<details><summary>Table<span class="unseen"> of ${title}</span></summary>
<div class="scroll tall" tabindex="0" role="region" aria-label="Table of ${title}"><table class="data">
<thead><tr>${head.map((name) => html`<th scope="col">${name}`)}</thead>
<tbody>${rows.map(
    ({ at, cells: [first = '', ...others] }) =>
      html`<tr data-at="${round(at)}"><th>${first}${others.map((cell) => html`<td>${cell}`)}`,
  )}</table></div></details>`;
}

/** SVG paths do not support percentages, so they are drawn in units and stretched to the chart's size. */
function stretched(path: Html): Html {
  return html`<svg viewBox="0 0 ${UNITS} ${UNITS}" preserveAspectRatio="none">${path}</svg>`;
}

/** Returns the path through the points. It uses relative coordinates, which have fewer digits. */
function pathOf(points: readonly ChartPoint[], isStep: boolean): string {
  let [x, y] = [0, 0];
  return points
    .map(({ at, up }, index) => {
      const [nextX, nextY] = [unitsOf(at), unitsOf(1 - up)];
      const [right, down] = [nextX - x, nextY - y];
      [x, y] = [nextX, nextY];
      if (index === 0) return `M${x} ${y}`;
      if (isStep || right === 0 || down === 0)
        return `${right === 0 ? '' : `h${right}`}${down === 0 ? '' : `v${down}`}`;
      return `l${right} ${down}`;
    })
    .join('');
}

function yLabel({ at, label }: Tick): Html {
  return html`<text x="100%" y="${share(1 - at)}">${label}</text>`;
}

function gridLines(ticks: readonly Tick[]): Html {
  const path = ticks.map(({ at }) => `M0 ${unitsOf(1 - at)}H${UNITS}`).join('');
  return stretched(html`<path class="grid" d="${path}"/><path class="base" d="M0 ${UNITS}H${UNITS}"/>`);
}

function xLabel({ at, label, isMinor = false }: Tick): Html {
  const side = at < 0.04 ? 'first' : at > 0.96 ? 'last' : isMinor && 'minor';
  return html`<text${side !== false && html` class="${side}"`} x="${share(at)}">${label}</text>`;
}

function share(value: number): string {
  return `${round(value * 100, 2)}%`;
}

function round(value: number, digits = 3): string {
  return String(Math.round(value * 10 ** digits) / 10 ** digits);
}

/** Converts a share of a chart's width or height to units. One unit is less than a pixel. */
function unitsOf(value: number, digits = 0): number {
  return Number(round(value * UNITS, digits));
}

const UNITS = 1_000;
