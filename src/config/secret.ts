import { createHash } from 'node:crypto';
import { inspect } from 'node:util';

/**
 * A secret that cannot be printed by accident, because text, JSON and inspection show `[key]`. Only `reveal()` returns
 * the secret, so searching for this word finds every use.
 */
export class Secret {
  readonly #value: string;
  readonly #problem: Error | null;

  constructor(value: string, problem: Error | null = null) {
    this.#value = value;
    this.#problem = problem;
  }

  /**
   * Creates a secret with an unknown value, for example because an environment variable is not set. `reveal()` throws
   * `problem`.
   */
  static unknown(problem: Error): Secret {
    return new Secret('', problem);
  }

  /** Why the value is unknown; null if it is known. */
  get problem(): Error | null {
    return this.#problem;
  }

  /** @throws the given problem if the value is unknown. */
  reveal(): string {
    if (this.#problem !== null) throw this.#problem;
    return this.#value;
  }

  /** The first 16 hexadecimal digits of the secret's SHA-256, which distinguish keys without revealing them. */
  get fingerprint(): string {
    return createHash('sha256').update(this.reveal()).digest('hex').slice(0, 16);
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

/**
 * A URL that may contain a user name, a password or a token in its path. Only its origin is printed, serialised or
 * inspected, for Redis with the number of the database.
 */
export class SecretUrl {
  readonly #url: URL;

  constructor(url: string) {
    this.#url = new URL(url);
  }

  reveal(): string {
    return this.#url.href;
  }

  get protocol(): string {
    return this.#url.protocol;
  }

  toString(): string {
    const { protocol, host, pathname } = this.#url;
    const database = /^rediss?:$/.test(protocol) ? (/^\/\d+$/.exec(pathname)?.[0] ?? '') : '';
    return protocol === 'unix:' ? `unix:${pathname}` : `${protocol}//${host}${database}`;
  }

  toJSON(): string {
    return this.toString();
  }

  [inspect.custom](): string {
    return this.toString();
  }
}
