// npm run bench:worker:idle [-- --minutes 10 --just-mirrored]
// What a worker costs that has nothing to do, over a mirror that is complete: its processor time and resident
// memory, read from /proc. Its schedules wake it every other minute meanwhile, and find nothing due. With
// --just-mirrored the same process has mirrored the registry before, as fast as it could.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openUpstream } from '../e2e/upstream.ts';
import { startOwnRedis } from '../redis/redis_server.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    'just-mirrored': { type: 'boolean', default: false },
  },
});
const redis = await startOwnRedis();
const upstream = await openUpstream(
  {},
  { schedule: { entities: '*/2 * * * *' }, worker: { redis_url: redis.url, health_port: 0 } },
);
if (!values['just-mirrored']) await upstream.cli('sync', '--json');
const worker = upstream.start('worker', '--quiet');
const pid = worker.process.pid ?? 0;
while (upstream.sandbox.arrivals().length < upstream.sandbox.companies.count()) await sleep(500);
await sleep(20_000);

const minutes = Number(values.minutes);
const calls = upstream.sandbox.arrivals().length;
const before = { cpuMs: cpuMsOf(pid), atMs: performance.now() };
let mostMiB = 0;
for (let second = 0; second < minutes * 60; second += 5) {
  await sleep(5000);
  mostMiB = Math.max(mostMiB, residentMiBOf(pid));
}
const cpuPercent = ((cpuMsOf(pid) - before.cpuMs) / (performance.now() - before.atMs)) * 100;
const ok = cpuPercent < 1 && mostMiB < 120;
process.stdout.write(
  `${JSON.stringify({
    ok,
    redis: redis.kind,
    minutes,
    just_mirrored: values['just-mirrored'] ? upstream.sandbox.companies.count() : 0,
    cpu_percent: Number(cpuPercent.toFixed(2)),
    most_resident_mib: mostMiB,
    calls_meanwhile: upstream.sandbox.arrivals().length - calls,
  })}\n`,
);
worker.process.kill('SIGTERM');
await worker.finished;
await upstream.close();
await redis.close();
process.exitCode = ok ? 0 : 1;

/** User and system time of a process (proc(5), fields 14 and 15, in ticks of 10 ms). */
function cpuMsOf(process: number): number {
  const fields = readFileSync(`/proc/${process}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function residentMiBOf(process: number): number {
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${process}/status`, 'utf8'))?.[1];
  return Math.round(Number(kib) / 1024);
}
