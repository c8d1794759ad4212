import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Clock } from '../src/clock.ts';
import type { Config } from '../src/config/config.ts';
import { UsageError } from '../src/errors.ts';

/**
 * A lease in Redis for each queue. The worker that holds the lease processes the queue, and the other workers are on
 * standby.
 *
 * The lease is stored in Redis and not in the warehouse, so that standbys on other machines can see it and a lease that
 * lasts for days does not block `sync`. After a FLUSHALL, two workers can lead until the next renewal. This is safe,
 * because every run takes the warehouse's lock and every call is debited in the ledger.
 */
export interface Leadership {
  /** Takes or renews the lease. Call it every RENEW_EVERY_MS. Throws if Redis does not respond. */
  renew(): Promise<LeaseState>;
  release(): Promise<void>;
}

export type LeaseState =
  | { readonly leads: true; readonly isNew: boolean }
  | { readonly leads: false; readonly leader: LeaderFacts | null };

/** The facts about the leader that other workers and `status` can read. */
export const LeaderFacts = z.object({
  worker: z.string(),
  host: z.string(),
  pid: z.number(),
  since: z.string(),
  /** Identity of the leader's ledger file. Two workers of one account must use the same ledger. */
  ledger: z.string(),
});
export type LeaderFacts = z.infer<typeof LeaderFacts>;

export const LEASE_MS = 10_000;
export const RENEW_EVERY_MS = 2500;

export function openLeadership(redis: Redis, key: string, own: LeaderFacts): Leadership {
  const value = JSON.stringify(own);
  let wasLeading = false;
  return {
    renew: async () => {
      const holder = (await redis.eval(TAKE_OR_RENEW, 1, key, value, LEASE_MS)) as string;
      const leads = holder === value;
      const isNew = leads && !wasLeading;
      wasLeading = leads;
      return leads ? { leads, isNew } : { leads, leader: readLeader(holder) };
    },
    release: async () => {
      wasLeading = false;
      await redis.eval(RELEASE, 1, key, value);
    },
  };
}

/** The current leader of a queue; null: no worker leads. */
export async function leaderOf(redis: Redis, key: string): Promise<LeaderFacts | null> {
  const holder = await redis.get(key);
  return holder === null ? null : readLeader(holder);
}

/** Renews the lease every RENEW_EVERY_MS until the signal aborts, and reports each state or error. */
export async function keepLeading(options: {
  readonly leadership: Leadership;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onState: (state: LeaseState) => Promise<void>;
  readonly onUnreachable: (error: unknown) => void;
}): Promise<void> {
  const { leadership, clock, signal, onState, onUnreachable } = options;
  while (!signal.aborted) {
    try {
      await onState(await leadership.renew());
    } catch (error) {
      onUnreachable(error);
    }
    await clock.sleep(RENEW_EVERY_MS, signal);
  }
}

/** The error for a worker on standby if the leader counts the calls of the same account in a different ledger. */
export function otherLedgerError(config: Config, { host, pid, worker }: LeaderFacts): UsageError {
  return new UsageError(
    `another worker (${worker}, process ${pid} on ${host}) already serves account ${config.account.id} of ${config.source.name} and counts its calls in another ledger`,
    {
      hint:
        'With two ledgers an account would spend its allowance twice. Stop one of the workers, or set the same ' +
        '`ledger` in both configurations. If these are two registries, set different `source.name` or `account.id`.',
    },
  );
}

function readLeader(holder: string): LeaderFacts | null {
  try {
    return LeaderFacts.parse(JSON.parse(holder));
  } catch {
    return null;
  }
}

// Redis runs a script atomically: no other worker can take the lease between GET and SET.
const TAKE_OR_RENEW = `
local holder = redis.call('GET', KEYS[1])
if not holder or holder == ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return ARGV[1]
end
return holder`;

const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;
