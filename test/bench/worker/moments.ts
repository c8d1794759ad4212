/** What ran for the moments of a schedule. */
export interface Covered {
  readonly runId: number;
  readonly startedAtMs: number;
  /** The moments that this run is the first to follow. */
  readonly moments: readonly number[];
}

export interface RunTimes {
  readonly runId: number;
  readonly startedAtMs: number;
}

/** Gives each moment to the first run that began at or after it; runs and moments in order of time. */
export function coverMoments(
  moments: readonly number[],
  runs: readonly RunTimes[],
): { covered: Covered[]; uncovered: number[] } {
  let next = 0;
  const covered = runs.map(({ runId, startedAtMs }) => {
    const from = next;
    while (next < moments.length && (moments[next] ?? Infinity) <= startedAtMs) next += 1;
    return { runId, startedAtMs, moments: moments.slice(from, next) };
  });
  return { covered, uncovered: moments.slice(next) };
}
