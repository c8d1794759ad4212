import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite, { type Database } from 'better-sqlite3';
import { stringify } from 'yaml';
import type { ConfigInput } from '../../src/config/config.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import { type Command, type Finished, runCommand, startCommand } from './command.ts';
import { sampleRegistry } from './probe_companies.ts';
import { sandboxConfiguration } from './sandbox_configuration.ts';

/** An operator's environment, which consists of a registry, a folder and the command. */
export interface Upstream {
  readonly sandbox: Sandbox;
  readonly folder: string;
  readonly configPath: string;
  /** Writes the configuration or another file into the folder, and returns its path. */
  configure(overrides: Overrides, name?: string): string;
  /** Starts the command in a separate process. It prints JSON. A `--config` argument replaces the configuration. */
  start(...args: string[]): Command;
  /** Runs the command in a separate process and waits until it ends. */
  cli(...args: string[]): Promise<Finished>;
  /** Runs the command in this process, with the same result. Use this if a test does not need a separate process. */
  run(...args: string[]): Promise<Finished>;
  /** Resolves when the upstream has received `calls` requests in total, or when the command ends. */
  arrived(calls: number, command: Command): Promise<void>;
  /** Opens the warehouse read-only, as an analyst does. */
  warehouse(): Database;
  close(): Promise<void>;
}

export type Overrides = Omit<Partial<ConfigInput>, 'upstream'> & {
  upstream?: Partial<ConfigInput['upstream']>;
};

export async function openUpstream(
  options: SandboxOptions = {},
  overrides: Overrides = {},
): Promise<Upstream> {
  const sandbox = await startSandbox({ companies: await sampleRegistry(), ...options });
  const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-'));
  const configure = (changes: Overrides, name = 'registry-mirror.yaml') => {
    writeFileSync(join(folder, name), stringify(configOf(sandbox, folder, changes)));
    return join(folder, name);
  };
  const configPath = configure(overrides);

  const started: Command[] = [];
  const start = (...args: string[]): Command => {
    const command = startCommand(withShared(args, configPath));
    started.push(command);
    return command;
  };
  return {
    sandbox,
    folder,
    configPath,
    configure,
    start,
    cli: (...args) => start(...args).finished,
    run: (...args) => runCommand(withShared(args, configPath)),
    arrived: async (calls, { process: child }) => {
      while (sandbox.arrivals().length < calls && child.exitCode === null) await sleep(1);
    },
    warehouse: () => new Sqlite(join(folder, 'warehouse.db'), { readonly: true }),
    close: async () => {
      // Ends processes that a failed test has left running.
      for (const { process: child } of started) if (child.exitCode === null) child.kill('SIGKILL');
      await sandbox.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function withShared(args: readonly string[], configPath: string): string[] {
  const isSet = (...flags: string[]) => flags.some((flag) => args.includes(flag));
  return [
    ...args,
    ...(isSet('--config') ? [] : ['--config', configPath]),
    ...(isSet('--json', '--quiet', '--csv') ? [] : ['--json']),
  ];
}

function configOf(sandbox: Sandbox, folder: string, { upstream, ...overrides }: Overrides): ConfigInput {
  const configuration = sandboxConfiguration(sandbox, folder);
  return {
    ...configuration,
    upstream: { ...configuration.upstream, concurrency: 4, ...upstream },
    ...overrides,
  };
}
