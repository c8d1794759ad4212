import type { Writable } from 'node:stream';
import { format } from 'node:util';
import pino, { type DestinationStream, type Logger } from 'pino';
import { prettyFactory } from 'pino-pretty';
import type { Config } from '../config/config.ts';
import { isSet, processEnvironment } from '../config/environment.ts';
import { printable, printableText } from '../printable.ts';

/**
 * Opens a logger that writes to standard error: JSON lines, or readable lines for a terminal. Log lines cannot contain
 * API keys, because configurations are not logged, errors are logged with selected fields only, and a Secret is printed
 * as `[key]`.
 */
export function openLogger(
  level: Config['worker']['log_level'],
  isReadable = false,
  destination: Writable | null = null,
): Logger {
  return pino(
    {
      base: { pid: process.pid },
      level,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describedError },
    },
    isReadable ? readableLines(destination) : (destination ?? pino.destination({ dest: 2, sync: true })),
  );
}

/** Formats log lines for a terminal: time, level, message, then the other values. */
function readableLines(destination: Writable | null): DestinationStream {
  const format = prettyFactory({
    colorize: destination === null && !isSet(processEnvironment().NO_COLOR),
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid',
    singleLine: true,
  });
  const out = destination ?? process.stderr;
  return { write: (line) => void out.write(format(JSON.parse(line, printableValue))) };
}

/** A stack is the only text with several lines. */
function printableValue(key: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return key === 'stack' ? printableText(value) : printable(value);
}

/** Sends console output from libraries and warnings from Node.js to the log, so that every line is JSON. */
export function captureConsole(log: Logger): void {
  for (const method of ['log', 'info', 'warn', 'error'] as const)
    console[method] = (...values: unknown[]) => log.warn({ from: 'a library' }, format(...values));
  process.removeAllListeners('warning');
  process.on('warning', (warning) => log.warn({ err: warning }, 'Node.js warning'));
}

/** Logs an error's message, code and stack, without the objects that libraries attach to it. */
function describedError(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message, name, stack } = error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { type: name, message, ...(code !== undefined && { code }), stack };
}
