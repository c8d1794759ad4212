import type { Logger } from 'pino';
import type { Clock } from '../src/clock.ts';
import { messageOf } from '../src/errors.ts';
import { isConnectionError, isRedisReply } from '../src/redis/connection.ts';

/**
 * Logs errors that can occur many times a second, for example when Redis has no memory left. The first error of each
 * kind is logged immediately. Repetitions are counted and logged once per minute.
 */
export interface ErrorLog {
  log(error: unknown, what: string): void;
  /** The error that Redis returned in the last 15 seconds; null if Redis accepts this worker's commands. */
  readonly redisError: string | null;
}

export function openErrorLog(log: Logger, clock: Clock): ErrorLog {
  const kinds = new Map<string, { readonly loggedAtMs: number; repeated: number }>();
  let reply = { message: '', atMs: Number.NEGATIVE_INFINITY };
  return {
    get redisError() {
      return clock.now() - reply.atMs < REPLY_LASTS_MS ? reply.message : null;
    },
    log: (error, what) => {
      // The worker itself logs a lost connection once.
      if (isConnectionError(error)) return log.debug({ err: error }, what);
      const nowMs = clock.now();
      // Remove the failed script's hash, which Redis appends.
      const message = messageOf(error).replace(/ script: [0-9a-f]{40}.*$/, '');
      const isReply = isRedisReply(error);
      if (isReply) reply = { message, atMs: nowMs };
      // Errors of the same kind differ only in numbers. Redis rejects every command for the same reason.
      const kind = (isReply ? message : `${what} ${message}`).replace(/[0-9a-f]*\d[0-9a-f]*/g, '#');
      const known = kinds.get(kind);
      if (known !== undefined && nowMs - known.loggedAtMs < COUNT_EVERY_MS) {
        known.repeated += 1;
        return;
      }
      if (kinds.size >= MAX_KINDS) kinds.clear();
      kinds.set(kind, { loggedAtMs: nowMs, repeated: 0 });
      const repeated = known === undefined ? {} : { repeated: known.repeated };
      // The stack of a reply only shows the Redis client.
      if (isReply) log.error({ ...repeated, reply: message }, `Redis rejects commands: ${what}`);
      else log.error({ ...repeated, err: error }, what);
    },
  };
}

// The worker renews its lease every 2.5 s and reconciles every 5 s, so a persistent error recurs within this time.
const REPLY_LASTS_MS = 15_000;
const COUNT_EVERY_MS = 60_000;
const MAX_KINDS = 100;
