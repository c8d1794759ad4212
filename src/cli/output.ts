import { styleText } from 'node:util';
import { type Environment, isSet, processEnvironment } from '../config/environment.ts';
import { MirrorError } from '../errors.ts';
import { printable, printableLines, printableText, UNPRINTABLE } from '../printable.ts';
import { explainSqlite } from '../sqlite/database_file.ts';
import { wrappedText } from './text_layout.ts';

/**
 * A command's output. Data is printed on standard output, and everything else on standard error. The output is text,
 * with progress lines on a terminal. With `--json`, it is exactly one JSON document. With `--quiet`, only problems that
 * need attention are printed.
 */
export interface Output {
  readonly mode: 'text' | 'json' | 'quiet';
  /** The terminal's width in columns, or Infinity if there is no terminal. */
  readonly columns: number;
  /** Prints the result of a command, such as `keys create`, as a JSON document or as text. */
  result(command: string, result: Result): void;
  /** Prints, in every output mode, a whole document in another format such as CSV. */
  document(text: string): void;
  /** Prints a line on standard error, but only on a terminal. Does nothing if the line is null. */
  note(line: string | null): void;
  /** Prints a line on standard error, except with `--quiet`. */
  announce(line: string): void;
  /** With `--verbose`, prints a line on standard error in every output mode. */
  detail(line: string): void;
  /** Prints a progress line, which the next output overwrites. An empty line clears it. */
  progress(line: string): void;
  style(style: Parameters<typeof styleText>[0], text: string): string;
}

/** What a command prints. */
export interface Result {
  /** Why the command failed. Absent or null if it succeeded. */
  readonly error?: ErrorText | null;
  /** The `data` in the JSON document, with keys in snake_case. */
  readonly data: unknown;
  readonly text: string;
  /** The text to print with `--quiet`. Absent or null if nothing needs attention. */
  readonly attention?: string | null;
  /** 0 by default, or 1 if there is an error. */
  readonly exitCode?: number;
}

/** The `error` in the JSON document. */
export interface ErrorText {
  readonly message: string;
  /** The recommended action, or null if the message already implies it. */
  readonly hint: string | null;
}

/**
 * Formats a command's JSON document on one line. `ok` is true if `error` is null. docs/output.schema.json describes the
 * document.
 */
function jsonDocument(command: string, data: unknown, error: ErrorText | null): string {
  const json = JSON.stringify({ ok: error === null, command, data, error });
  return `${json.replace(UNPRINTABLE, escaped)}\n`;
}

/**
 * Renames the keys of all objects in a value from camelCase to snake_case. Values with an upstream's keys, such as
 * records, must not be passed.
 */
export function snakeKeys<T>(value: T): unknown {
  if (Array.isArray(value)) return value.map(snakeKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [snakeCase(key), snakeKeys(one)]));
}

function snakeCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

interface OutputFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

export interface Streams {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Environment;
}

export function standardStreams(): Streams {
  return { stdout: process.stdout, stderr: process.stderr, env: processEnvironment() };
}

export function openOutput(flags: OutputFlags, { stdout, stderr, env }: Streams): Output {
  const mode = flags.quiet ? 'quiet' : flags.json || printsJson(stdout, env) ? 'json' : 'text';
  const isColoured = mode === 'text' && stdout.isTTY && !isSet(env.NO_COLOR) && env.TERM !== 'dumb';
  const showsProgress = mode === 'text' && stderr.isTTY && !isSet(env.CI);
  const clear = showsProgress ? '\r\x1b[K' : '';
  const columns = columnsOf(stdout);
  return {
    mode,
    columns,
    result: (command, { error = null, data, text, attention = null }) => {
      if (clear !== '') stderr.write(clear);
      if (mode === 'json') stdout.write(jsonDocument(command, data, error));
      else if (mode === 'text') stdout.write(`${fittedTo(stdout, text)}\n`);
      else if (attention !== null) stdout.write(`${printableText(attention)}\n`);
    },
    document: (text) => {
      stdout.write(stdout.isTTY ? printableLines(text.replaceAll('\r\n', '\n')) : text);
    },
    note: (line) => {
      if (line !== null && mode === 'text' && stderr.isTTY)
        stderr.write(`${clear}${fittedTo(stderr, line)}\n`);
    },
    announce: (line) => {
      if (mode !== 'quiet') stderr.write(`${clear}${fittedTo(stderr, line)}\n`);
    },
    detail: (line) => {
      if (flags.verbose) stderr.write(`${clear}${fittedTo(stderr, line)}\n`);
    },
    progress: (line) => {
      if (showsProgress) stderr.write(`${clear}${printable(line).slice(0, columnsOf(stderr) - 1)}`);
    },
    style: (style, text) => (isColoured ? styleText(style, text, { validateStream: false }) : text),
  };
}

/**
 * Returns whether the deprecated variable REGISTRY_MIRROR_PIPE asks for JSON without a terminal, as version 0.1 printed
 * it. The next minor version ignores this variable.
 */
function printsJson(stdout: NodeJS.WriteStream, env: Environment): boolean {
  return env.REGISTRY_MIRROR_PIPE === 'json' && !stdout.isTTY;
}

/** Joins the lines that are present. */
export function lines(...all: readonly (string | false | null)[]): string {
  return all.filter((line) => line !== false && line !== null).join('\n');
}

/** Prints an error once, in the format of `output`, and returns the exit code. */
export function printError(given: unknown, command: string, output: Output, streams: Streams): number {
  const { stdout, stderr } = streams;
  const error = explainSqlite(given, 'the warehouse or the ledger');
  output.progress('');
  for (let at = error; at instanceof Error; at = at.cause) output.detail(stackOf(at));
  const { message, hint, exitCode } =
    error instanceof MirrorError ? error : { message: UNEXPECTED, hint: null, exitCode: 1 };
  if (output.mode === 'json') stdout.write(jsonDocument(command, null, { message, hint }));
  else {
    const program = `registry-mirror ${command}`.trim();
    const text = `${program}: ${message}${hint === null ? '' : `\n  → ${hint}`}`;
    // A message can quote the user's arguments, so it has no styles.
    stderr.write(`${fittedTo(stderr, printableLines(text))}\n`);
  }
  if (!(error instanceof MirrorError)) stderr.write(`${stackOf(error)}\n`);
  return exitCode;
}

const UNEXPECTED = 'unexpected error; please report it';

/** Makes text safe, and breaks lines that are too wide for the terminal of `stream`. */
export function fittedTo(stream: NodeJS.WriteStream, text: string): string {
  return wrappedText(printableText(text), columnsOf(stream));
}

/** Returns 100 columns if the terminal reports 0, as can happen in containers and recorded sessions. */
function columnsOf({ isTTY, columns }: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>): number {
  if (!isTTY) return Number.POSITIVE_INFINITY;
  return columns === undefined || columns === 0 ? USUAL_COLUMNS : Math.max(columns, LEAST_COLUMNS);
}

const USUAL_COLUMNS = 100;
const LEAST_COLUMNS = 30;

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
