// All benchmarks in order: npm run bench [-- --quick --only throughput,cost --with="--rounds 5"]
// Writes docs/benchmarks.md, part by part. A part that fails is shown as failed, and fails the command.
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { say } from './figures.ts';
import { installPeers } from './peers/install.ts';
import { writeSection } from './suite/document.ts';
import { PARTS, type Part } from './suite/parts.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    /** In place of the arguments that a single part is run with. */
    with: { type: 'string' },
  },
});
const root = join(import.meta.dirname, '../..');
const wanted = values.only?.split(',').map((name) => `bench:${name}`);
for (const script of wanted ?? [])
  if (!PARTS.some((part) => part.script === script))
    throw new Error(`there is no part ${script} in the suite`);

if (values.with !== undefined && wanted?.length !== 1)
  throw new Error('--with is for a single part: --only NAME');

// Before anything is measured: a peer that is missing is noticed at once.
installPeers();
const failed: string[] = [];
for (const part of PARTS) {
  if (wanted !== undefined && !wanted.includes(part.script)) continue;
  say(`\n== ${part.title}`);
  const args = values.with?.split(' ') ?? (values.quick ? part.quick : part.full);
  const startedMs = performance.now();
  const { output, exitCode } = await runPart(part, args);
  const minutes = (performance.now() - startedMs) / 60_000;
  writeSection({
    part,
    args: args.map(withoutPlaces),
    output,
    exitCode,
    minutes,
    date: new Date().toISOString().slice(0, 10),
  });
  if (exitCode !== 0) failed.push(part.script);
}
if (failed.length > 0) {
  process.stderr.write(`\nFailed: ${failed.join(', ')}. Their output says why.\n`);
  process.exitCode = 1;
}

/** Runs a script of package.json to its end, and shows what it prints while it does. */
async function runPart(
  { script }: Part,
  args: readonly string[],
): Promise<{ output: string; exitCode: number | null }> {
  const child = spawn('npm', ['run', '-s', script, '--', ...args], {
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
  return { output: withoutPlaces(output), exitCode };
}

/** Where it ran is nobody's business. */
function withoutPlaces(text: string): string {
  return text.replaceAll(root, '.').replaceAll(tmpdir(), '…');
}
