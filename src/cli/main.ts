import { Command, CommanderError } from 'commander';
import { VERSION } from '../operations/version.ts';
import { COMMANDS } from './commands.ts';
import { standardStreams } from './context.ts';
import { fittedTo, openOutput, printError } from './output.ts';

/** Runs one command; sets the exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  const streams = standardStreams();
  // A reader that went away (`| head`) is no error of ours.
  streams.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
  try {
    const program = await openProgram(argv[0]);
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

/** The program with the command that was asked for; with all of them where help or a suggestion is needed. */
export async function openProgram(asked?: string): Promise<Command> {
  const program = new Command('registry-mirror')
    .description(
      'Keeps a local SQLite copy of a company registry behind a metered API, and makes every call count.',
    )
    .version(VERSION)
    .configureOutput({
      writeOut: (text) => process.stdout.write(fittedTo(process.stdout, text)),
      writeErr: (text) => process.stderr.write(fittedTo(process.stderr, text)),
    })
    .showSuggestionAfterError()
    .showHelpAfterError('(add --help for the options and examples)')
    .addHelpText('after', FIRST_STEPS);
  for (const [name, open] of COMMANDS)
    if (name === asked || !COMMANDS.has(asked ?? '')) program.addCommand(await open());
  // Commander's own exits become exceptions, so that output is flushed and the exit code is ours.
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
  $ registry-mirror plan                 what that would cost, before a call is spent
  $ registry-mirror sync                 spend what the allowance permits on what is worth most
  $ registry-mirror sync --max-calls 20  the same, with at most 20 calls
  $ registry-mirror status               coverage, allowance, last runs`;
