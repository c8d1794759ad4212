/**
 * The task for a contender. `report` runs `work`, and sends the counts that `work` returns along with the measurements.
 * The measurement starts when `report` is called, after the modules are loaded.
 */
export const order = JSON.parse(process.argv[2]);

export async function report(work) {
  const startedMs = performance.now();
  const cpuBefore = process.cpuUsage();
  const done = await work();
  const { user, system } = process.cpuUsage(cpuBefore);
  process.send({
    ...done,
    ms: performance.now() - startedMs,
    cpuMs: (user + system) / 1000,
    peakMb: process.resourceUsage().maxRSS / 1024,
  });
}

export const headers = { authorization: `Bearer ${order.key}` };

/** Returns one page of the listing of all companies. All ids start with the same digit. */
export function searchUrl(page) {
  return `${order.baseUrl}/search?q=${order.query}&per_page=100&page=${page}`;
}

export function recordUrl(id) {
  return `${order.baseUrl}/entity/${encodeURIComponent(id)}`;
}
