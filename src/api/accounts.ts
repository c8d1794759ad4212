import { hash, randomBytes } from 'node:crypto';
import { basename, dirname, extname, join } from 'node:path';
import type { AccountFile, StoredAccount } from '../warehouse/serve_accounts.ts';
import { fileVersion } from '../warehouse/serve_lists.ts';

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

/**
 * The accounts that may use the service. Changes in the file apply while the server runs: a new key is valid
 * immediately, and a revoked key is rejected within 250 ms.
 */
export class Accounts {
  readonly #file: AccountFile;
  readonly #now: () => number;
  readonly #versionOf: () => number;
  #version = -1;
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  #accounts: ReadonlyMap<string, Account> = new Map();
  /** The accounts' ids by the hash of the key. */
  #keys: ReadonlyMap<string, string> = new Map();

  constructor(file: AccountFile, now: () => number) {
    this.#file = file;
    this.#versionOf = fileVersion(file.db);
    this.#now = now;
  }

  /**
   * Returns the account that a key belongs to, or null for an unknown key. Keys are looked up by hash, so that the
   * lookup time does not reveal how much of a key is correct.
   */
  byKey(key: string): Account | null {
    const hashed = hashOfKey(key).toString('base64');
    const nowMs = this.#now();
    if (nowMs - this.#checkedAtMs > CHECK_EVERY_MS || !this.#keys.has(hashed)) this.#check(nowMs);
    return this.#accounts.get(this.#keys.get(hashed) ?? '') ?? null;
  }

  all(): Account[] {
    this.read();
    return [...this.#accounts.values()];
  }

  /** Reads the accounts and keys again. */
  read(): void {
    const before = this.#accounts;
    this.#accounts = new Map(
      this.#file.accounts().map((row) => [row.accountId, accountOf(row, before.get(row.accountId))]),
    );
    const valid = this.#file.keys().filter(({ revokedAt }) => revokedAt === null);
    this.#keys = new Map(valid.map(({ hash: stored, accountId }) => [stored.toString('base64'), accountId]));
  }

  #check(nowMs: number): void {
    const present = this.#versionOf();
    if (present !== this.#version) this.read();
    this.#version = present;
    this.#checkedAtMs = nowMs;
  }
}

const CHECK_EVERY_MS = 250;

/**
 * Converts a row to an account. If the limits are unchanged, the same limits object is kept, because the meter reads
 * the counts again for a new object.
 */
function accountOf(row: StoredAccount, before: Account | undefined): Account {
  const { accountId: id, tier, isSuspended, perMinute, total, perDay, day } = row;
  const limits: Limits = { perMinute, total, perDay, day };
  const isSame = before !== undefined && JSON.stringify(before.limits) === JSON.stringify(limits);
  return { id, tier: tier as Tier, suspended: isSuspended === 1, limits: isSame ? before.limits : limits };
}

/** A new key, which consists of a public id that starts with `rm_`, and a secret. */
interface NewKey {
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
export function hashOfKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

const KEY = /^(rm_[0-9a-f]{10})_[\w-]{32}$/;

/** Returns the accounts file's path. The file is beside the ledger and has a similar name. */
export function accountsBeside(ledgerPath: string): string {
  const extension = extname(ledgerPath);
  const name = basename(ledgerPath, extension);
  const named = name.includes('ledger') ? name.replace('ledger', 'accounts') : `${name}-accounts`;
  return join(dirname(ledgerPath), named + extension);
}
