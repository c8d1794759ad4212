/** A run and the scheduled times that it covers. */
export interface Covered {
  readonly runId: number;
  readonly startedAtMs: number;
  /** The scheduled times for which this run was the first to start then or later. */
  readonly times: readonly number[];
}

export interface RunTimes {
  readonly runId: number;
  readonly startedAtMs: number;
}

/** Assigns each scheduled time to the first run that started then or later. Both lists are in chronological order. */
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
