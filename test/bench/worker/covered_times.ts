/** A run with the scheduled times that it covers. */
export interface Covered {
  readonly runId: number;
  readonly startedAtMs: number;
  /** The scheduled times after the previous run's start, up to this run's start. */
  readonly times: readonly number[];
}

export interface RunTimes {
  readonly runId: number;
  readonly startedAtMs: number;
}

/** Assigns each scheduled time to the first run that started at or after it. Both lists are in chronological order. */
export function coverTimes(
  times: readonly number[],
  runs: readonly RunTimes[],
): { covered: Covered[]; uncovered: number[] } {
  let next = 0;
  const covered = runs.map(({ runId, startedAtMs }) => {
    const from = next;
    while (next < times.length && (times[next] ?? Infinity) <= startedAtMs) next += 1;
    return { runId, startedAtMs, times: times.slice(from, next) };
  });
  return { covered, uncovered: times.slice(next) };
}
