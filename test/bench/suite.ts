// npm run bench all [-- --quick --only throughput,serve --with="--rounds 5"]
// Runs all benchmarks in order, and writes the result of each to docs/benchmarks. If a part fails, its result shows the
// failure and the command exits with 1.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { argumentsOf, say } from '../support/script.ts';

/** A part's arguments for a full and for a quick run. Parts that `npm run trust` runs have its name. */
interface Part {
  readonly group?: 'trust';
  readonly full: string;
  readonly quick: string;
}

const PARTS: Readonly<Record<string, Part>> = {
  throughput: { full: '', quick: '--companies 5000 --rounds 3' },
  rate: { full: '--processes 1,3', quick: '--processes 1,3 --minutes 1.2' },
  serve: { full: '', quick: '--companies 50000 --flat 50000 --rounds 3 --requests 5000' },
  probe: { full: '', quick: '--seeds 40 --from 700001' },
  discovery: { full: '', quick: '--quick' },
  focus: { full: '', quick: '' },
  yields: { full: '', quick: '' },
  backfill: { full: '', quick: '--companies 1000 --names 50' },
  price: { full: '', quick: '--registries 3 --companies 300' },
  choosing: { full: '', quick: '--companies 50000 --calls 100' },
  refresh: { full: '', quick: '--quick --seeds 2' },
  faults: { group: 'trust', full: '--rounds 60', quick: '--rounds 3 --companies 200' },
  kills: { group: 'trust', full: '--points 700 --at-once 2', quick: '--points 48 --companies 60' },
  moving: { group: 'trust', full: '--histories 2000', quick: '--histories 100' },
  feed: { group: 'trust', full: '', quick: '--histories 20' },
  soak: { group: 'trust', full: '--seeds 2 --days 1200', quick: '--seeds 1 --days 100' },
  fuzz: { group: 'trust', full: '--runs 100000', quick: '--runs 2000' },
};

const values = argumentsOf({
  quick: false,
  only: null,
  /** Replaces the part's arguments. --only must select exactly one part. */
  with: null,
});
const root = join(import.meta.dirname, '../..');
const wanted = values.only?.split(',') ?? Object.keys(PARTS);
const unknown = wanted.find((name) => PARTS[name] === undefined);
if (unknown !== undefined)
  throw new Error(`unknown part in --only: ${unknown}. Parts: ${Object.keys(PARTS).join(', ')}`);
if (values.with !== null && wanted.length !== 1)
  throw new Error('--with needs a single part: add --only NAME');

const failed: string[] = [];
for (const name of wanted) {
  const { group = 'bench', full, quick } = PARTS[name] as Part;
  const args = values.with ?? (values.quick ? quick : full);
  const command = `npm run -s ${group} ${name}${args === '' ? '' : ` -- ${args}`}`;
  say(`\n== ${command}`);
  const startedMs = performance.now();
  const { output, exitCode } = await resultOf(command);
  const minutes = (performance.now() - startedMs) / 60_000;
  const head = [
    `${new Date().toISOString().slice(0, 10)}, version of ${commitDate()}, ${minutes.toFixed(1)} minutes`,
    command,
    machine(),
    ...(exitCode === 0 ? [] : [`Exit code ${exitCode}: a target was not reached, or a part could not run.`]),
  ];
  mkdirSync(join(root, 'docs/benchmarks'), { recursive: true });
  writeFileSync(
    join(root, 'docs/benchmarks', `${name}.txt`),
    withoutPaths(`${head.join('\n')}\n\n${output.trimEnd()}\n`),
  );
  if (exitCode !== 0) failed.push(name);
}
if (failed.length > 0) {
  process.stderr.write(`\nFailed: ${failed.join(', ')}. See their output for the reasons.\n`);
  process.exitCode = 1;
}

/** Runs a benchmark until it ends. Prints and returns its output. */
async function resultOf(command: string): Promise<{ output: string; exitCode: number | null }> {
  const [program = '', ...args] = command.split(' ');
  const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      process.stdout.write(text);
      output += text;
    });
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  return { output, exitCode };
}

/** Removes this machine's paths from the output. */
function withoutPaths(text: string): string {
  return text.replaceAll(root, '.').replaceAll(tmpdir(), '…');
}

/** Returns the date and time of the measured version's last change. */
function commitDate(): string {
  const format = ['log', '-1', '--format=%cd', '--date=format:%Y-%m-%d %H:%M'];
  return execFileSync('git', format, { cwd: root, encoding: 'utf8' }).trim();
}

/** Describes this machine's processors, memory and platform, without a host name or path. */
function machine(): string {
  const processors = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${processors.length} × ${processors[0]?.model.trim() ?? 'unknown'}, ${gigabytes} GB, ${platform()} ${arch()}, Node ${process.versions.node}`;
}
