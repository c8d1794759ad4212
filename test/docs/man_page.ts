import { COMMAND_NAMES, COMMANDS } from '../../src/cli/commands.ts';
import { openProgram } from '../../src/cli/main.ts';
import { VERSION } from '../../src/operations/version.ts';
import { commandsOf } from './commands_page.ts';

export const MAN_PAGE = new URL('../../docs/registry-mirror.1', import.meta.url);

/** Returns the manual page. Each command's help is the same as in docs/commands.md. */
export async function manPage(): Promise<string> {
  const program = await openProgram(COMMAND_NAMES);
  const summaries = COMMANDS.map(([name, summary]) => `.TP\n.B ${escaped(name)}\n${escaped(summary)}`);
  const helps = [...commandsOf(program)].map(
    ({ name, help }) => `.SS ${escaped(name)}\n.nf\n${escaped(help.trimEnd())}\n.fi`,
  );
  return `${[
    `.TH REGISTRY\\-MIRROR 1 "" "registry\\-mirror ${VERSION}" "User Commands"`,
    section('NAME', 'registry-mirror - local SQLite copy of a company registry behind a metered API'),
    `.SH SYNOPSIS\n.B registry\\-mirror\n.I command\n[\\fIoptions\\fR]`,
    section('DESCRIPTION', program.description()),
    `.SH COMMANDS\n${summaries.join('\n')}`,
    `.SH EXIT STATUS\n${EXIT_CODES.map(([code, meaning]) => `.TP\n.B ${code}\n${escaped(meaning)}`).join('\n')}`,
    section('COMMON OPTIONS', COMMON_OPTIONS),
    section('FILES', FILES),
    section('ENVIRONMENT', ENVIRONMENT),
    `.SH OPTIONS AND EXAMPLES OF EACH COMMAND\n${helps.join('\n')}`,
  ].join('\n')}\n`;
}

function section(title: string, text: string): string {
  return `.SH ${title}\n${escaped(text)}`;
}

/** Escapes characters with a meaning in roff, which are backslashes, hyphens, and dots and quotes that begin a line. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^(?=[.'])/gm, '\\&');
}

const EXIT_CODES = [
  ['0', 'done, or paused because the allowance is exhausted'],
  ['1', 'failed'],
  ['2', 'usage or configuration error'],
  ['3', 'done, with responses in quarantine'],
  ['75', 'paused, with --strict'],
  ['130', 'interrupted; the calls in flight were loaded'],
] as const;
const COMMON_OPTIONS =
  'All commands have --config, --json, --quiet and --verbose, unless they need no configuration. The text below lists the ' +
  'other options of each command.';
const FILES =
  'registry-mirror.yaml in the working directory or a folder above it, or in ~/.config/registry-mirror, is the configuration. ' +
  'It names the warehouse (data/warehouse.db) and the ledger (data/ledger.db). Documents such as docs/changes.md are in the ' +
  "package's folder. A command's help shows their full paths.";
const ENVIRONMENT =
  'REGISTRY_MIRROR_CONFIG selects another configuration. NO_COLOR, CI and TERM are respected. HTTP_PROXY and ' +
  'HTTPS_PROXY select a proxy. NO_PROXY lists hosts that bypass it.';
