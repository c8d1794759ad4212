import { createHash } from 'node:crypto';
import { inspect } from 'node:util';

/**
 * A secret that cannot be printed by accident: as text, as JSON and under inspection it is `[key]`.
 * Only `reveal()` gives it out, so that a search for that word finds every place that uses it.
 */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  /** The first 16 hexadecimal digits of its SHA-256: tells two keys apart and gives neither away. */
  get fingerprint(): string {
    return createHash('sha256').update(this.#value).digest('hex').slice(0, 16);
  }

  toString(): string {
    return '[key]';
  }

  toJSON(): string {
    return '[key]';
  }

  [inspect.custom](): string {
    return '[key]';
  }
}

/** A URL that may hold a user name and a password: printed, it shows neither. */
export class SecretUrl {
  readonly #url: URL;

  constructor(url: string) {
    this.#url = new URL(url);
  }

  reveal(): string {
    return this.#url.href;
  }

  toString(): string {
    const shown = new URL(this.#url);
    shown.username = '';
    shown.password = '';
    shown.search = '';
    return shown.href;
  }

  toJSON(): string {
    return this.toString();
  }

  [inspect.custom](): string {
    return this.toString();
  }
}
