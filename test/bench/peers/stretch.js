/**
 * Measures a stretch of a process at work, from the end of its start to the end of its time: what was called, and
 * what that cost. Whoever works counts the calls in what is returned.
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
