import stringWidth from 'string-width';

/** One column of a table. */
export interface Column {
  readonly header: string;
  readonly align?: 'left' | 'right';
  /** May be cut, with an ellipsis, where the terminal is narrow; else it is shown whole. */
  readonly shrinks?: boolean;
  /** To how many columns it may be cut; 8 where nothing is said. Before that, what is optional is left out. */
  readonly least?: number;
  /** May be left out where cutting is not enough; the last such column goes first. */
  readonly optional?: boolean;
}

/** Lines of a table, its header first, none wider than `columns`; two spaces between cells, no borders. */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): string[] {
  const cells = [columns.map(({ header }) => header), ...rows.map((row) => row.map(printable))];
  const shown = chosen(columns, cells, width);
  const widths = widthsOf(shown, columns, cells, width);
  return cells.map((row) =>
    shown
      .map((at, place) => {
        const cell = fitted(row[at] ?? '', widths[place] ?? 0);
        const padding = ' '.repeat(Math.max(0, (widths[place] ?? 0) - stringWidth(cell)));
        return columns[at]?.align === 'right' ? padding + cell : cell + padding;
      })
      .join(GAP)
      .trimEnd(),
  );
}

/** The text cut to so many terminal columns, with an ellipsis where something is missing. */
export function fitted(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let cut = '';
  let used = 0;
  for (const { segment } of GRAPHEMES.segment(text)) {
    used += stringWidth(segment);
    if (used > width - 1) break;
    cut += segment;
  }
  return width < 1 ? '' : `${cut}…`;
}

/** Breaks a text at spaces into lines of so many columns; a longer word stays whole. Later lines begin with `indent`. */
export function wrapped(text: string, width: number, indent = ''): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && stringWidth(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line].join(`\n${indent}`);
}

/** Names and ids are the upstream's: no control character of theirs reaches the terminal, nor one that turns text around. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, '�');
}

// Controls, halves of characters, line separators, marks of writing direction; not the joiners that names need.
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The columns that are shown: optional ones are left out, last first, while even the cut columns do not fit. */
function chosen(columns: readonly Column[], cells: readonly (readonly string[])[], width: number): number[] {
  const shown = columns.map((_, at) => at);
  const least = (at: number) => {
    const whole = widest(cells, at);
    return columns[at]?.shrinks ? Math.min(whole, leastOf(columns[at])) : whole;
  };
  while (sum(shown.map(least)) + GAP.length * (shown.length - 1) > width) {
    const out = shown.findLastIndex((at) => columns[at]?.optional);
    if (out === -1) break;
    shown.splice(out, 1);
  }
  return shown;
}

function widthsOf(
  shown: readonly number[],
  columns: readonly Column[],
  cells: readonly (readonly string[])[],
  width: number,
): number[] {
  const widths = shown.map((at) => widest(cells, at));
  for (;;) {
    const excess = sum(widths) + GAP.length * (widths.length - 1) - width;
    if (excess <= 0) return widths;
    const place = widestToCut(shown, columns, widths);
    if (place === null) return widths;
    widths[place] = (widths[place] ?? 0) - 1;
  }
}

/** The place of the widest column that can still be cut. */
function widestToCut(
  shown: readonly number[],
  columns: readonly Column[],
  widths: readonly number[],
): number | null {
  let best: number | null = null;
  shown.forEach((at, place) => {
    const width = widths[place] ?? 0;
    if (!columns[at]?.shrinks || width <= leastOf(columns[at])) return;
    if (best === null || width > (widths[best] ?? 0)) best = place;
  });
  return best;
}

function leastOf(column: Column | undefined): number {
  return column?.least ?? LEAST_WIDTH;
}

function widest(cells: readonly (readonly string[])[], at: number): number {
  return cells.reduce((most, row) => Math.max(most, stringWidth(row[at] ?? '')), 0);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

const GAP = '  ';
const LEAST_WIDTH = 8;
const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });
