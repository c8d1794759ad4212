// npm run bench all [-- --quick --only throughput,serve --with="--rounds 5"]
// Runs all benchmarks in order. After each part, it writes the result to docs/benchmarks and the table in
// docs/benchmarks.md. If a part fails, its result shows the failure and the command exits with 1.
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { argumentsOf, say } from '../support/script.ts';
import { writeResult } from './suite/document.ts';
import { GROUP, PARTS, type Part } from './suite/parts.ts';

const values = argumentsOf({
  quick: false,
  only: null,
  /** Replaces the part's arguments. --only must select exactly one part. */
  with: null,
});
const root = join(import.meta.dirname, '../..');
const wanted = values.only?.split(',');
for (const name of wanted ?? [])
  if (!PARTS.some((part) => part.name === name))
    throw new Error(`unknown part in --only: ${name}. Parts: ${PARTS.map((part) => part.name).join(', ')}`);

if (values.with !== null && wanted?.length !== 1)
  throw new Error('--with needs a single part: add --only NAME');

const failed: string[] = [];
for (const part of PARTS) {
  if (wanted !== undefined && !wanted.includes(part.name)) continue;
  say(`\n== ${part.title}`);
  const args = values.with?.split(' ') ?? (values.quick ? part.quick : part.full);
  const startedMs = performance.now();
  const { output, exitCode } = await runPart(part, args);
  const minutes = (performance.now() - startedMs) / 60_000;
  writeResult({
    part,
    args: args.map(withoutPaths),
    output,
    exitCode,
    minutes,
    date: new Date().toISOString().slice(0, 10),
  });
  if (exitCode !== 0) failed.push(part.name);
}
if (failed.length > 0) {
  process.stderr.write(`\nFailed: ${failed.join(', ')}. See their output for the reasons.\n`);
  process.exitCode = 1;
}

/** Runs a benchmark until it ends. Prints and returns its output. */
async function runPart(
  { name }: Part,
  args: readonly string[],
): Promise<{ output: string; exitCode: number | null }> {
  const child = spawn('npm', ['run', '-s', GROUP[name] ?? 'bench', name, '--', ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      process.stdout.write(text);
      output += text;
    });
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  return { output: withoutPaths(output), exitCode };
}

/** Removes this machine's paths from the output. */
function withoutPaths(text: string): string {
  return text.replaceAll(root, '.').replaceAll(tmpdir(), '…');
}
