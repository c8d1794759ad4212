import { randomBytes } from 'node:crypto';
import { Accounts, hashOfKey, type Limits, NO_LIMITS, type Tier } from '../api/accounts.ts';
import { type AccountFile, openAccountFile } from '../warehouse/serve_accounts.ts';

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
export class SandboxAccounts extends Accounts {
  readonly file: AccountFile;
  readonly #keys = new Map<string, string>();

  constructor(options: readonly AccountOptions[], now: () => number) {
    const file = openAccountFile(null);
    super(file, now);
    this.file = file;
    for (const { id, key, tier = 'paid', used = 0, ...limits } of options) {
      this.file.addAccount({ accountId: id, tier, ...NO_LIMITS, ...limits }, now());
      if (used > 0) this.file.saveUse([{ ...UNUSED, accountId: id, usedTotal: used }]);
      this.rekey(id, key);
    }
  }

  /** Returns an account's key in plain text. */
  keyOf(accountId: string): string {
    const key = this.#keys.get(accountId);
    if (key === undefined) throw new Error(`No account has the id "${accountId}".`);
    return key;
  }

  suspend(accountId: string, suspended = true): void {
    this.file.suspend(accountId, suspended);
    this.read();
  }

  /** Replaces an account's key and returns the new key. The service rejects the old key immediately. */
  rekey(accountId: string, key = `sk_${randomBytes(18).toString('base64url')}`): string {
    const before = this.#keys.get(accountId);
    if (before !== undefined) this.file.revoke(before, 0);
    this.file.addKey({ keyId: key, accountId, hash: hashOfKey(key) }, 0);
    this.#keys.set(accountId, key);
    this.read();
    return key;
  }

  limit(accountId: string, limits: Partial<Limits>): void {
    const account = this.all().find(({ id }) => id === accountId);
    if (account === undefined) throw new Error(`No account has the id "${accountId}".`);
    this.file.setLimits(accountId, { tier: account.tier, ...account.limits, ...limits });
    this.read();
  }
}

const UNUSED = { usedDay: 0, usedToday: 0, latest: { second: 0, requests: 0 }, ended: [] };
