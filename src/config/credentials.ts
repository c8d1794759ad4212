import { createHash } from 'node:crypto';
import { filled } from '../dialect/template.ts';
import { Secret } from './secret.ts';

export const BEARER = 'Authorization: Bearer {key}';

/** What every call carries to identify the account. It is sent only to the configured origin, and never stored. */
export interface Credentials {
  /** The headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The query parameter with the key; null if a header or nothing sends it. */
  readonly parameter: readonly [name: string, value: string] | null;
  /** The texts that may appear nowhere else. */
  readonly secrets: readonly string[];
}

/** The keys under `upstream` that credentials are made from. */
export interface CredentialSettings {
  readonly api_key: Secret | null;
  readonly key_header: string;
  readonly key_param: string | null;
  readonly headers: Readonly<Record<string, Secret | string>>;
}

/**
 * Returns the key and the constant headers in the form in which they are sent.
 *
 * @throws ConfigError if an environment variable or a file with a secret does not exist.
 */
export function credentialsOf({ api_key, key_header, key_param, headers }: CredentialSettings): Credentials {
  const key = api_key?.reveal() ?? null;
  const constant = Object.entries(headers).map(
    ([name, value]) => [name.toLowerCase(), typeof value === 'string' ? value : value.reveal()] as const,
  );
  const secretHeaders = Object.values(headers).filter((value) => value instanceof Secret);
  return {
    headers: Object.fromEntries([
      ...constant,
      ...(key === null || key_param !== null ? [] : [keyHeaderOf(key_header, key)]),
    ]),
    parameter: key === null || key_param === null ? null : [key_param, key],
    secrets: [
      ...secretsIn(key, key_header),
      // Upstreams repeat the request's URL in links. With its name, even a short key is recognised there.
      ...(key === null || key_param === null ? [] : [`${key_param}=${key}`]),
      ...secretHeaders.map((value) => value.reveal()),
    ],
  };
}

/** Returns the name in a `key_header`, in lower case. */
export function keyHeaderName(form: string): string {
  return (form.split(':')[0] ?? '').toLowerCase();
}

function keyHeaderOf(form: string, key: string): [name: string, value: string] {
  const colon = form.indexOf(':');
  return [keyHeaderName(form), colon === -1 ? key : filled(form.slice(colon + 1).trim(), { key })];
}

/** With Basic authentication, the password is a secret of its own, because an upstream can repeat it without the user. */
function secretsIn(key: string | null, form: string): string[] {
  if (key === null) return [];
  const password = form.includes('{key:basic}') ? key.slice(key.indexOf(':') + 1) : key;
  return password === key ? [key] : [key, password];
}

/**
 * Identifies a key together with the way it is sent, because a key that was rejected in one header may be valid in
 * another.
 */
export function keyFingerprint({ api_key, key_header, key_param, headers }: CredentialSettings): string {
  const form = [
    key_param === null ? key_header : `?${key_param}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${fingerprintOf(value)}`),
  ].join('\n');
  if (form === BEARER && api_key !== null) return api_key.fingerprint;
  return createHash('sha256')
    .update(`${api_key?.fingerprint ?? 'no key'} ${form}`)
    .digest('hex')
    .slice(0, 16);
}

function fingerprintOf(value: string | Secret): string {
  return typeof value === 'string' ? value : value.fingerprint;
}
