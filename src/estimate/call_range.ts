/** An estimated number of calls or companies, as a range. `high` is null if no upper bound is known. */
export interface CallRange {
  readonly low: number;
  readonly high: number | null;
}

export function exactly(calls: number): CallRange {
  return { low: calls, high: calls };
}

/** Subtracts a number of calls from both ends. Neither end becomes negative. */
export function reducedBy({ low, high }: CallRange, calls: number): CallRange {
  return { low: Math.max(0, low - calls), high: high === null ? null : Math.max(0, high - calls) };
}

/** Limits the first range to the bounds of the second range. */
export function within(one: CallRange, bounds: CallRange): CallRange {
  const high = Math.min(one.high ?? Infinity, bounds.high ?? Infinity);
  const low = Math.min(Math.max(one.low, bounds.low), high);
  return { low, high: high === Infinity ? null : high };
}

/**
 * Returns a range whose ends differ by at most a factor of two, or by ten. Of a wider range, only the upper end is useful,
 * so the lower end becomes 0.
 */
export function narrow({ low, high }: CallRange): CallRange {
  return high === null || high <= Math.max(2 * low, low + 10) ? { low, high } : { low: 0, high };
}

export function sumOf(ranges: readonly CallRange[]): CallRange {
  return {
    low: ranges.reduce((sum, { low }) => sum + low, 0),
    high: ranges.reduce<number | null>(
      (sum, { high }) => (sum === null || high === null ? null : sum + high),
      0,
    ),
  };
}

/** Returns the range whose ends differ from `value` by this factor. The lower end is at least `lowest`. */
export function around(value: number, factor: number, lowest = 0): CallRange {
  const low = Math.max(lowest, Math.floor(value / factor));
  return { low, high: Math.max(low, Math.ceil(value * factor)) };
}
