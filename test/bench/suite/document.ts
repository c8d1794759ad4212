import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform, totalmem } from 'node:os';
import { join } from 'node:path';
import { GROUP, PARTS, type Part } from './parts.ts';

const DOCS = join(import.meta.dirname, '../../../docs');
const PAGE = join(DOCS, 'benchmarks.md');
const BEGIN = '<!-- The following table is written by `npm run bench all`. -->';

/** The result of one part. */
export interface Result {
  readonly part: Part;
  readonly args: readonly string[];
  readonly output: string;
  readonly exitCode: number | null;
  readonly minutes: number;
  readonly date: string;
}

/** Writes one part's file, and the table that links the files of all parts. */
export function writeResult(result: Result): void {
  mkdirSync(join(DOCS, 'benchmarks'), { recursive: true });
  writeFileSync(fileOf(result.part), textOf(result));
  writeTable();
}

/** Writes the table from the files that exist. A file's first lines describe when and how it was measured, and how it ended. */
function writeTable(): void {
  const rows = PARTS.filter((part) => existsSync(fileOf(part))).map((part) => {
    const [how = '', , , end = ''] = readFileSync(fileOf(part), 'utf8').split('\n', 4);
    const missed = end.startsWith('Exit code') ? ', **a target was not reached**' : '';
    const [date] = how.split(',', 1);
    return `| [${part.title}](benchmarks/${part.name}.txt) | ${part.question} | ${date}${missed} |`;
  });
  const missing = PARTS.filter((part) => !existsSync(fileOf(part))).map(({ name }) => `\`${name}\``);
  const [written = ''] = readFileSync(PAGE, 'utf8').split(BEGIN);
  const table = ['| result | question | measured |', '|---|---|---|', ...rows].join('\n');
  const rest = missing.length === 0 ? '' : `\nNot measured with this version: ${missing.join(', ')}.\n`;
  writeFileSync(PAGE, `${written}${BEGIN}\n\n${table}\n${rest}`);
}

function fileOf({ name }: Part): string {
  return join(DOCS, 'benchmarks', `${name}.txt`);
}

function textOf({ part, args, output, exitCode, minutes, date }: Result): string {
  const how = `${date}, version of ${commitDate()}, ${minutes.toFixed(1)} minutes`;
  const command = [
    `npm run -s ${GROUP[part.name] ?? 'bench'} ${part.name}`,
    ...args.slice(0, 1).map(() => '--'),
    ...args,
  ];
  const end =
    exitCode === 0 ? [] : [`Exit code ${exitCode}: a target was not reached, or a part could not run.`];
  return `${[how, command.join(' '), machine(), ...end].join('\n')}\n\n${output.trimEnd()}\n`;
}

/** Returns the date and time of the measured version's last change. */
function commitDate(): string {
  const format = ['log', '-1', '--format=%cd', '--date=format:%Y-%m-%d %H:%M'];
  return execFileSync('git', format, { cwd: DOCS, encoding: 'utf8' }).trim();
}

/** Describes this machine's processors, memory and platform, without a host name or path. */
function machine(): string {
  const processors = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${processors.length} × ${processors[0]?.model.trim() ?? 'unknown'}, ${gigabytes} GB, ${platform()} ${arch()}, Node ${process.versions.node}`;
}
