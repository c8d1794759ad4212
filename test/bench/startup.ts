// npm run bench startup [-- --rounds 10]
// Measures the CPU time, elapsed time and memory of everyday commands, as multiples of `node -e 0` in the same rounds.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '10' } } });
const bin = [resolve(import.meta.dirname, '../../src/cli/bin.js')];
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'node -e 0': ['-e', '0'],
  '--version': [...bin, '--version'],
  '--help': [...bin, '--help'],
  status: [...bin, 'status'],
};
// Prints the resources that the process has used when it ends.
const METER =
  'data:text/javascript,process.on("exit",()=>process._rawDebug(JSON.stringify(process.resourceUsage())))';

interface Cost {
  readonly cpuMs: number;
  readonly elapsedMs: number;
  readonly memoryMb: number;
}

const folder = mkdtempSync(join(tmpdir(), 'startup-'));
try {
  const base = 'http://127.0.0.1:9/api';
  writeFileSync(
    join(folder, 'registry-mirror.yaml'),
    `version: 1\nupstream: { base_url: '${base}', api_key: a-key }\nallowance: { per_day: 500 }\n`,
  );
  const costs = new Map(Object.keys(COMMANDS).map((name) => [name, [] as Cost[]]));
  // The first round fills the compile cache and is not measured.
  for (let round = 0; round <= Number(values.rounds); round++)
    for (const [name, args] of Object.entries(COMMANDS)) {
      const cost = costOf(args);
      if (round > 0) costs.get(name)?.push(cost);
    }
  const bare = summary(costs.get('node -e 0') ?? []);
  process.stdout.write('| command | CPU time | elapsed time | memory |\n|---|---|---|---|\n');
  for (const [name, all] of costs) {
    const { cpuMs, elapsedMs, memoryMb } = summary(all);
    const times = (value: number, of: number) => `(${(value / of).toFixed(1)} ×)`;
    process.stdout.write(
      `| \`${name}\` | ${cpuMs.toFixed(0)} ms ${times(cpuMs, bare.cpuMs)} | ${elapsedMs.toFixed(0)} ms ${times(elapsedMs, bare.elapsedMs)} | ${memoryMb.toFixed(0)} MB |\n`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function costOf(args: readonly string[]): Cost {
  const startedMs = performance.now();
  const { stderr, status } = spawnSync(process.execPath, ['--import', METER, ...args], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 60_000,
  });
  const elapsedMs = performance.now() - startedMs;
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stderr}`);
  const usage = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as NodeJS.ResourceUsage;
  return {
    cpuMs: (usage.userCPUTime + usage.systemCPUTime) / 1000,
    elapsedMs,
    memoryMb: usage.maxRSS / 1000,
  };
}

/** Returns the median of each measurement. */
function summary(costs: readonly Cost[]): Cost {
  const median = (of: (cost: Cost) => number) =>
    costs.map(of).sort((a, b) => a - b)[Math.floor(costs.length / 2)] ?? 0;
  return {
    cpuMs: median(({ cpuMs }) => cpuMs),
    elapsedMs: median(({ elapsedMs }) => elapsedMs),
    memoryMb: median(({ memoryMb }) => memoryMb),
  };
}
