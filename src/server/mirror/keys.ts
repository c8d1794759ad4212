import { hash, randomBytes } from 'node:crypto';

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
