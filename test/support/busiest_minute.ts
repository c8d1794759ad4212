/** Returns the highest number of arrivals in any 60 seconds. `times` are epoch milliseconds in ascending order. */
export function busiestMinute(times: readonly number[]): number {
  let most = 0;
  let first = 0;
  for (const [last, time] of times.entries()) {
    while ((times[first] ?? time) <= time - 60_000) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
