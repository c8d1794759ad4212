import stringWidth from 'fast-string-width';

export interface Column {
  readonly header: string;
  readonly align?: 'left' | 'right';
  /** True if the column may be truncated with an ellipsis when the terminal is narrow. */
  readonly shrinks?: boolean;
  /**
   * A truncated column's minimum width (default: 8). Optional columns are removed before a column gets narrower than
   * this.
   */
  readonly least?: number;
  /**
   * True if the column may be removed when truncating columns is not enough. The last optional column is removed first.
   */
  readonly optional?: boolean;
}

/** Formats a table's lines, starting with the header. No line is wider than `width`. Two spaces separate the cells. */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): string[] {
  const cells = [columns.map(({ header }) => header), ...rows.map((row) => row.map(printable))];
  const shown = visibleColumns(columns, cells, width);
  const widths = widthsOf(shown, columns, cells, width);
  return cells.map((row) =>
    shown
      .map((at, index) => {
        const cell = fitted(row[at] ?? '', widths[index] ?? 0);
        const padding = ' '.repeat(Math.max(0, (widths[index] ?? 0) - stringWidth(cell)));
        return columns[at]?.align === 'right' ? padding + cell : cell + padding;
      })
      .join(GAP)
      .trimEnd(),
  );
}

/** Truncates `text` to `width` terminal columns, and marks a truncation with an ellipsis. */
export function fitted(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  // The segmenter is created only here, because creating it takes 10 ms and most tables fit.
  const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const { segment } of graphemes.segment(text)) {
    used += stringWidth(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return width < 1 ? '' : `${kept}…`;
}

/**
 * Breaks `text` at spaces into lines of at most `width` columns. Longer words are not broken. All lines except the
 * first start with `indent`.
 */
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

/** Replaces control and direction characters, because names and ids from the upstream can contain them. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, '�');
}

// Matches control characters, lone surrogates, line separators and direction marks, but not joiners, because some
// scripts need them in names.
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Returns the columns to show. Optional columns are removed, starting from the right, until the truncated columns fit.
 */
function visibleColumns(
  columns: readonly Column[],
  cells: readonly (readonly string[])[],
  width: number,
): number[] {
  const shown = columns.map((_, at) => at);
  const least = (at: number) => {
    const whole = widest(cells, at);
    return columns[at]?.shrinks ? Math.min(whole, leastOf(columns[at])) : whole;
  };
  while (sum(shown.map(least)) + GAP.length * (shown.length - 1) > width) {
    const removed = shown.findLastIndex((at) => columns[at]?.optional);
    if (removed === -1) break;
    shown.splice(removed, 1);
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
    const index = widestShrinkable(shown, columns, widths);
    if (index === null) return widths;
    widths[index] = (widths[index] ?? 0) - 1;
  }
}

/** Returns the index of the widest column that can still be truncated. */
function widestShrinkable(
  shown: readonly number[],
  columns: readonly Column[],
  widths: readonly number[],
): number | null {
  let best: number | null = null;
  shown.forEach((at, index) => {
    const width = widths[index] ?? 0;
    if (!columns[at]?.shrinks || width <= leastOf(columns[at])) return;
    if (best === null || width > (widths[best] ?? 0)) best = index;
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
