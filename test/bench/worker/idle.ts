// npm run bench worker-idle [-- --minutes 10 --just-mirrored --source]
// Measures processor time and resident memory of an idle worker over a complete mirror, from /proc. Its schedules wake it
// every other minute and find no due work. The worker is the built program in the environment of the image. With
// --source it is the source of the checkout, which also needs memory for type stripping. With --just-mirrored the same
// process has mirrored the registry before, without a rate limit.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startOwnRedis } from '../../support/redis_server.ts';
import { openUpstream } from '../../support/upstream.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    'just-mirrored': { type: 'boolean', default: false },
    source: { type: 'boolean', default: false },
  },
});
const root = resolve(import.meta.dirname, '../../..');
if (!values.source) execFileSync('npm', ['run', '-s', 'build'], { cwd: root, stdio: 'inherit' });
const redis = await startOwnRedis();
const upstream = await openUpstream(
  {},
  { schedule: { entities: '*/2 * * * *' }, worker: { redis_url: redis.url, health_port: 0 } },
);
if (!values['just-mirrored']) await upstream.cli('sync', '--json');
const program = join(root, values.source ? 'src' : 'dist/src', 'cli/bin.js');
const worker = spawn(process.execPath, [program, 'worker', '--quiet', '--config', upstream.configPath], {
  env: { ...process.env, ...(values.source ? {} : environmentOfImage()) },
  stdio: 'inherit',
});
const pid = worker.pid ?? 0;
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
    program: values.source ? 'source' : 'built',
    minutes,
    just_mirrored: values['just-mirrored'] ? upstream.sandbox.companies.count() : 0,
    cpu_percent: Number(cpuPercent.toFixed(2)),
    most_resident_mib: mostMiB,
    calls_meanwhile: upstream.sandbox.arrivals().length - calls,
  })}\n`,
);
worker.kill('SIGTERM');
await once(worker, 'exit');
await upstream.close();
await redis.close();
process.exitCode = ok ? 0 : 1;

/** The variables that the last stage of the Dockerfile sets. */
function environmentOfImage(): Record<string, string> {
  const image = readFileSync(join(root, 'Dockerfile'), 'utf8')
    .split(/^FROM /m)
    .at(-1);
  return Object.fromEntries(
    [...(image ?? '').matchAll(/^ENV (\w+)=(\S+)$/gm)].map(([, name, value]) => [name, value]),
  );
}

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
