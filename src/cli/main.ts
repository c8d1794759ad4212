import { Command, CommanderError } from 'commander';
import { packagedFile } from '../config/packaged_file.ts';
import { UsageError } from '../errors.ts';
import { VERSION } from '../operations/version.ts';
import { sharedOptions } from './command.ts';
import { COMMANDS } from './commands.ts';
import { fittedTo, type Output, openOutput, printError, standardStreams } from './output.ts';

/** Runs one command and sets the exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  const streams = standardStreams();
  // A closed pipe (such as `| head`) is not an error.
  streams.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
  const has = (flag: string) => argv.includes(flag);
  const flags = { json: has('--json'), quiet: has('--quiet'), verbose: has('--verbose') || has('-v') };
  const output = openOutput(flags, streams);
  const program = await openProgram(argv, output);
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    const command = fullNameOf(program, argv);
    if (!(error instanceof CommanderError)) process.exitCode = printError(error, command, output, streams);
    else if (error.exitCode !== 0) {
      process.exitCode = 2;
      // Without a command, Commander has printed the help.
      const isPrinted = error.code === 'commander.help' && output.mode !== 'json';
      if (!isPrinted) printError(usageErrorOf(error, command), command, output, streams);
    }
  }
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

function usageErrorOf({ code, message }: CommanderError, command: string): UsageError {
  const text =
    code === 'commander.help' ? 'no command was given' : message.replace(/^error: /, '').replace('\n', ' ');
  return new UsageError(text, { hint: `See: registry-mirror ${`${command} --help`.trim()}` });
}

/**
 * Builds the program. Commands that are not in `argv` have only a name and a summary, which the program's help shows.
 */
export async function openProgram(argv: readonly string[], output?: Output): Promise<Command> {
  const { stdout, stderr } = standardStreams();
  const program = new Command('registry-mirror')
    .description(
      'Keeps a local SQLite copy of a company registry that is available only through a metered API.',
    )
    .version(VERSION)
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .configureOutput({
      writeOut: (text) => stdout.write(fittedTo(stdout, text)),
      writeErr: (text) => output?.mode !== 'json' && stderr.write(fittedTo(stderr, text)),
      // `main` prints errors.
      outputError: () => {},
    })
    .showSuggestionAfterError()
    .addHelpText('after', FIRST_STEPS)
    .enablePositionalOptions();
  // Users may write the shared options before the command too.
  for (const option of sharedOptions()) program.addOption(option.hideHelp());
  // Import all commands for `completion`, because its script lists every command's options.
  const isWhole = argv.includes('completion');
  for (const [name, summary, load] of COMMANDS) {
    const command = isWhole || argv.includes(name) ? (await load()).default() : new Command(name);
    program.addCommand((command as Command).summary(summary));
  }
  // ... and between a command and its subcommand.
  for (const group of program.commands.filter(
    ({ commands, options }) => commands.length > 0 && options.length === 0,
  ))
    for (const option of sharedOptions()) group.addOption(option.hideHelp());
  // Make Commander throw instead of exiting, so that all output is flushed and this program sets the exit code.
  const commands = program.commands.flatMap((command) => [command, ...command.commands]);
  for (const command of [program, ...commands]) command.exitOverride().copyInheritedSettings(program);
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

For a command's options and examples: registry-mirror COMMAND --help
Documentation: ${packagedFile('docs/')}`;
