import { type Command, InvalidArgumentError, Option } from 'commander';
import { systemClock } from '../clock.ts';
import { type Config, configPath } from '../config/config.ts';
import { FOCUSES } from '../planner.ts';
import { type Output, openOutput, standardStreams } from './output.ts';

export interface Context {
  readonly config: Config;
  readonly output: Output;
}

export interface SharedFlags {
  readonly config?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

export function withSharedOptions(command: Command): Command {
  for (const option of sharedOptions()) command.addOption(option);
  return command;
}

/** The options of every command that reads the configuration. */
export function sharedOptions(): Option[] {
  return [
    new Option('--config <file>', 'configuration file (default: registry-mirror.yaml)'),
    new Option('--json', 'print one JSON document'),
    new Option('--quiet', 'print only problems that need attention'),
    new Option('-v, --verbose', 'also print the files in use, each call, and the causes of errors'),
  ];
}

/** Adds the options that limit a command's calls. */
export function withSpendingOptions(command: Command): Command {
  return withFocus(
    withMaxCalls(command).option('--max-minutes <n>', 'stop after this many minutes', positiveNumber),
  );
}

export function withMaxCalls(command: Command): Command {
  return command.option('--max-calls <n>', 'spend at most this many calls', wholeNumber);
}

export function withFocus(command: Command): Command {
  return command.addOption(new Option('--focus <focus>', 'which calls to prefer').choices(FOCUSES));
}

export async function openContext(flags: SharedFlags): Promise<Context> {
  const output = openOutput(flags, standardStreams());
  const path = configPath({ path: flags.config });
  // Import the schema only here, because the help does not need it.
  const { loadConfig } = await import('../config/load_config.ts');
  const config = loadConfig({ path });
  const { describeUpgrade, upgradeWarehouse } = await import('../warehouse/upgrade.ts');
  const upgrade = upgradeWarehouse(config.warehouse, systemClock.now());
  if (upgrade !== null) output.announce(describeUpgrade(upgrade));
  output.detail(`configuration ${path}, warehouse ${config.warehouse}, ledger ${config.ledger}`);
  return { config, output };
}

/**
 * Returns a signal that aborts at the first Ctrl-C or SIGTERM, so that in-flight calls are finished and loaded. A
 * second Ctrl-C or SIGTERM ends the process immediately.
 */
export function interruptible(onFirst: () => void): { signal: AbortSignal; done(): void } {
  const controller = new AbortController();
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(130);
    onFirst();
    controller.abort();
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  return {
    signal: controller.signal,
    done: () => {
      process.off('SIGINT', interrupt);
      process.off('SIGTERM', interrupt);
    },
  };
}

export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

export function portNumber(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= LAST_PORT))
    throw new InvalidArgumentError(`It must be a whole number from 0 to ${LAST_PORT}.`);
  return port;
}

const LAST_PORT = 65_535;

export function positiveNumber(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('It must be a number greater than 0.');
  return value;
}
