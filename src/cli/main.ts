import { Command, CommanderError } from 'commander';
import { VERSION } from '../operations/version.ts';
import { COMMANDS } from './commands.ts';
import { fittedTo, openOutput, printError, standardStreams } from './output.ts';

/** Runs one command and sets the exit code. */
export async function main(given: readonly string[]): Promise<void> {
  const argv = withFlagsLast(given);
  const streams = standardStreams();
  // A closed pipe (such as `| head`) is not an error.
  streams.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
  try {
    const program = await openProgram(argv);
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
      return;
    }
    const output = openOutput({ json: argv.includes('--json'), quiet: argv.includes('--quiet') }, streams);
    process.exitCode = printError(error, argv[0] ?? '', output, streams);
  }
}

/** Moves `--json`, `--quiet` and `--config FILE` behind the command, because many users write them before it. */
function withFlagsLast(argv: readonly string[]): string[] {
  let at = 0;
  while (/^--(json|quiet|config(=.*)?)$/.test(argv[at] ?? '')) at += argv[at] === '--config' ? 2 : 1;
  const rest = argv.slice(at);
  const end = rest.includes('--') ? rest.indexOf('--') : rest.length;
  return rest.length === 0 ? [...argv] : [...rest.slice(0, end), ...argv.slice(0, at), ...rest.slice(end)];
}

/**
 * Builds the program. Commands that `argv` does not contain have only a name and a summary, which is sufficient for the
 * program's help.
 */
export async function openProgram(argv: readonly string[]): Promise<Command> {
  const program = new Command('registry-mirror')
    .description(
      'Keeps a local SQLite copy of a company registry that is reachable only through a metered API.',
    )
    .version(VERSION)
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({
      writeOut: (text) => process.stdout.write(fittedTo(process.stdout, text)),
      writeErr: (text) => process.stderr.write(fittedTo(process.stderr, text)),
    })
    .showSuggestionAfterError()
    .showHelpAfterError('(add --help for options and examples)')
    .addHelpText('after', FIRST_STEPS);
  // For the completion script, import all commands, because the script contains the options of every command.
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
  $ registry-mirror plan                 estimate the calls of a sync before it runs
  $ registry-mirror sync                 send the most valuable calls, within the allowance
  $ registry-mirror sync --max-calls 20  send at most 20 calls
  $ registry-mirror status               coverage, allowance, last runs`;
