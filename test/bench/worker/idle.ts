// npm run bench worker-idle [-- --minutes 10 --just-mirrored --source]
// Reads from /proc how much CPU time and resident memory an idle worker with a complete mirror uses. Its schedules wake
// it every other minute, and nothing is due. The worker is the built program with the image's flags and environment
// variables. With --source, the worker runs from the source, as `npm run registry-mirror` does. With --just-mirrored,
// the same process first mirrors the registry without a rate limit. Resident memory (VmRSS) includes the Node program's
// pages, which all Node processes share. Proportional memory (Pss) divides them among these processes.
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
const image = values.source ? { flags: [], variables: {} } : readImage();
const worker = spawn(
  process.execPath,
  [...image.flags, program, 'worker', '--quiet', '--config', upstream.configPath],
  { env: { ...process.env, ...image.variables }, stdio: 'inherit' },
);
const pid = worker.pid ?? 0;
while (upstream.sandbox.arrivals().length < upstream.sandbox.companies.count()) await sleep(500);
await sleep(20_000);

const minutes = Number(values.minutes);
const calls = upstream.sandbox.arrivals().length;
const before = { cpuMs: cpuMsOf(pid), atMs: performance.now() };
let most = { resident: 0, proportional: 0 };
for (let second = 0; second < minutes * 60; second += 5) {
  await sleep(5000);
  const now = memoryOf(pid);
  most = {
    resident: Math.max(most.resident, now.resident),
    proportional: Math.max(most.proportional, now.proportional),
  };
}
const cpuPercent = ((cpuMsOf(pid) - before.cpuMs) / (performance.now() - before.atMs)) * 100;
const ok = cpuPercent < 1 && most.resident < 120;
process.stdout.write(
  `${JSON.stringify({
    ok,
    redis: redis.kind,
    program: values.source ? 'source' : 'built',
    minutes,
    just_mirrored: values['just-mirrored'] ? upstream.sandbox.companies.count() : 0,
    cpu_percent: Number(cpuPercent.toFixed(2)),
    most_resident_mib: most.resident,
    most_proportional_mib: most.proportional,
    calls_meanwhile: upstream.sandbox.arrivals().length - calls,
  })}\n`,
);
worker.kill('SIGTERM');
await once(worker, 'exit');
await upstream.close();
await redis.close();
process.exitCode = ok ? 0 : 1;

/** The Node flags and environment variables that the last stage of the Dockerfile sets. */
function readImage(): { flags: string[]; variables: Record<string, string> } {
  const stage = readFileSync(join(root, 'Dockerfile'), 'utf8')
    .split(/^FROM /m)
    .at(-1);
  const variables = [...(stage ?? '').matchAll(/^ENV (\w+)=(\S+)$/gm)].map(([, name, value]) => [
    name,
    value,
  ]);
  const entry: string[] = JSON.parse(stage?.match(/^ENTRYPOINT (.+)$/m)?.[1] ?? '[]');
  return {
    flags: entry.filter((word) => word.startsWith('--')),
    // The image is read-only, so Node cannot write its compile cache there.
    variables: { ...Object.fromEntries(variables), NODE_DISABLE_COMPILE_CACHE: '1' },
  };
}

/** A process's user and system time (fields 14 and 15 in proc(5), in ticks of 10 ms). */
function cpuMsOf(process: number): number {
  const fields = readFileSync(`/proc/${process}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** A process's memory in MiB (smaps_rollup in proc(5)). */
function memoryOf(process: number): { resident: number; proportional: number } {
  const sums = readFileSync(`/proc/${process}/smaps_rollup`, 'utf8');
  const mib = (name: string) =>
    Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(sums)?.[1]) / 1024);
  return { resident: mib('Rss'), proportional: mib('Pss') };
}
