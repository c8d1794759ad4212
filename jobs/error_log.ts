import type { Logger } from 'pino';
import type { Clock } from '../src/clock.ts';
import { isConnectionError, isRedisReply, messageOf } from './redis.ts';

/**
 * Logs errors that can be repeated many times a second, for example when Redis has no memory left. The first error of
 * each kind is logged immediately. Repetitions are counted and logged once per minute.
 */
export interface ErrorLog {
  log(error: unknown, what: string): void;
  /** The error that Redis returned in the last 15 seconds; null: Redis accepts the commands of this worker. */
  readonly redisError: string | null;
}

export function openErrorLog(log: Logger, clock: Clock): ErrorLog {
  const kinds = new Map<string, { loggedAtMs: number; repeated: number }>();
  let lastReply: { readonly message: string; readonly atMs: number } | null = null;
  return {
    get redisError() {
      return lastReply !== null && clock.now() - lastReply.atMs < REPLY_LASTS_MS ? lastReply.message : null;
    },
    log: (error, what) => {
      // The worker logs the lost connection itself, once.
      if (isConnectionError(error)) return log.debug({ err: error }, what);
      const nowMs = clock.now();
      if (isRedisReply(error)) lastReply = { message: withoutScript(messageOf(error)), atMs: nowMs };
      const kind = kindOf(error, what);
      const known = kinds.get(kind);
      if (known !== undefined && nowMs - known.loggedAtMs < COUNT_EVERY_MS) {
        known.repeated += 1;
        return;
      }
      if (kinds.size >= MAX_KINDS) kinds.clear();
      kinds.set(kind, { loggedAtMs: nowMs, repeated: 0 });
      log.error({ err: error, ...(known && { repeated: known.repeated }) }, what);
    },
  };
}

/** Removes the hash of the script, which Redis appends. */
function withoutScript(message: string): string {
  return message.replace(/ script: [0-9a-f]{40}.*$/, '');
}

/** The kind of an error. Errors of the same kind differ only in numbers and in the hashes of scripts. */
function kindOf(error: unknown, what: string): string {
  return `${what} ${messageOf(error).replace(/[0-9a-f]*\d[0-9a-f]*/g, '#')}`;
}

// The worker renews its lease every 2.5 s and reconciles every 5 s, so an error that persists is repeated within this
// time.
const REPLY_LASTS_MS = 15_000;
const COUNT_EVERY_MS = 60_000;
const MAX_KINDS = 100;
