import type { Command } from 'commander';
import { COMMAND_NAMES } from '../../src/cli/commands.ts';
import { openProgram } from '../../src/cli/main.ts';

export const COMMANDS_PAGE = new URL('../../docs/commands.md', import.meta.url);

const BEGIN = '<!-- The following text is written by `npm run docs:commands`. -->';

/** Returns the page with every command's current help. The hand-written text above the help stays unchanged. */
export async function withCommands(page: string): Promise<string> {
  const [written = ''] = page.split(BEGIN);
  const program = await openProgram(COMMAND_NAMES);
  const sections = program.commands.map((command) => {
    const [first, ...parts] = helpsOf(command);
    const bodyOf = ({ help }: CommandHelp) => help.trim().split('\n').slice(1).join('\n');
    // A part with the same options as an earlier part is only a line.
    const hasMore = (part: CommandHelp) =>
      bodyOf(part) !== '' && parts.findIndex((one) => bodyOf(one) === bodyOf(part)) === parts.indexOf(part);
    const lines = parts.filter((part) => !hasMore(part)).map(({ help }) => help.split('\n')[0] ?? '');
    const help = FOR_DEVELOPERS.includes(command.name()) ? first?.help.split(/\nOptions:/)[0] : first?.help;
    const own = `## ${command.name()}\n\n${block([help?.trimEnd() ?? '', ...(lines.length > 0 ? ['', ...lines] : [])].join('\n'))}`;
    return [
      own,
      ...parts.filter(hasMore).map(({ name, help }) => `## ${name}\n\n${block(help.trimEnd())}`),
    ].join('\n');
  });
  return `${written}${BEGIN}\n\n${sections.join('\n')}`;
}

/** The page does not show the options of these commands. `--help` and the man page do. */
const FOR_DEVELOPERS = ['sandbox'];

function block(text: string): string {
  return `\`\`\`text\n${text}\n\`\`\`\n`;
}

interface CommandHelp {
  readonly name: string;
  readonly command: Command;
  readonly help: string;
}

/** Returns every command and subcommand with its help at 80 columns, without the options that all commands have. */
export function commandsOf(program: Command): CommandHelp[] {
  return program.commands.flatMap(helpsOf);
}

function helpsOf(command: Command): CommandHelp[] {
  const name = command.name();
  return [
    { name, command, help: withoutCommonOptions(helpOf(command)) },
    ...command.commands.map((part) => ({
      name: `${name} ${part.name()}`,
      command: part,
      help: withoutCommonOptions(helpOf(part)),
    })),
  ];
}

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({
    getOutHelpWidth: () => 80,
    getOutHasColors: () => false,
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text;
}

/** Removes the options and exit codes that the page describes once. An option's description can have several lines. */
export function withoutCommonOptions(help: string): string {
  return help
    .replace(/^ {2}-.*\n(?: {6,}\S.*\n)*/gm, (option) =>
      COMMON_OPTIONS.includes(option.trim().replace(/\s+/g, ' ')) ? '' : option,
    )
    .replace(/^Options:\n(\n|$)/m, '')
    .replace(/\nExit codes: 0 done, or paused[^.]*\./, '');
}

const COMMON_OPTIONS: readonly string[] = [
  '--config <file> configuration file (default: registry-mirror.yaml)',
  '--json print one JSON document',
  '--quiet print only problems that need attention',
  '-v, --verbose also print the files in use, each call, and the causes of errors',
  '-h, --help display help for command',
];
