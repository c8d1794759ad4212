import { Command, CommanderError } from 'commander';
import { VERSION } from '../operations/version.ts';
import { COMMANDS } from './commands.ts';
import {
  fittedTo,
  jsonDocument,
  type Output,
  openOutput,
  printError,
  type Streams,
  standardStreams,
} from './output.ts';
import { withWorkingCommands, withWorkingLinks } from './setting.ts';

/** Runs one command and sets the exit code. */
export async function main(given: readonly string[]): Promise<void> {
  const argv = withFlagsLast(given);
  const streams = standardStreams();
  // A closed pipe (such as `| head`) is not an error.
  streams.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
  const program = await openProgram(argv);
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    const command = fullNameOf(program, argv);
    if (error instanceof CommanderError && error.exitCode === 0) return;
    const has = (flag: string) => argv.includes(flag);
    const flags = { json: has('--json'), quiet: has('--quiet'), verbose: has('--verbose') || has('-v') };
    const output = openOutput(flags, streams);
    if (error instanceof CommanderError) printUsageError(error, command, output, streams);
    process.exitCode = error instanceof CommanderError ? 2 : printError(error, command, output, streams);
  }
}

/** Moves shared flags to the end, because many users write them before the command. */
function withFlagsLast(argv: readonly string[]): string[] {
  let at = 0;
  while (/^(-v|--(json|quiet|verbose|config(=.*)?))$/.test(argv[at] ?? ''))
    at += argv[at] === '--config' ? 2 : 1;
  const rest = argv.slice(at);
  const end = rest.includes('--') ? rest.indexOf('--') : rest.length;
  return rest.length === 0 ? [...argv] : [...rest.slice(0, end), ...argv.slice(0, at), ...rest.slice(end)];
}

/** Returns the full name of the command that `argv` selects, such as `keys create`. */
function fullNameOf(program: Command, argv: readonly string[]): string {
  let command = program;
  const names: string[] = [];
  for (const word of argv) {
    const next = command.commands.find((one) => one.name() === word);
    if (next === undefined) continue;
    command = next;
    names.push(word);
  }
  return names.join(' ');
}

/** Prints a usage error as JSON. Commander has already printed it on standard error. */
function printUsageError(
  { code, message }: CommanderError,
  command: string,
  { mode }: Output,
  { stdout, env }: Streams,
): void {
  if (mode !== 'json') return;
  const see = command === '' ? 'registry-mirror --help' : `registry-mirror ${command} --help`;
  const hint = withWorkingCommands(`See: ${see}`, env);
  const text = code === 'commander.help' ? 'no command was given' : message.replace(/^error: /, '');
  stdout.write(jsonDocument(command, null, { message: text, hint }));
}

/**
 * Builds the program. Commands that are not in `argv` have only a name and a summary, which the program's help shows.
 */
export async function openProgram(argv: readonly string[]): Promise<Command> {
  const { stdout, stderr, env } = standardStreams();
  const program = new Command('registry-mirror')
    .description(
      'Keeps a local SQLite copy of a company registry that is available only through a metered API.',
    )
    .version(VERSION)
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({
      writeOut: (text) => stdout.write(fittedTo(stdout, withWorkingLinks(text, env))),
      writeErr: (text) => stderr.write(fittedTo(stderr, withWorkingLinks(text, env))),
    })
    .showSuggestionAfterError()
    .showHelpAfterError('(add --help for options and examples)')
    .addHelpText('after', FIRST_STEPS);
  // Import all commands for `completion`, because its script lists every command's options.
  const isWhole = argv[0] === 'completion';
  for (const { name, summary, open } of COMMANDS) {
    const command = isWhole || argv.includes(name) ? await open() : new Command(name);
    program.addCommand(command.summary(summary));
  }
  // Make Commander throw instead of exiting, so that all output is flushed and this program sets the exit code.
  for (const command of [
    program,
    ...program.commands,
    ...program.commands.flatMap(({ commands }) => commands),
  ])
    command.exitOverride().copyInheritedSettings(program);
  return program;
}

const FIRST_STEPS = `
Examples:
  $ registry-mirror demo       try everything with a sample registry on this machine
  $ registry-mirror init       write a configuration, after a few questions
  $ registry-mirror probe      learn the API with at most 16 calls
  $ registry-mirror plan       estimate the calls that the next sync needs
  $ registry-mirror sync       send the most valuable calls, within the allowance
  $ registry-mirror status     coverage, allowance, last runs

For a command's options and examples: registry-mirror COMMAND --help`;
