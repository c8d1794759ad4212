import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite, { type Database } from 'better-sqlite3';
import { stringify } from 'yaml';
import type { ConfigInput } from '../../src/config/config.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import { sandboxConfiguration } from './sandbox_configuration.ts';

const root = resolve(import.meta.dirname, '../..');

/** The environment that an operator has: a registry, a folder and the command. */
export interface Upstream {
  readonly sandbox: Sandbox;
  readonly folder: string;
  readonly configPath: string;
  /** Writes the configuration file, or another one in the same folder, and returns its path. */
  configure(overrides: Overrides, name?: string): string;
  /** Starts the command in a separate process. A `--config` argument replaces the default one. */
  start(...args: string[]): Command;
  /** Runs the command and waits for its end. */
  cli(...args: string[]): Promise<Finished>;
  /** Resolves when the upstream has received `calls` requests in total, or when the command ends. */
  arrived(calls: number, command: Command): Promise<void>;
  /** Opens the warehouse read-only, as an analyst does. */
  warehouse(): Database;
  close(): Promise<void>;
}

export type Overrides = Omit<Partial<ConfigInput>, 'upstream'> & {
  upstream?: Partial<ConfigInput['upstream']>;
};

export interface Command {
  readonly process: ChildProcess;
  readonly finished: Promise<Finished>;
}

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The JSON document on standard output; undefined if there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests check single fields of the document
  readonly json: any;
}

export async function openUpstream(
  options: SandboxOptions = {},
  overrides: Overrides = {},
): Promise<Upstream> {
  const sandbox = await startSandbox(options);
  const folder = mkdtempSync(join(tmpdir(), 'registry-mirror-'));
  const configure = (changes: Overrides, name = 'registry-mirror.yaml') => {
    writeFileSync(join(folder, name), stringify(configOf(sandbox, folder, changes)));
    return join(folder, name);
  };
  const configPath = configure(overrides);

  const children: ChildProcess[] = [];
  const start = (...args: string[]): Command => {
    const child = spawn(process.execPath, ['src/cli/bin.js', ...withConfig(args, configPath)], { cwd: root });
    children.push(child);
    return { process: child, finished: finish(child) };
  };
  return {
    sandbox,
    folder,
    configPath,
    configure,
    start,
    cli: (...args) => start(...args).finished,
    arrived: async (calls, { process: child }) => {
      while (sandbox.arrivals().length < calls && child.exitCode === null) await sleep(1);
    },
    warehouse: () => new Sqlite(join(folder, 'warehouse.db'), { readonly: true }),
    close: async () => {
      // Ends the processes of a failed test.
      for (const child of children) if (child.exitCode === null) child.kill('SIGKILL');
      await sandbox.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function withConfig(args: readonly string[], configPath: string): string[] {
  return args.includes('--config') ? [...args] : [...args, '--config', configPath];
}

function configOf(sandbox: Sandbox, folder: string, { upstream, ...overrides }: Overrides): ConfigInput {
  const configuration = sandboxConfiguration(sandbox, folder);
  return {
    ...configuration,
    upstream: { ...configuration.upstream, concurrency: 4, ...upstream },
    ...overrides,
  };
}

async function finish(child: ChildProcess): Promise<Finished> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((done) =>
    child.once('close', (...how) => done(how)),
  );
  return { code, signal, stdout, stderr, json: documentIn(stdout) };
}

function documentIn(stdout: string): unknown {
  try {
    return JSON.parse(stdout);
  } catch {
    return undefined;
  }
}
