/**
 * What a contender is asked to do, and how it reports: `work` answers what it did. Time and processor time count
 * from when it is called; modules are loaded by then.
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

/** The page of a listing of everything: every id begins with the same digit. */
export function searchUrl(page) {
  return `${order.baseUrl}/search?q=${order.query}&per_page=100&page=${page}`;
}

export function recordUrl(id) {
  return `${order.baseUrl}/entity/${encodeURIComponent(id)}`;
}
