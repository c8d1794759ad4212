import { createHash, randomBytes } from 'node:crypto';

/**
 * Who may ask. The HTTP layer knows accounts and meters only through these two interfaces; here they live in
 * memory, and a store with hashed keys and persistent counts can take their place.
 */
export interface Accounts {
  /** The account that a key belongs to; null where there is none. Must not leak by its timing. */
  byKey(key: string): Account | null;
}

export interface Account {
  readonly id: string;
  readonly tier: Tier;
  /** A suspended account is known, and refused with 403. */
  readonly suspended: boolean;
  readonly limits: Limits;
}

export type Tier = 'free' | 'paid';

/** null: no such limit. */
export interface Limits {
  /** Requests within any 60 seconds. */
  readonly perMinute: number | null;
  /** Requests in all, ever. */
  readonly total: number | null;
  /** Requests a day. */
  readonly perDay: number | null;
  /** utc: a day begins at midnight UTC · rolling: any 24 hours. */
  readonly day: 'utc' | 'rolling';
}

export const NO_LIMITS: Limits = { perMinute: null, total: null, perDay: null, day: 'utc' };

export interface AccountOptions extends Partial<Limits> {
  readonly id: string;
  /** Made at random where none is given. */
  readonly key?: string;
  readonly tier?: Tier;
  /** Calls made before, which count against the total. */
  readonly used?: number;
}

/** Accounts in memory, which a test can suspend, give another key, or give other limits. */
export interface LivingAccounts extends Accounts {
  /** The key of an account, in the clear. Throws for an unknown account. */
  keyOf(accountId: string): string;
  all(): readonly Account[];
  suspend(accountId: string, suspended?: boolean): void;
  /** Gives the account another key; the old one is refused from now on. */
  rekey(accountId: string, key?: string): string;
  limit(accountId: string, limits: Partial<Limits>): void;
}

export function livingAccounts(options: readonly AccountOptions[]): LivingAccounts {
  const accounts = new Map<string, { account: Account; key: string }>();
  const byHash = new Map<string, string>();
  for (const { id, key = makeKey(), tier = 'paid', ...limits } of options) {
    const account = { id, tier, suspended: false, limits: limitsOf(limits) };
    if (accounts.has(id) || byHash.has(hashOf(key)))
      throw new Error(`account "${id}" or its key stands twice`);
    accounts.set(id, { account, key });
    byHash.set(hashOf(key), id);
  }
  const held = (id: string) => {
    const found = accounts.get(id);
    if (found === undefined) throw new Error(`there is no account "${id}"`);
    return found;
  };

  return {
    // Looked up by its hash, so that the time taken says nothing about how much of a key was right.
    byKey: (key) => accounts.get(byHash.get(hashOf(key)) ?? '')?.account ?? null,
    keyOf: (id) => held(id).key,
    all: () => [...accounts.values()].map(({ account }) => account),
    suspend(id, suspended = true) {
      const { account, key } = held(id);
      accounts.set(id, { key, account: { ...account, suspended } });
    },
    rekey(id, key = makeKey()) {
      const { account, key: old } = held(id);
      byHash.delete(hashOf(old));
      byHash.set(hashOf(key), id);
      accounts.set(id, { account, key });
      return key;
    },
    limit(id, limits) {
      const { account, key } = held(id);
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
