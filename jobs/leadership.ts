import { statSync } from 'node:fs';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Config } from '../src/config/config.ts';
import { UsageError } from '../src/errors.ts';

/**
 * A lease in Redis for each queue. The worker that holds the lease processes the queue, and the other workers are on
 * standby.
 *
 * The lease is stored in Redis, so that standbys on other machines can read it. If the warehouse stored it, a lease
 * held for days would block `sync`. After a FLUSHALL, two workers can lead until the next renewal. This is safe,
 * because every run takes the warehouse's lock and every call is debited in the ledger.
 */
export class Leadership {
  readonly #redis: Redis;
  readonly #key: string;
  readonly #own: string;

  constructor(redis: Redis, key: string, own: LeaderFacts) {
    this.#redis = redis;
    this.#key = key;
    this.#own = JSON.stringify(own);
  }

  /** Takes or renews the lease. Call it every RENEW_EVERY_MS. Throws if Redis does not respond. */
  async renew(): Promise<Lease> {
    const holder = String(await this.#redis.eval(TAKE_OR_RENEW, 1, this.#key, this.#own, LEASE_MS));
    return { leads: holder === this.#own, leader: readLeader(holder) };
  }

  async release(): Promise<void> {
    await this.#redis.eval(RELEASE, 1, this.#key, this.#own);
  }
}

interface Lease {
  /** Whether this worker holds the lease. */
  readonly leads: boolean;
  /** The worker that holds the lease; null if another version of the program wrote the lease. */
  readonly leader: LeaderFacts | null;
}

/** The facts about the leader that other workers and `status` can read. */
const LeaderFacts = z.object({
  worker: z.string(),
  host: z.string(),
  pid: z.number(),
  since: z.string(),
  /** Identifies the leader's ledger file. All workers for one account must use the same ledger. */
  ledger: z.string(),
});
export type LeaderFacts = z.infer<typeof LeaderFacts>;

const LEASE_MS = 10_000;
export const RENEW_EVERY_MS = 2500;

/** Returns the current leader of a queue, or null if no worker leads. */
export async function leaderOf(redis: Redis, key: string): Promise<LeaderFacts | null> {
  return readLeader((await redis.get(key)) ?? 'null');
}

function readLeader(holder: string): LeaderFacts | null {
  try {
    return LeaderFacts.parse(JSON.parse(holder));
  } catch {
    return null;
  }
}

/** Identifies a file, whatever path is used to open it. */
export function identityOf(path: string): string {
  const stats = statSync(path, { bigint: true });
  return `${stats.dev}:${stats.ino}`;
}

/** Returns the error that a standby reports if the leader counts the same account's calls in another ledger. */
export function otherLedgerError(config: Config, { host, pid, worker }: LeaderFacts): UsageError {
  return new UsageError(
    `another worker (${worker}, process ${pid} on ${host}) already serves account ${config.account.id} of ${config.source.name} and counts its calls in another ledger`,
    {
      hint:
        'With two ledgers, an account would spend its allowance twice. Stop one of the workers, or set the same ' +
        '`ledger` in both configurations. If these are two registries, set different `source.name` or `account.id`.',
    },
  );
}

// Redis runs a script atomically, so no other worker can take the lease between GET and SET.
const TAKE_OR_RENEW = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return holder end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return ARGV[1]`;
const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;
