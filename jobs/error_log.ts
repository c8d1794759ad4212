import type { Logger } from 'pino';
import type { Clock } from '../src/clock.ts';
import { messageOf } from '../src/errors.ts';
import { isConnectionError, isRedisReply } from '../src/redis/connection.ts';

/**
 * Logs errors that can occur many times a second, for example when Redis has no memory left. The first error of each
 * kind is logged immediately. Repetitions are counted and logged once per minute.
 */
export class ErrorLog {
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #kinds = new Map<string, { readonly loggedAtMs: number; repeated: number }>();
  #reply = { message: '', atMs: Number.NEGATIVE_INFINITY };

  constructor(log: Logger, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  /** The error that Redis returned in the last 15 seconds; null if Redis accepts this worker's commands. */
  get redisError(): string | null {
    return this.#clock.now() - this.#reply.atMs < REPLY_LASTS_MS ? this.#reply.message : null;
  }

  log(error: unknown, what: string): void {
    // The worker itself logs a lost connection once.
    if (isConnectionError(error)) {
      this.#log.debug({ err: error }, what);
      return;
    }
    const nowMs = this.#clock.now();
    // Remove the failed script's hash, which Redis appends.
    const message = messageOf(error).replace(/ script: [0-9a-f]{40}.*$/, '');
    const isReply = isRedisReply(error);
    if (isReply) this.#reply = { message, atMs: nowMs };
    // Errors of the same kind differ only in numbers. Redis rejects every command for the same reason.
    const isLockLost = LOST_LOCK.test(message);
    const kind = isLockLost
      ? JOB_AGAIN
      : (isReply ? message : `${what} ${message}`).replace(/[0-9a-f]*\d[0-9a-f]*/g, '#');
    const known = this.#kinds.get(kind);
    if (known !== undefined && nowMs - known.loggedAtMs < COUNT_EVERY_MS) {
      known.repeated += 1;
      return;
    }
    if (this.#kinds.size >= MAX_KINDS) this.#kinds.clear();
    this.#kinds.set(kind, { loggedAtMs: nowMs, repeated: 0 });
    const repeated = known === undefined ? {} : { repeated: known.repeated };
    // The stack of a reply only shows the Redis client.
    if (isReply) this.#log.error({ ...repeated, reply: message }, `Redis rejects commands: ${what}`);
    else if (isLockLost) this.#log.warn(repeated, JOB_AGAIN);
    else this.#log.error({ ...repeated, err: error }, what);
  }
}

/** BullMQ's errors about a job whose lock has expired. */
const LOST_LOCK = /^(?:could not renew|missing) lock for job /i;
const JOB_AGAIN =
  'the running job lost its lock, because Redis did not respond in time; the job starts again and repeats no loaded call';

// The worker renews its lease every 2.5 s and reconciles every 5 s, so a persistent error recurs within this time.
const REPLY_LASTS_MS = 15_000;
const COUNT_EVERY_MS = 60_000;
const MAX_KINDS = 100;
