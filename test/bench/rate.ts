import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/**
 * npm run bench rate -- [--minutes 2] [--per-minute 600] [--lanes 4] [--processes 1,2,3] [--stalls]
 *
 * Measures in real time how much of the permitted rate is used. The processes share one ledger, and call an upstream
 * that logs arrivals. With --stalls, SIGSTOP stops each process at random times for up to two seconds.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    'per-minute': { type: 'string', default: '600' },
    lanes: { type: 'string', default: '4' },
    processes: { type: 'string', default: '1,2,3' },
    stalls: { type: 'boolean', default: false },
  },
});
const perMinute = Number(values['per-minute']);
const durationMs = Number(values.minutes) * 60_000;
const MINUTE_MS = 60_000;

const rows: Record<string, unknown>[] = [];
for (const processes of values.processes.split(',').map(Number)) rows.push(await measure(processes));
// biome-ignore lint/suspicious/noConsole: the benchmark prints its results
console.table(rows);
process.exitCode = rows.every((row) => row.held === true) ? 0 : 1;

async function measure(processes: number): Promise<Record<string, unknown>> {
  const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-rate-'));
  const upstream = fork(join(import.meta.dirname, 'rate/upstream.ts'));
  const { port } = (await messageOf(upstream)) as { port: number };
  const order = {
    port,
    perMinute,
    lanes: Number(values.lanes),
    ledgerPath: join(folder, 'ledger.db'),
    untilMs: Date.now() + durationMs,
  };
  const callers = Array.from({ length: processes }, () =>
    fork(join(import.meta.dirname, 'rate/caller_process.ts'), [JSON.stringify(order)]),
  );
  const stalls = callers.map((caller) => (values.stalls ? stall(caller) : { end: () => {} }));
  const reports = (await Promise.all(callers.map(messageOf))) as { good: number }[];
  for (const { end } of stalls) end();
  upstream.send('report');
  const { arrivalsMs } = (await messageOf(upstream)) as { arrivalsMs: number[] };
  rmSync(folder, { recursive: true, force: true });
  const good = reports.reduce((sum, report) => sum + report.good, 0);
  return { processes, lanes: processes * order.lanes, good, ...judge(arrivalsMs) };
}

function judge(arrivalsMs: readonly number[]): Record<string, unknown> {
  const sorted = [...arrivalsMs].sort((a, b) => a - b);
  const lastMs = sorted.at(-1) ?? 0;
  const counts = sorted.map((ms, index) => countWithin(sorted, index, ms + MINUTE_MS));
  const whole = counts.filter((_count, index) => (sorted[index] ?? 0) + MINUTE_MS <= lastMs);
  const most = Math.max(...counts);
  const mean = ((sorted.length - 1) / (lastMs - (sorted[0] ?? 0))) * MINUTE_MS;
  return {
    arrivals: sorted.length,
    'most in 60 s': most,
    'least in 60 s': whole.length === 0 ? null : Math.min(...whole),
    'mean use': `${((mean / perMinute) * 100).toFixed(2)} %`,
    held: most <= perMinute,
  };
}

/** Counts the arrivals before `endMs`, from the arrival at index `first` on. */
function countWithin(sorted: readonly number[], first: number, endMs: number): number {
  let index = first;
  while (index < sorted.length && (sorted[index] ?? Infinity) < endMs) index += 1;
  return index - first;
}

/** Repeatedly stops and continues a process at random times. */
function stall(child: ChildProcess): { end(): void } {
  let timer = setTimeout(stop, 1000 + Math.random() * 4000);
  function stop(): void {
    child.kill('SIGSTOP');
    timer = setTimeout(resume, Math.random() * 2000);
  }
  function resume(): void {
    child.kill('SIGCONT');
    timer = setTimeout(stop, 1000 + Math.random() * 4000);
  }
  return { end: () => clearTimeout(timer) };
}

async function messageOf(child: ChildProcess): Promise<unknown> {
  const [message] = await Promise.race([once(child, 'message'), once(child, 'error')]);
  if (message instanceof Error) throw message;
  return message;
}
