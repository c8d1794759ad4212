import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { basename, dirname, extname, join } from 'node:path';
import type { Account, Accounts, Limits, Tier } from '../api/accounts.ts';
import type { AccountFile, StoredAccount } from '../warehouse/serve_accounts.ts';

/** Returns the accounts file's path. The file is beside the ledger and has a similar name. */
export function accountsBeside(ledgerPath: string): string {
  const extension = extname(ledgerPath);
  const name = basename(ledgerPath, extension);
  const named = name.includes('ledger') ? name.replace('ledger', 'accounts') : `${name}-accounts`;
  return join(dirname(ledgerPath), named + extension);
}

/**
 * Opens the accounts in the accounts file. Changes apply while the server runs: a new key is valid immediately, and a
 * revoked key is rejected within 250 ms.
 */
export function storedAccounts(file: AccountFile, now: () => number): Accounts {
  let version = -1;
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  let accounts: ReadonlyMap<string, Account> = new Map();
  let keys: ReadonlyMap<string, StoredKey> = new Map();

  const readFile = () => {
    accounts = new Map(
      file.accounts().map((row) => [row.accountId, accountOf(row, accounts.get(row.accountId))]),
    );
    const valid = file.keys().filter(({ revokedAt }) => revokedAt === null);
    keys = new Map(valid.map(({ keyId, hash, accountId }) => [keyId, { hash, accountId }]));
  };

  const checkFile = (nowMs: number) => {
    const present = file.version();
    if (present !== version) readFile();
    version = present;
    checkedAtMs = nowMs;
  };

  return {
    byKey(key) {
      const keyId = keyIdOf(key);
      const nowMs = now();
      if (nowMs - checkedAtMs > CHECK_EVERY_MS || !keys.has(keyId)) checkFile(nowMs);
      // An unknown key is also hashed and compared, so that the response time does not reveal whether its id exists.
      const stored = keys.get(keyId) ?? NO_KEY;
      return timingSafeEqual(hashOfKey(key), stored.hash) ? (accounts.get(stored.accountId) ?? null) : null;
    },
  };
}

interface StoredKey {
  readonly hash: Buffer;
  readonly accountId: string;
}

const CHECK_EVERY_MS = 250;
const NO_KEY: StoredKey = { hash: Buffer.alloc(32), accountId: '' };

/**
 * Converts a row to an account. If the limits are unchanged, the same limits object is kept, because the meter restarts
 * its windows for a new object.
 */
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

/** A new key, which consists of a public id that starts with `rm_`, and a secret. */
export interface NewKey {
  readonly keyId: string;
  /** The complete key. It is shown once and never stored. */
  readonly key: string;
  readonly hash: Buffer;
}

export function makeKey(): NewKey {
  const keyId = `rm_${randomBytes(5).toString('hex')}`;
  const key = `${keyId}_${randomBytes(24).toString('base64url')}`;
  return { keyId, key, hash: hashOfKey(key) };
}

/** Returns the public id of a key, or '' if the key has an unknown format. */
export function keyIdOf(key: string): string {
  return KEY.exec(key)?.[1] ?? '';
}

/** Hashes a key with SHA-256. A slow hash such as scrypt is not necessary, because the secret has 192 random bits. */
function hashOfKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

const KEY = /^(rm_[0-9a-f]{10})_[\w-]{32}$/;
