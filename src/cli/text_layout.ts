import cliTruncate from 'cli-truncate';
import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';
import { printable } from '../printable.ts';

/**
 * Wraps lines that are wider than the terminal. Lines are broken only at spaces, so a long word can be wider than the
 * terminal. Continuation lines start below the text after a label (`  label   text`), or are indented by two more
 * spaces. Command lines (`$ …`) are not broken, so that they can be pasted into a shell.
 */
export function wrappedText(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (stringWidth(line) <= columns || COMMAND.test(line) ? line : wrappedLine(line, columns)))
    .join('\n');
}

function wrappedLine(line: string, columns: number): string {
  const label = LABEL.exec(line)?.[0] ?? '';
  const indent = /^ */.exec(line)?.[0] ?? '';
  const isBroad = label === '' || stringWidth(label) > columns / 2;
  const hanging = isBroad ? indent + (indent === '' || indent.length >= DEEP ? '' : '  ') : blank(label);
  const first = isBroad ? indent : label;
  const lines = wrapAnsi(line.slice(first.length), columns - hanging.length, { trim: true });
  return first + lines.replaceAll('\n', `\n${hanging}`);
}

const COMMAND = /^ *\$ /;
// The second alternative matches the longest labels, which have only one space after them.
const LABEL = /^ *\S+(?: \S+)* {2,}(?=\S)|^ {2}[a-z]{10} (?=\S)/;
// A line with at least this indentation is already a continuation line.
const DEEP = 8;

/** Formats a line with a label: `  files      warehouse 4.2 MB`. */
export function labelled(label: string, value: string): string {
  return `  ${label.padEnd(LABEL_WIDTH)} ${value}`;
}

const LABEL_WIDTH = 10;

/** The indentation of further lines below a labelled value. */
export const BELOW_VALUE = ' '.repeat(LABEL_WIDTH + 3);

/** Truncates `text` to `width` terminal columns, and marks a truncation with an ellipsis. */
export function fitted(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  return width < 1 ? '' : cliTruncate(text, width);
}

interface Column<Row> {
  readonly header: string;
  /** Returns the row's value in this column. */
  cell(row: Row): string;
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

interface Measured extends Pick<Column<never>, 'align' | 'optional'> {
  readonly cells: readonly string[];
  readonly whole: number;
  readonly least: number;
}

interface Terminal {
  readonly columns: number;
  style(style: 'dim' | 'red', text: string): string;
}

/** Formats a table with a dim header, or returns null if there are no rows. A row is red if `isBad` returns true. */
export function tableText<Row>(
  { columns: width, style }: Terminal,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  isBad: (row: Row) => boolean = () => false,
): string | null {
  if (rows.length === 0) return null;
  const [header = '', ...lines] = tableLines(columns, rows, width);
  const shown = rows.map((row, at) => (isBad(row) ? style('red', lines[at] ?? '') : lines[at]));
  return [style('dim', header), ...shown].join('\n');
}

/** Formats a table's lines, starting with the header. No line is wider than `width`. Two spaces separate the cells. */
export function tableLines<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
): string[] {
  const shown = visible(
    columns.map((column) => measured(column, rows)),
    width,
  );
  const widths = widthsOf(shown, width);
  return [-1, ...rows.keys()].map((row) =>
    shown
      .map(({ cells, align }, at) => {
        const cell = fitted(cells[row + 1] ?? '', widths[at] ?? 0);
        const padding = ' '.repeat(Math.max(0, (widths[at] ?? 0) - stringWidth(cell)));
        return align === 'right' ? padding + cell : cell + padding;
      })
      .join(GAP)
      .trimEnd(),
  );
}

function measured<Row>(column: Column<Row>, rows: readonly Row[]): Measured {
  const cells = [column.header, ...rows.map((row) => printable(column.cell(row)))];
  const whole = Math.max(...cells.map((cell) => stringWidth(cell)));
  const least = column.shrinks ? Math.min(whole, column.least ?? LEAST_WIDTH) : whole;
  return { ...column, cells, whole, least };
}

/** Removes optional columns, starting from the right, until the truncated columns fit. */
function visible(columns: readonly Measured[], width: number): readonly Measured[] {
  const removed = columns.findLastIndex(({ optional }) => optional);
  if (removed === -1 || lineWidth(columns.map(({ least }) => least)) <= width) return columns;
  return visible(columns.toSpliced(removed, 1), width);
}

/** Narrows the widest columns that may shrink, one terminal column at a time, until the line fits. */
function widthsOf(columns: readonly Measured[], width: number): number[] {
  const widths = columns.map(({ whole }) => whole);
  const room = (at: number) => (widths[at] ?? 0) > (columns[at]?.least ?? 0);
  while (lineWidth(widths) > width) {
    const shrinkable = widths.map((own, at) => (room(at) ? own : 0));
    const widest = Math.max(...shrinkable);
    if (widest === 0) break;
    widths[shrinkable.indexOf(widest)] = widest - 1;
  }
  return widths;
}

function lineWidth(widths: readonly number[]): number {
  return widths.reduce((sum, one) => sum + one, 0) + GAP.length * (widths.length - 1);
}

function blank(text: string): string {
  return ' '.repeat(stringWidth(text));
}

const GAP = '  ';
const LEAST_WIDTH = 8;
