import { type Command, InvalidArgumentError, Option, type OptionValues } from '@commander-js/extra-typings';
import type { Database } from 'better-sqlite3';
import { type Clock, systemClock } from '../clock.ts';
import { type Config, configPath } from '../config/config.ts';
import type { Workspace } from '../operations/assemble.ts';
import { FOCUSES } from '../planner.ts';
import type { Warehouse } from '../warehouse/warehouse.ts';
import { type Output, openOutput, type Result, standardStreams } from './output.ts';

/** What the action of each kind of command uses. It is opened before the action, and closed after it. */
interface Opened {
  /** A command without the shared options. */
  readonly alone: Basics;
  readonly basics: Basics;
  readonly config: WithConfig;
  readonly reader: WithWarehouse;
  readonly writer: WithWarehouse;
  /** Everything that a run needs. */
  readonly workspace: WithConfig & { readonly workspace: Workspace };
}

export interface Basics {
  readonly output: Output;
  readonly clock: Clock;
  /** The configuration file, which need not exist. */
  readonly path: string;
  /** Prints a result before the command ends. */
  print(result: Result): void;
  /**
   * Returns a signal that aborts at the first Ctrl-C or SIGTERM, and then prints `note`, so that in-flight calls are
   * finished and loaded. A second Ctrl-C or SIGTERM ends the process immediately. The reason of the abort is the
   * signal's name.
   */
  untilInterrupted(note?: string): AbortSignal;
}

interface WithConfig extends Basics {
  readonly config: Config;
}

export interface WithWarehouse extends WithConfig {
  readonly warehouse: Warehouse;
  readonly db: Database;
}

interface SharedFlags {
  readonly config?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

/**
 * Completes a command. Its action gets what `opens` names, then the arguments and flags. The result that it returns is
 * printed as text or as a JSON document, and sets the exit code.
 */
export function define<Kind extends keyof Opened, Args extends unknown[], Flags extends OptionValues>(
  opens: Kind,
  // biome-ignore lint/suspicious/noExplicitAny: the options of the program are not known here
  command: Command<Args, Flags, any>,
  action: (opened: Opened[Kind], ...given: [...Args, Flags & SharedFlags]) => Returned | Promise<Returned>,
): Command {
  const untyped = command as unknown as Command;
  if (opens !== 'alone') for (const option of sharedOptions()) untyped.addOption(option);
  return untyped.action(async (...given: unknown[]) => {
    const self = given.pop() as Command;
    // Users may write the shared options before the command, or before a subcommand, too.
    const flags = self.optsWithGlobals() as OptionValues;
    const closing: (() => void)[] = [];
    let printed: () => void;
    try {
      const opened = await open(opens, self, flags, closing);
      const result = await action(opened, ...([...given.slice(0, -1), flags] as [...Args, Flags]));
      printed = () => result !== undefined && opened.print(result);
    } finally {
      for (const close of closing.reverse()) close();
    }
    // Print after the files are closed, because closing can fail, and an error is printed as a document too.
    printed();
  });
}

// biome-ignore lint/suspicious/noConfusingVoidType: an action may print its result itself
type Returned = Result | void;

async function open<Kind extends keyof Opened>(
  kind: Kind,
  command: Command,
  flags: OptionValues,
  closing: (() => void)[],
): Promise<Opened[Kind]> {
  const output = openOutput(flags, standardStreams());
  const basics: Basics = {
    output,
    clock: systemClock,
    // `worker` may have several configurations. Its subcommands use the first one.
    path: configPath({ path: [flags.config as string | undefined].flat()[0] }),
    print: (result) => {
      output.result(fullName(command), result);
      process.exitCode = result.exitCode ?? (result.error == null ? 0 : 1);
    },
    untilInterrupted: (note) => {
      const { signal, done } = interruption(() => note !== undefined && output.note(note));
      closing.push(done);
      return signal;
    },
  };
  return (await extended(kind, basics, closing)) as Opened[Kind];
}

async function extended(
  kind: keyof Opened,
  basics: Basics,
  closing: (() => void)[],
): Promise<Opened[keyof Opened]> {
  if (kind === 'alone' || kind === 'basics') return basics;
  const withConfig = { ...basics, config: await openConfig(basics) };
  if (kind === 'config') return withConfig;
  if (kind === 'workspace') {
    // Other commands do not load the engine.
    const { openWorkspace } = await import('../operations/assemble.ts');
    const workspace = openWorkspace(withConfig.config);
    closing.push(() => workspace.close());
    return { ...withConfig, workspace };
  }
  const { openWarehouse } = await import('../warehouse/warehouse.ts');
  const nowMs = basics.clock.now();
  const warehouse = openWarehouse({ path: withConfig.config.warehouse, readonly: kind === 'reader', nowMs });
  closing.push(() => warehouse.close());
  return { ...withConfig, warehouse, db: warehouse.db };
}

/** Loads the configuration, and migrates a warehouse that an older version wrote. */
async function openConfig({ output, clock, path }: Basics): Promise<Config> {
  const { loadConfig } = await import('../config/load_config.ts');
  const config = loadConfig({ path });
  const { describeUpgrade, upgradeWarehouse } = await import('../warehouse/upgrade.ts');
  const upgrade = upgradeWarehouse(config.warehouse, clock.now());
  if (upgrade !== null) output.announce(describeUpgrade(upgrade));
  output.detail(`configuration ${path}, warehouse ${config.warehouse}, ledger ${config.ledger}`);
  return config;
}

/** Returns the command's name after the program's, such as `keys create`. */
function fullName(command: Command): string {
  const parent = command.parent as Command | null;
  if (parent === null) return '';
  return `${fullName(parent)} ${command.name()}`.trim();
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

function interruption(onFirst: () => void): { signal: AbortSignal; done(): void } {
  const controller = new AbortController();
  const interrupt = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(130);
    onFirst();
    controller.abort(name);
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  return {
    signal: controller.signal,
    done: () => process.off('SIGINT', interrupt).off('SIGTERM', interrupt),
  };
}

/** The note for an interruption while calls are in flight. */
export const FINISHING = 'Finishing the in-flight calls (press Ctrl-C again to stop immediately) …';

export const maxCallsOption = () =>
  new Option('--max-calls <n>', 'spend at most this many calls').argParser(wholeNumber);
export const maxMinutesOption = () =>
  new Option('--max-minutes <n>', 'stop after this many minutes').argParser(positiveNumber);
export const focusOption = () => new Option('--focus <focus>', 'which calls to prefer').choices(FOCUSES);
export const tierOption = () => new Option('--tier <tier>', 'account tier').choices(['free', 'paid']);

/** Returns a reader of whole numbers from `least` to `most`. */
export function wholeFrom(least: number, most = Number.MAX_SAFE_INTEGER): (text: string) => number {
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(
      `It must be a whole number${range === 'of at least 0' ? '' : ` ${range}`}.`,
    );
  };
}

export const wholeNumber = wholeFrom(0);
export const portNumber = wholeFrom(0, 65_535);

function positiveNumber(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('It must be a number greater than 0.');
  return value;
}

/** Adds a value to those of the same repeatable option. */
export function repeated(text: string, before: readonly string[] | undefined): string[] {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return [...(before ?? []), text];
}
