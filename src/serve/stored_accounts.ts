import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { basename, dirname, extname, join } from 'node:path';
import type { Account, Accounts, Limits, Tier } from '../api/accounts.ts';
import type { AccountFile, StoredAccount } from '../warehouse/serve_accounts.ts';

/** The accounts' file: beside the ledger, and named after it. */
export function accountsBeside(ledgerPath: string): string {
  const extension = extname(ledgerPath);
  const name = basename(ledgerPath, extension);
  const named = name.includes('ledger') ? name.replace('ledger', 'accounts') : `${name}-accounts`;
  return join(dirname(ledgerPath), named + extension);
}

/**
 * Accounts out of their file. While the server runs, a key that is made counts at once, and one that is revoked
 * is refused within a quarter of a second.
 */
export function mirrorAccounts(file: AccountFile, now: () => number): Accounts {
  let version = -1;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let accounts: ReadonlyMap<string, Account> = new Map();
  let keys: ReadonlyMap<string, HeldKey> = new Map();

  const readAnew = () => {
    accounts = new Map(
      file.accounts().map((row) => [row.accountId, accountOf(row, accounts.get(row.accountId))]),
    );
    const valid = file.keys().filter(({ revokedAt }) => revokedAt === null);
    keys = new Map(valid.map(({ keyId, hash, accountId }) => [keyId, { hash, accountId }]));
  };

  const look = (nowMs: number) => {
    const present = file.version();
    if (present !== version) readAnew();
    version = present;
    lookedAtMs = nowMs;
  };

  return {
    byKey(key) {
      const keyId = keyIdOf(key);
      const nowMs = now();
      if (nowMs - lookedAtMs > LOOK_EVERY_MS || !keys.has(keyId)) look(nowMs);
      // A key that is not known is hashed and compared like one that is.
      const held = keys.get(keyId) ?? NOBODY;
      return timingSafeEqual(hashOfKey(key), held.hash) ? (accounts.get(held.accountId) ?? null) : null;
    },
  };
}

interface HeldKey {
  readonly hash: Buffer;
  readonly accountId: string;
}

const LOOK_EVERY_MS = 250;
const NOBODY: HeldKey = { hash: Buffer.alloc(32), accountId: '' };

/** The account as it was where nothing changed: the meter takes other limits for a change of limits. */
function accountOf(row: StoredAccount, before: Account | undefined): Account {
  const { accountId: id, perMinute, total, perDay } = row;
  const limits: Limits = { perMinute, total, perDay, day: 'utc' };
  const isSame = before !== undefined && JSON.stringify(before.limits) === JSON.stringify(limits);
  return {
    id,
    tier: row.tier as Tier,
    suspended: row.isSuspended === 1,
    limits: isSame ? before.limits : limits,
  };
}

/** A key of an account: `rm_` and its public id, then the secret. */
export interface NewKey {
  readonly keyId: string;
  /** Shown once, and kept nowhere. */
  readonly key: string;
  readonly hash: Buffer;
}

export function makeKey(): NewKey {
  const keyId = `rm_${randomBytes(5).toString('hex')}`;
  const key = `${keyId}_${randomBytes(24).toString('base64url')}`;
  return { keyId, key, hash: hashOfKey(key) };
}

/** The public id of a key; '' where it has none of ours. */
export function keyIdOf(key: string): string {
  return KEY.exec(key)?.[1] ?? '';
}

/** SHA-256 is enough, and scrypt would be waste: the secret is 192 random bits, not a word that can be guessed. */
export function hashOfKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

const KEY = /^(rm_[0-9a-f]{10})_[\w-]{32}$/;
