/**
 * Measures a process from the end of its start-up to the end of the measured time. Returns the number of calls and
 * their cost. The worker counts its calls in the returned object.
 */
export function stretch({ warmUpMs, measuredMs }) {
  const progress = { calls: 0 };
  setTimeout(() => {
    const from = { calls: progress.calls, cpu: process.cpuUsage() };
    setTimeout(() => {
      const { user, system } = process.cpuUsage(from.cpu);
      const result = {
        calls: progress.calls - from.calls,
        records: 0,
        ms: measuredMs,
        cpuMs: (user + system) / 1000,
        peakMb: process.resourceUsage().maxRSS / 1024,
      };
      process.send(result, () => process.exit());
    }, measuredMs);
  }, warmUpMs);
  return progress;
}
