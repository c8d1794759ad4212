import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Clock } from '../src/clock.ts';

/**
 * One worker serves a queue, the others stand by: a lease in Redis, by queue.
 *
 * In Redis and not in the warehouse, because the queue is what is led: a stand-by on another machine sees it too,
 * and a lease held for days must not keep `sync` out of the warehouse. It need not be perfect (a FLUSHALL may
 * make two leaders for one renewal): every run takes the warehouse's own lock, and every call the ledger's.
 */
export interface Leadership {
  /** Takes or keeps the lease; to be called every RENEW_EVERY_MS. Throws when Redis cannot be asked. */
  renew(): Promise<LeaseState>;
  release(): Promise<void>;
}

export type LeaseState =
  | { readonly leads: true; readonly isNew: boolean }
  | { readonly leads: false; readonly leader: LeaderFacts | null };

/** Who leads, for others to see. */
export const LeaderFacts = z.object({
  worker: z.string(),
  host: z.string(),
  pid: z.number(),
  since: z.string(),
  /** Tells the ledger file from any other: two workers of one account must spend from the same one. */
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
      const holder = (await redis.eval(TAKE_OR_KEEP, 1, key, value, LEASE_MS)) as string;
      const leads = holder === value;
      const isNew = leads && !wasLeading;
      wasLeading = leads;
      return leads ? { leads, isNew } : { leads, leader: readLeader(holder) };
    },
    release: async () => {
      wasLeading = false;
      await redis.eval(LET_GO, 1, key, value);
    },
  };
}

/** Who leads a queue at this moment; null: nobody. */
export async function leaderOf(redis: Redis, key: string): Promise<LeaderFacts | null> {
  const holder = await redis.get(key);
  return holder === null ? null : readLeader(holder);
}

/** Renews every few seconds until the signal, and says when it cannot. */
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

function readLeader(holder: string): LeaderFacts | null {
  try {
    return LeaderFacts.parse(JSON.parse(holder));
  } catch {
    return null;
  }
}

// Redis runs a script as one step: who reads "nobody" takes the lease before anyone else reads.
const TAKE_OR_KEEP = `
local holder = redis.call('GET', KEYS[1])
if not holder or holder == ARGV[1] then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return ARGV[1]
end
return holder`;

const LET_GO = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`;
