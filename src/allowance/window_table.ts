import { DAY_MS } from '../durations.ts';

/**
 * The windows in which an allowance can limit calls. The configuration keys, the environment variables, the ledger's
 * counts, the forecast and all messages are derived from this table. To add a window, add a row; forecasts of many years
 * are slow unless `forecastCompletion` can skip its periods. The rows are in the same order as the configuration keys.
 */
export const WINDOW_TABLE = [
  {
    name: 'total',
    key: 'total',
    property: 'total',
    span: { kind: 'lifetime' },
    words: { per: 'in total', current: 'in total', rolling: 'in total' },
  },
  {
    name: 'day',
    key: 'per_day',
    property: 'perDay',
    span: { kind: 'calendar', unit: 'day', lengthMs: DAY_MS, canRoll: true },
    words: { per: 'a day', current: 'today', rolling: 'in the last 24 hours' },
  },
  {
    name: 'month',
    key: 'per_month',
    property: 'perMonth',
    span: { kind: 'calendar', unit: 'month', lengthMs: 31 * DAY_MS, canRoll: false },
    words: { per: 'a month', current: 'this month', rolling: 'this month' },
  },
] as const satisfies readonly WindowRow[];

export interface WindowRow {
  /** Stored in the ledger and shown in JSON, so it must never change. */
  readonly name: string;
  /**
   * The key below `allowance` in the configuration. The environment variable is `REGISTRY_MIRROR_` followed by the key
   * in capitals.
   */
  readonly key: string;
  /** The property of `Allowance` with the limit. */
  readonly property: string;
  readonly span: WindowSpan;
  readonly words: WindowWords;
}

type WindowSpan =
  /** The account's lifetime. The window never resets. */
  | { readonly kind: 'lifetime' }
  /**
   * A day or month that starts as `day_starts` specifies. It is at most `lengthMs` long, except when the clock changes.
   * If `day_starts` is rolling, the window also rolls if `canRoll` is set. Otherwise it follows the UTC calendar.
   */
  | {
      readonly kind: 'calendar';
      readonly unit: 'day' | 'month';
      readonly lengthMs: number;
      readonly canRoll: boolean;
    };

/** Phrases for messages. Each one follows "100 calls" or "100". */
interface WindowWords {
  /** The period that the limit covers, as in "100 calls a day". */
  readonly per: string;
  /** The current period, as in "40 calls used today". */
  readonly current: string;
  /** The period of a window that never resets as a whole, as in "40 calls used in the last 24 hours". */
  readonly rolling: string;
}

type Row = (typeof WINDOW_TABLE)[number];

export type WindowName = Row['name'];

type WindowKey = Row['key'];

/** Each window's limit in calls; null if it has none. */
export type WindowLimits = { readonly [Property in Row['property']]: number | null };

type NamedRow = WindowRow & Pick<Row, 'name' | 'key' | 'property'>;

/** Returns all rows of the table, typed by the properties that they share. */
export function windowRows(): readonly NamedRow[] {
  return WINDOW_TABLE;
}

export function windowRow(name: WindowName): WindowRow {
  const row = windowRows().find((candidate) => candidate.name === name);
  if (row === undefined) throw new Error(`no window of the allowance is called ${name}`);
  return row;
}

/** Builds an object with one value for each configuration key in the table. */
export function byWindowKey<Value>(readValue: (row: NamedRow) => Value): Record<WindowKey, Value> {
  return Object.fromEntries(windowRows().map((row) => [row.key, readValue(row)])) as Record<WindowKey, Value>;
}

/** Converts limits by configuration key to limits by property of `Allowance`. */
export function limitsByProperty(limits: Readonly<Record<WindowKey, number | null>>): WindowLimits {
  return Object.fromEntries(windowRows().map(({ key, property }) => [property, limits[key]])) as WindowLimits;
}

/** The length of a window; Infinity for the account's lifetime. */
export function windowLengthMs({ span }: WindowRow): number {
  return span.kind === 'lifetime' ? Infinity : span.lengthMs;
}
