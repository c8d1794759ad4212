import type { WorkerStatus } from '../../../jobs/worker_status.ts';
import type { Config } from '../../config/config.ts';
import type { MirrorReading } from '../../operations/mirror_reading.ts';
import { duration } from '../../report/figures.ts';
import type { Output } from '../output.ts';
import { type Column, tableLines } from '../table.ts';

/** The data from which the sections are built. */
export interface StatusReadings extends MirrorReading {
  readonly config: Config;
  /** The worker's state. Null if Redis does not respond or no worker has ever run for this registry. */
  readonly worker: WorkerStatus | null;
  /** The number of runs to show. */
  readonly runs: number;
}

/** One key in `status --json`, and the text for the same data. */
export interface SectionEntry<Value> {
  readonly key: string;
  /** Returns null if there is nothing to show. */
  read(readings: StatusReadings): Value | null;
  json(value: Value): unknown;
  /** The JSON value if there is nothing to show. If it is undefined, the key is omitted. */
  readonly empty: unknown;
  /** Lines above the tables. Each line starts with a ten-character label. */
  lines?(value: Value, context: TextContext): string[];
  /** Returns a table that is shown below the upper block, or null if it would have no rows. */
  table?(value: Value, context: TextContext): string | null;
}

export interface TextContext {
  readonly nowMs: number;
  readonly output: Output;
}

export interface RenderedSection {
  readonly json: unknown;
  readonly lines: readonly string[];
  readonly table: string | null;
}

export interface StatusSection {
  readonly key: string;
  render(readings: StatusReadings, output: Output): RenderedSection;
}

export function section<Value>(entry: SectionEntry<Value>): StatusSection {
  return {
    key: entry.key,
    render(readings, output) {
      const value = entry.read(readings);
      if (value === null) return { json: entry.empty, lines: [], table: null };
      if (output.mode !== 'text') return { json: entry.json(value), lines: [], table: null };
      const context = { nowMs: readings.nowMs, output };
      return {
        json: entry.json(value),
        lines: entry.lines?.(value, context) ?? [],
        table: entry.table?.(value, context) ?? null,
      };
    },
  };
}

/** Formats a table with a dim header. A row is red if `isBad` returns true for its index. */
export function table(
  columns: readonly Column[],
  rows: readonly string[][],
  output: Output,
  isBad: (index: number) => boolean = () => false,
): string {
  const [header = '', ...lines] = tableLines(columns, rows, output.columns);
  const coloured = lines.map((line, at) => (isBad(at) ? output.style('red', line) : line));
  return [output.style('dim', header), ...coloured].join('\n');
}

/** Formats an age: `3 days 4 h ago`. */
export function ago(iso: string, nowMs: number): string {
  const passedMs = nowMs - Date.parse(iso);
  return passedMs < 1000 ? 'just now' : `${duration(passedMs)} ago`;
}
