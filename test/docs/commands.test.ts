import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { COMMAND_NAMES } from '../../src/cli/commands.ts';
import { openProgram } from '../../src/cli/main.ts';
import { COMMANDS_PAGE, commandsOf, withCommands, withoutCommonOptions } from './commands_page.ts';
import { MAN_PAGE, manPage } from './man_page.ts';

const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(COMMANDS_PAGE, 'utf8');
const program = await openProgram(COMMAND_NAMES);
const commands = new Map([...commandsOf(program)].map(({ name, command }) => [name, command]));
const documents = [
  'README.md',
  'SECURITY.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

describe('docs/commands.md', () => {
  it('docs/commands.md shows the current help of every command (update it with npm run docs:commands)', async () => {
    expect(page).toBe(await withCommands(page));
    for (const name of commands.keys()) expect(page).toContain(`Usage: registry-mirror ${name} `);
  });

  it('docs/commands.md shows what `quarantine list --help` prints', () => {
    const name = 'quarantine list';
    const args = ['src/cli/bin.js', ...name.split(' '), '--help'];
    const { stdout, status } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
    expect(status).toBe(0);
    expect(page).toContain(`## ${name}\n\n\`\`\`text\n${withoutCommonOptions(stdout).trimEnd()}\n\`\`\``);
  });
});

it('docs/registry-mirror.1 shows the current help of every command (update it with npm run docs:commands)', async () => {
  expect(readFileSync(MAN_PAGE, 'utf8')).toBe(await manPage());
});

describe.each(documents)('commands in %s', (path) => {
  const spoken = spokenCommands(readFileSync(join(root, path), 'utf8'));

  it('the document names only existing commands', () => {
    expect(spoken.filter(({ command }) => command === null).map(({ text }) => text)).toEqual([]);
  });

  it('the document names only existing flags', () => {
    const wrong = spoken.flatMap(({ text, command, flags }) =>
      command === null
        ? []
        : flags.filter((flag) => !flagsOf(command).has(flag)).map((flag) => `${text}: ${flag}`),
    );
    expect(wrong).toEqual([]);
  });
});

describe.each(['README.md', 'docs/operations.md'])('the cron line in %s', (path) => {
  it("the documented cron line runs unchanged in the project's folder", () => {
    const [, line = ''] = /^[\d*/, ]+ cd \S+ && (.*)$/m.exec(readFileSync(join(root, path), 'utf8')) ?? [];
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, REGISTRY_MIRROR_CONFIG: '/nowhere/registry-mirror.yaml' };
    const { status, stderr } = spawnSync('sh', ['-c', line], { cwd: root, env, encoding: 'utf8' });
    expect(stderr).toMatch(/^registry-mirror sync: .*\/nowhere\/registry-mirror.yaml/m);
    expect(status).toBe(2);
  });
});

interface Spoken {
  readonly text: string;
  /** Null if no command has that name. */
  readonly command: Command | null;
  readonly flags: readonly string[];
}

/** Returns the commands in code blocks and code spans. A command is the text after `registry-mirror`, or a whole span. */
function spokenCommands(markdown: string): Spoken[] {
  const blocks = [...markdown.matchAll(/```[a-z]*\n([\s\S]*?)```/g)].map(([, text = '']) => text);
  const spans = [...markdown.replace(/```[\s\S]*?```/g, '').matchAll(/`([^`\n]+)`/g)].map(
    ([, text = '']) => text,
  );
  const called = [...blocks.flatMap((block) => block.split('\n')), ...spans].flatMap((line) =>
    [...line.matchAll(/(?:^|[\s/])registry-mirror (?:-- )?([a-z][a-z-]*(?: .*)?)$/g)].map(
      ([, text = '']) => text,
    ),
  );
  const begun = spans.filter((span) => commands.has(span.split(' ')[0] ?? '') && span.includes(' --'));
  return [...called, ...begun].map((text) => {
    const line = text.split(/\s[#|>;]|\s{2,}/)[0] ?? '';
    const [first = '', second = ''] = line.split(' ');
    const command = commands.get(`${first} ${second}`) ?? commands.get(first) ?? null;
    return { text: line, command, flags: line.match(/(?<=\s)--[a-z][a-z-]*/g) ?? [] };
  });
}

function flagsOf(command: Command): Set<string> {
  const own = [command, ...command.commands].flatMap(({ options }) => options.map(({ long }) => long ?? ''));
  return new Set([...own, '--help', ...(command.parent === null ? [] : ['--version'])]);
}
