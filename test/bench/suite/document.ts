import { readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform, totalmem } from 'node:os';
import { join } from 'node:path';
import { PARTS, type Part } from './parts.ts';

const PATH = join(import.meta.dirname, '../../../docs/benchmarks.md');

/** The result of one part. */
export interface Section {
  readonly part: Part;
  readonly args: readonly string[];
  readonly output: string;
  readonly exitCode: number | null;
  readonly minutes: number;
  readonly date: string;
}

/** Writes one part's section. The other sections do not change, because each has its own date. */
export function writeSection(section: Section): void {
  const sections = readSections();
  sections.set(section.part.title, textOf(section));
  const parts = PARTS.map(({ title, question, name }) => {
    const text = sections.get(title) ?? `Not measured yet: \`npm run bench ${name}\`.`;
    return `## ${title}\n\n${question}\n\n${text}\n`;
  });
  writeFileSync(PATH, `${INTRODUCTION}\n${parts.join('\n')}`);
}

function textOf({ part, args, output, exitCode, minutes, date }: Section): string {
  const command = ['npm run -s bench', part.name, ...(args.length > 0 ? ['--', ...args] : [])].join(' ');
  const end =
    exitCode === 0 ? '' : ` **Exit code ${exitCode}: a target was not reached, or a part could not run.**`;
  const how = `\`${command}\`, ${date}, ${minutes.toFixed(1)} minutes, on ${machine()}.${end}`;
  return `${how}\n\n\`\`\`text\n${output.trimEnd()}\n\`\`\``;
}

/** Reads the text below each part's question. The keys are the parts' titles. */
function readSections(): Map<string, string> {
  const sections = new Map<string, string>();
  for (const section of existingText().split(/^## /m).slice(1)) {
    const [title = '', ...lines] = section.split('\n');
    const text = lines.join('\n').trim().split('\n\n').slice(1).join('\n\n');
    if (text !== '' && !text.startsWith('Not measured yet')) sections.set(title, text);
  }
  return sections;
}

function existingText(): string {
  try {
    return readFileSync(PATH, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** Describes this machine's processors, memory and platform, without a host name or path. */
function machine(): string {
  const processors = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${processors.length} × ${processors[0]?.model.trim() ?? 'unknown'}, ${gigabytes} GB, ${platform()} ${arch()}, Node ${process.versions.node}`;
}

const INTRODUCTION = `# Benchmarks

The benchmarks compare this program with alternative tools. To run all of them in order and write this page, use
\`npm run bench all\`. To list them, use \`npm run bench\`.

- With \`-- --quick\`, the benchmarks use smaller settings. With \`-- --only cost,growth\`, only the named parts run.
- The command installs the other tools in \`test/bench/peers\`. If a tool cannot be installed or run, the command fails.
- Each ratio comes from one run in which both programs alternated or ran in parallel. The range after a median shows the
  lowest and highest round. \`target\` is the required value.
- Compare ratios instead of times, because times depend on the machine and on its other work.
`;
