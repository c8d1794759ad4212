import { timingSafeEqual } from 'node:crypto';
import type { AccountFile, StoredAccount } from '../../warehouse/serve_accounts.ts';
import type { Account, Accounts, Limits, Tier } from '../accounts.ts';
import { hashOfKey, keyIdOf } from './keys.ts';

/** Accounts out of their file; keys that are made or revoked while the server runs count at once. */
export function mirrorAccounts(file: AccountFile): Accounts {
  let version = -1;
  let accounts: ReadonlyMap<string, Account> = new Map();
  let keys: ReadonlyMap<string, HeldKey> = new Map();

  const readAnew = () => {
    accounts = new Map(
      file.accounts().map((row) => [row.accountId, accountOf(row, accounts.get(row.accountId))]),
    );
    const valid = file.keys().filter(({ revokedAt }) => revokedAt === null);
    keys = new Map(valid.map(({ keyId, hash, accountId }) => [keyId, { hash, accountId }]));
  };

  return {
    byKey(key) {
      const present = file.version();
      if (present !== version) readAnew();
      version = present;
      // A key that is not known is hashed and compared like one that is.
      const held = keys.get(keyIdOf(key)) ?? NOBODY;
      return timingSafeEqual(hashOfKey(key), held.hash) ? (accounts.get(held.accountId) ?? null) : null;
    },
  };
}

interface HeldKey {
  readonly hash: Buffer;
  readonly accountId: string;
}

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
