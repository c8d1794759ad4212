// npm run bench rate [-- --minutes 2 --per-minute 600 --lanes 4 --processes 1,2,3 --stalls]
// Measures in real time how much of the permitted rate is used. Processes of `sync`, each with its own warehouse, share
// one account. With --stalls, SIGSTOP stops each process at random times for up to two seconds.
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { generateRegistry } from '../../data/generate.ts';
import { argumentsOf } from '../support/script.ts';
import { openUpstream } from '../support/upstream.ts';

const values = argumentsOf({ minutes: 2, perMinute: 600, lanes: 4, processes: [1, 2, 3], stalls: false });
const { perMinute, lanes } = values;
const MINUTE_MS = 60_000;

const rows: Record<string, unknown>[] = [];
for (const processes of values.processes) rows.push(await measure(processes));
// biome-ignore lint/suspicious/noConsole: the benchmark prints its results
console.table(rows);
process.exitCode = rows.every((row) => row.held === true) ? 0 : 1;

async function measure(processes: number): Promise<Record<string, unknown>> {
  // More companies than calls, so that calls are always due.
  const companies = Math.ceil(2 * perMinute * values.minutes);
  const upstream = await openUpstream({ companies: [...generateRegistry({ companies, seed: 9 })] });
  const commands = Array.from({ length: processes }, (_, nth) => {
    const overrides = {
      upstream: { concurrency: lanes },
      allowance: { per_minute: perMinute, unlimited: true },
      warehouse: join(upstream.folder, `${nth}.db`),
    };
    const config = upstream.configure(overrides, `${nth}.yaml`);
    return upstream.start('sync', '--max-minutes', String(values.minutes), '--config', config);
  });
  const stalls = values.stalls ? commands.map(({ process: child }) => stall(child)) : [];
  const results = await Promise.all(commands.map(({ finished }) => finished));
  for (const end of stalls) end();
  const arrivalsMs = upstream.sandbox.arrivals().map(({ at }) => at);
  await upstream.close();
  const good = results.reduce((sum, { json }) => sum + (json?.data?.calls_spent ?? 0), 0);
  return { processes, lanes: processes * lanes, good, ...judge(arrivalsMs) };
}

function judge(arrivalsMs: readonly number[]): Record<string, unknown> {
  const sorted = [...arrivalsMs].sort((a, b) => a - b);
  const durationMs = (sorted.at(-1) ?? 0) - (sorted[0] ?? 0);
  const most = busiestMinute(sorted);
  const mean = ((sorted.length - 1) / durationMs) * MINUTE_MS;
  return {
    arrivals: sorted.length,
    'most in 60 s': most,
    'mean use': `${((mean / perMinute) * 100).toFixed(2)} %`,
    held: most <= perMinute,
  };
}

/** Returns the highest number of arrivals in any 60 seconds. `times` are epoch milliseconds in ascending order. */
function busiestMinute(times: readonly number[]): number {
  let most = 0;
  let first = 0;
  for (const [last, time] of times.entries()) {
    while ((times[first] ?? time) <= time - MINUTE_MS) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

/** Stops and continues a process at random times, until the returned function is called. */
function stall(child: ChildProcess): () => void {
  let timer = setTimeout(stop, 1000 + Math.random() * 4000);
  function stop(): void {
    child.kill('SIGSTOP');
    timer = setTimeout(resume, Math.random() * 2000);
  }
  function resume(): void {
    child.kill('SIGCONT');
    timer = setTimeout(stop, 1000 + Math.random() * 4000);
  }
  return () => clearTimeout(timer);
}
