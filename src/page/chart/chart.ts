import { count } from '../../report/figures.ts';
import { type Html, html, type Part } from '../html.ts';
import { compact } from '../page_figures.ts';
import { numberAxis, type Tick } from './axis.ts';

/** A column of a chart's values. */
export interface Series {
  readonly name: string;
  readonly tone: Tone;
  /** A `step` keeps each value until the next one. An `area` is a line with a filled surface below it. */
  readonly as: 'bar' | 'line' | 'step' | 'area' | 'forecast';
}

/** A series' colour. Each tone is a CSS class with one colour each for light mode, dark mode and paper. */
type Tone = 'good' | 'second' | 'muted' | 'warn' | 'bad';

/** The values at one position, which is from 0 (left) to 1. A value is null if a series has none there. */
export interface ChartRow {
  readonly at: number;
  readonly label: string;
  readonly values: readonly (number | null)[];
}

/** A chart's shapes, its legend and its table all follow from its rows and series. */
export interface Chart {
  readonly id: string;
  readonly title: string;
  /** A one-line summary. While the user reads the chart, the values at the pointer or cursor replace it. */
  readonly reading: string;
  readonly rows: readonly ChartRow[];
  readonly series: readonly Series[];
  /** What the rows' labels are, for the table. */
  readonly rowHead: string;
  readonly ticks: readonly Tick[];
  /** Whether the bars of a row stand side by side. By default, they are stacked. */
  readonly isGrouped?: boolean;
  /** A horizontal line at a value. */
  readonly limit?: { readonly value: number; readonly name: string } | null;
  /** A vertical line at a position. */
  readonly mark?: { readonly at: number; readonly name: string };
}

/**
 * Draws a chart with a table of its values. Positions are percentages of the width and height, so that the chart fits
 * any screen while its text stays the same size.
 */
export function chartFigure(chart: Chart): Html {
  const { id, title, reading, rows, series, ticks, limit = null, mark, isGrouped = false } = chart;
  const bars = series.flatMap(({ as }, at) => (as === 'bar' ? [at] : []));
  const heights = rows.map(({ values }) =>
    isGrouped || bars.length === 0
      ? Math.max(...values.map((value) => value ?? 0))
      : sumOf(bars.map((at) => values[at] ?? 0)),
  );
  const axis = numberAxis(Math.max(1, limit?.value ?? 0, ...heights), compact);
  const shapes = series.map((one, at) =>
    one.as === 'bar'
      ? barsOf(rows, { at, bars, isGrouped }, one.tone, axis.top)
      : lineOf(rows, at, one, axis.top),
  );
  return html`<figure class="chart" id="${id}" data-live>
<figcaption><h3>${title}</h3><p class="reading" aria-live="polite"><span>${reading}</span></p></figcaption>
<div class="plot" role="img" tabindex="0" aria-label="${title}. ${reading}.">
<svg class="y">${axis.ticks.map(({ at, label }) => html`<text x="100%" y="${share(1 - at)}">${label}</text>`)}</svg>
<svg class="area">${gridLines(axis.ticks)}${shapes}${limit !== null && horizontalRule(limit.value / axis.top, limit.name)}${mark !== undefined && verticalRule(mark.at, mark.name)}</svg>
<svg class="x">${ticks.map(xLabel)}</svg>
</div>
<ul class="legend">${series.map(({ name, tone }) => html`<li class="${tone}">${name}</li>`)}</ul>
${dataTable(chart)}
</figure>`;
}

/** Patterns that distinguish tones without colour. The style sheet refers to them. */
export const HATCHING: Html = html`<svg class="unseen" aria-hidden="true"><defs>${[
  { tone: 'second', path: 'M0 0H6' },
  { tone: 'warn', path: 'M0 6L6 0' },
  { tone: 'bad', path: 'M0 0L6 6M0 6L6 0' },
].map(
  ({ tone, path }) =>
    // The scale roughly compensates for the stretching of the bars.
    html`<pattern class="${tone}" id="hatch-${tone}" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="scale(2 6)"><rect width="6" height="6"/><path d="${path}"/></pattern>`,
)}</defs></svg>`;

/** Draws a line through the values of one series. */
function lineOf(rows: readonly ChartRow[], at: number, { tone, as }: Series, top: number): Part {
  const points = rows.flatMap((row) => {
    const value = row.values[at] ?? null;
    return value === null ? [] : [{ x: unitsOf(row.at), y: unitsOf(1 - value / top) }];
  });
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return null;
  const path = pathThrough(points, as === 'step');
  const surface = html`<path class="surface" d="${path}V${UNITS}H${first.x}Z"/>`;
  return stretched(
    html`${as === 'area' && surface}<path class="${tone}${as === 'forecast' && ' forecast'}" d="${path}"/>`,
  );
}

/** Returns the path through the points. It uses relative coordinates, which have fewer digits. */
function pathThrough(points: readonly { readonly x: number; readonly y: number }[], isStep: boolean): string {
  return points
    .map(({ x, y }, index) => {
      const before = points[index - 1];
      if (before === undefined) return `M${x} ${y}`;
      const [right, down] = [x - before.x, y - before.y];
      if (!isStep && right !== 0 && down !== 0) return `l${right} ${down}`;
      return `${right === 0 ? '' : `h${right}`}${down === 0 ? '' : `v${down}`}`;
    })
    .join('');
}

/**
 * Draws all bars of one series as a single path of thick lines, because a rectangle for each bar would take five times
 * as many bytes.
 */
function barsOf(
  rows: readonly ChartRow[],
  { at, bars, isGrouped }: { at: number; bars: readonly number[]; isGrouped: boolean },
  tone: Tone,
  top: number,
): Part {
  const slot = 1 / rows.length;
  const width = isGrouped ? 0.8 / bars.length : 0.8;
  const offset = isGrouped ? (bars.indexOf(at) + 0.5) * width - 0.4 : 0;
  const below = isGrouped ? [] : bars.slice(0, bars.indexOf(at));
  const path = rows.map((row) => {
    const value = row.values[at] ?? 0;
    const bottom = sumOf(below.map((other) => row.values[other] ?? 0));
    const x = unitsOf(row.at + offset * slot);
    return value > 0 ? `M${x} ${unitsOf(1 - bottom / top)}V${unitsOf(1 - (bottom + value) / top)}` : '';
  });
  const thickness = unitsOf((width - (isGrouped ? 0.03 : 0)) * slot, 1);
  return stretched(html`<path class="bar ${tone}" stroke-width="${thickness}" d="${path.join('')}"/>`);
}

function horizontalRule(up: number, name: string): Html {
  const y = share(1 - up);
  return html`<line class="level" x2="100%" y1="${y}" y2="${y}"/><text class="level end" x="100%" y="${y}" dy="-4">${name}</text>`;
}

function verticalRule(at: number, name: string): Html {
  const x = share(at);
  const isRight = at > 0.7;
  return html`<line class="level" y2="100%" x1="${x}" x2="${x}"/><text class="level ${isRight ? 'end' : 'begin'}" x="${x}" dx="${isRight ? -5 : 5}" dy="11">${name}</text>`;
}

/** Draws a chart's table. End tags that HTML does not require are omitted, because tables are large. */
function dataTable({ title, rowHead, series, rows }: Chart): Html {
  const head = [rowHead, ...series.map(({ name }) => name)];
  return html`<details class="table"><summary>Table<span class="unseen"> of ${title}</span></summary>
<div class="scroll tall" tabindex="0" role="region" aria-label="Table of ${title}"><table class="data">
<thead><tr>${head.map((name) => html`<th scope="col">${name}`)}</thead>
<tbody>${rows.map(
    ({ at, label, values }) =>
      html`<tr data-at="${round(at, 3)}"><th>${label}${values.map((value) => html`<td>${value === null ? '–' : count(value)}`)}`,
  )}</table></div></details>`;
}

/** SVG paths do not support percentages, so they are drawn in units and stretched to the chart's size. */
function stretched(path: Html): Html {
  return html`<svg viewBox="0 0 ${UNITS} ${UNITS}" preserveAspectRatio="none">${path}</svg>`;
}

function gridLines(ticks: readonly Tick[]): Html {
  const path = ticks.map(({ at }) => `M0 ${unitsOf(1 - at)}H${UNITS}`).join('');
  return stretched(html`<path class="grid" d="${path}"/><path class="muted" d="M0 ${UNITS}H${UNITS}"/>`);
}

function xLabel({ at, label, isMinor = false }: Tick): Html {
  const side = at < 0.04 ? 'begin' : at > 0.96 ? 'end' : isMinor && 'minor';
  return html`<text${side !== false && html` class="${side}"`} x="${share(at)}">${label}</text>`;
}

function share(value: number): string {
  return `${round(value * 100, 2)}%`;
}

function round(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}

/** Converts a share of a chart's width or height to units. One unit is less than a pixel. */
function unitsOf(value: number, digits = 0): number {
  return round(value * UNITS, digits);
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}

const UNITS = 1_000;
