import { type ChildProcess, spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { main } from '../../src/cli/main.ts';

const root = resolve(import.meta.dirname, '../..');
const BIN = join(root, 'src/cli/bin.js');

/** A command that runs in a separate process. */
export interface Command {
  readonly process: ChildProcess;
  readonly finished: Promise<Finished>;
}

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The error message with its remedy, from the JSON document or from standard error. */
  readonly said: string;
  /** The JSON document on standard output, or undefined if there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests check single fields of the document
  readonly json: any;
}

export interface CommandSettings {
  /** The working directory, which is the project's folder by default. */
  readonly cwd?: string | undefined;
  /** Environment variables in addition to this process's own. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a command in a separate process. */
export function startCommand(args: readonly string[], { cwd = root, env }: CommandSettings = {}): Command {
  const child = spawn(process.execPath, [BIN, ...args], { cwd, env: { ...process.env, ...env } });
  return { process: child, finished: finish(child) };
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
  return { code, signal, ...readable({ stdout, stderr }) };
}

/** The terminal's width in columns, or null if a pipe receives the output. */
type Columns = number | null;

let previous: Promise<unknown> = Promise.resolve();

/**
 * Runs a command in this process, which needs a tenth of a separate process's CPU time. Commands run one at a time,
 * because they share the standard streams, the folder and the environment.
 */
export function runCommand(
  args: readonly string[],
  settings: CommandSettings & { readonly columns?: Columns } = {},
): Promise<Finished> {
  const finished = previous.then(() => runInside(args, settings));
  previous = finished.catch(() => {});
  return finished;
}

async function runInside(
  args: readonly string[],
  { cwd = root, env = {}, columns = null }: CommandSettings & { readonly columns?: Columns },
): Promise<Finished> {
  const printed = { stdout: '', stderr: '' };
  const before = { cwd: process.cwd(), env: { ...process.env } };
  const streams = (['stdout', 'stderr'] as const).map((name) => {
    const collect = (text: string | Uint8Array) => {
      printed[name] += typeof text === 'string' ? text : Buffer.from(text).toString();
      return true;
    };
    return redirect(process[name], collect, columns);
  });
  Object.assign(process.env, env);
  process.chdir(cwd);
  try {
    await main(args);
    return { code: Number(process.exitCode ?? 0), signal: null, ...readable(printed) };
  } finally {
    for (const restore of streams) restore();
    process.exitCode = undefined;
    process.chdir(before.cwd);
    for (const name of Object.keys(env)) {
      if (before.env[name] === undefined) delete process.env[name];
      else process.env[name] = before.env[name];
    }
  }
}

/** Passes everything that is written to a stream to `write`. The returned function restores the stream. */
function redirect(
  stream: NodeJS.WriteStream,
  write: NodeJS.WriteStream['write'],
  columns: Columns,
): () => void {
  const before = { isTTY: stream.isTTY, columns: stream.columns, write: stream.write };
  const listeners = stream.listeners('error');
  Object.assign(stream, { isTTY: columns !== null, columns: columns ?? undefined, write });
  return () => {
    Object.assign(stream, before);
    for (const one of stream.listeners('error'))
      if (!listeners.includes(one)) stream.off('error', one as () => void);
  };
}

function readable({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) {
  const json = documentIn(stdout);
  const { message, hint } = json?.error ?? {};
  const said = message === undefined ? stderr : `${message}\n  → ${hint ?? ''}\n${stderr}`;
  return { stdout, stderr, said, json };
}

// biome-ignore lint/suspicious/noExplicitAny: tests check single fields of the document
function documentIn(stdout: string): any {
  try {
    return JSON.parse(stdout);
  } catch {
    return undefined;
  }
}
