import pino, { type Logger } from 'pino';
import type { Config } from '../src/config/config.ts';

/**
 * Logs as JSON lines on standard error. Nothing that holds a key is ever handed to it: configurations are not
 * logged, errors say what they say and no more, and a Secret that went astray would print as `[key]`.
 */
export function openLogger(level: Config['worker']['log_level']): Logger {
  return pino(
    {
      base: { pid: process.pid },
      level,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describedError },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}

/** Of an error its words, its code and where it was thrown: not the objects that libraries hang on to it. */
function describedError(error: unknown) {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message, name, stack } = error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { type: name, message, ...(code !== undefined && { code }), stack };
}
