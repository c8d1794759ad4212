import { createHash, randomBytes } from 'node:crypto';

/** The accounts that may use the service. The sandbox keeps them in memory, and `serve` stores them in a file. */
export interface Accounts {
  /**
   * Returns the account that a key belongs to, or null for an unknown key. The lookup time must not reveal how much of
   * a key is correct.
   */
  byKey(key: string): Account | null;
}

export interface Account {
  readonly id: string;
  readonly tier: Tier;
  /** Whether requests are rejected with 403. */
  readonly suspended: boolean;
  readonly limits: Limits;
}

export type Tier = 'free' | 'paid';

/** An account's limits. Null means no limit. */
export interface Limits {
  /** The maximum number of requests in any 60 seconds. */
  readonly perMinute: number | null;
  /** The maximum number of requests ever. This limit never resets. */
  readonly total: number | null;
  /** The maximum number of requests per day. */
  readonly perDay: number | null;
  /** `utc`: a day starts at midnight UTC. `rolling`: a day is the last 24 hours. */
  readonly day: 'utc' | 'rolling';
}

export const NO_LIMITS: Limits = { perMinute: null, total: null, perDay: null, day: 'utc' };

export interface AccountOptions extends Partial<Limits> {
  readonly id: string;
  /** The default is a random key. */
  readonly key?: string;
  readonly tier?: Tier;
  /** The number of earlier requests that count towards the total. */
  readonly used?: number;
}

/**
 * Accounts in memory. Tests can suspend them and change their keys and limits. The methods throw an error for an
 * unknown account id.
 */
export interface MemoryAccounts extends Accounts {
  /** Returns an account's key in plain text. */
  keyOf(accountId: string): string;
  all(): readonly Account[];
  suspend(accountId: string, suspended?: boolean): void;
  /** Replaces an account's key and returns the new key. The service rejects the old key immediately. */
  rekey(accountId: string, key?: string): string;
  limit(accountId: string, limits: Partial<Limits>): void;
}

export function memoryAccounts(options: readonly AccountOptions[]): MemoryAccounts {
  const accounts = new Map<string, { account: Account; key: string }>();
  const byHash = new Map<string, string>();
  for (const { id, key = makeKey(), tier = 'paid', ...limits } of options) {
    const account = { id, tier, suspended: false, limits: limitsOf(limits) };
    if (accounts.has(id) || byHash.has(hashOf(key)))
      throw new Error(`Two accounts have the id "${id}" or the same key.`);
    accounts.set(id, { account, key });
    byHash.set(hashOf(key), id);
  }
  const entryOf = (id: string) => {
    const found = accounts.get(id);
    if (found === undefined) throw new Error(`No account has the id "${id}".`);
    return found;
  };

  return {
    // Keys are looked up by hash, so that the lookup time does not reveal how much of a key is correct.
    byKey: (key) => accounts.get(byHash.get(hashOf(key)) ?? '')?.account ?? null,
    keyOf: (id) => entryOf(id).key,
    all: () => [...accounts.values()].map(({ account }) => account),
    suspend(id, suspended = true) {
      const { account, key } = entryOf(id);
      accounts.set(id, { key, account: { ...account, suspended } });
    },
    rekey(id, key = makeKey()) {
      const { account, key: old } = entryOf(id);
      byHash.delete(hashOf(old));
      byHash.set(hashOf(key), id);
      accounts.set(id, { account, key });
      return key;
    },
    limit(id, limits) {
      const { account, key } = entryOf(id);
      accounts.set(id, { key, account: { ...account, limits: { ...account.limits, ...limits } } });
    },
  };
}

function limitsOf(limits: Partial<Limits>): Limits {
  const { perMinute = null, total = null, perDay = null, day = 'utc' } = limits;
  return { perMinute, total, perDay, day };
}

function makeKey(): string {
  return `sk_${randomBytes(18).toString('base64url')}`;
}

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('base64');
}
