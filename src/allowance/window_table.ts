/**
 * The windows in which an allowance can limit calls. The configuration keys, the environment variables, the
 * counts of the ledger, the forecast and all texts follow from this table: a new window is a new row.
 * The order is that of the configuration.
 */
export const WINDOW_TABLE = [
  {
    name: 'total',
    key: 'total',
    property: 'total',
    span: { kind: 'lifetime' },
    words: { per: 'in total', current: 'in total', scope: 'in total' },
  },
  {
    name: 'day',
    key: 'per_day',
    property: 'perDay',
    span: { kind: 'calendar', unit: 'day', lengthMs: 86_400_000, canRoll: true },
    words: { per: 'a day', current: 'this day', scope: 'a day' },
  },
  {
    name: 'month',
    key: 'per_month',
    property: 'perMonth',
    span: { kind: 'calendar', unit: 'month', lengthMs: 31 * 86_400_000, canRoll: false },
    words: { per: 'a month', current: 'this month', scope: 'a month' },
  },
] as const satisfies readonly WindowRow[];

export interface WindowRow {
  /** Stored in the ledger and shown in JSON: never changes. */
  readonly name: string;
  /** The key below `allowance` in the configuration; `REGISTRY_MIRROR_` and the key in capitals is its variable. */
  readonly key: string;
  /** The property of `Allowance` that holds the limit. */
  readonly property: string;
  readonly span: WindowSpan;
  readonly words: WindowWords;
}

export type WindowSpan =
  /** Since the account exists: it never resets. */
  | { readonly kind: 'lifetime' }
  /** The last `lengthMs` before any moment: it resets call by call. */
  | { readonly kind: 'rolling'; readonly lengthMs: number }
  /**
   * A day or month that begins as `day_starts` states, `lengthMs` long at most (but for changes of the clock).
   * If days are rolling, it rolls (`canRoll`) or follows the calendar in UTC.
   */
  | {
      readonly kind: 'calendar';
      readonly unit: 'day' | 'month';
      readonly lengthMs: number;
      readonly canRoll: boolean;
    };

/** Each phrase follows "100 calls" or "100". */
export interface WindowWords {
  /** The period of the limit: 100 calls a day. */
  readonly per: string;
  /** The period that is running: 40 spent this day. */
  readonly current: string;
  /** The period in full, for a reader who has to choose a limit. */
  readonly scope: string;
}

type Row = (typeof WINDOW_TABLE)[number];

export type WindowName = Row['name'];

export type WindowKey = Row['key'];

/** The limit of each window in calls; null: no limit. */
export type WindowLimits = { readonly [Property in Row['property']]: number | null };

/** Every row, with the types that rows share. */
export function windowRows(): readonly (WindowRow & Pick<Row, 'name' | 'key' | 'property'>)[] {
  return WINDOW_TABLE;
}

export function windowRow(name: WindowName): WindowRow {
  const row = windowRows().find((candidate) => candidate.name === name);
  if (row === undefined) throw new Error(`no window of the allowance is called ${name}`);
  return row;
}

/** One value for each configuration key of the table. */
export function byWindowKey<Value>(readValue: (row: WindowRow) => Value): Record<WindowKey, Value> {
  return Object.fromEntries(windowRows().map((row) => [row.key, readValue(row)])) as Record<WindowKey, Value>;
}

/** The limits of a configuration, by property. */
export function limitsByProperty(limits: Readonly<Record<WindowKey, number | null>>): WindowLimits {
  return Object.fromEntries(windowRows().map(({ key, property }) => [property, limits[key]])) as WindowLimits;
}

/** Infinity for the account's whole life. */
export function windowLengthMs({ span }: WindowRow): number {
  return span.kind === 'lifetime' ? Infinity : span.lengthMs;
}
