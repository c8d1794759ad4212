import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { valueAtPath } from './config_problems.ts';
import { readDocument } from './document.ts';
import type { KeyPath } from './key_paths.ts';
import type { Config } from './schema.ts';
import { Secret, SecretUrl } from './secret.ts';

/**
 * Returns the files that hold the configuration's secrets. These are the files to which secrets refer by
 * `${file:PATH}`, and the configuration file at `path` if it has a secret in plain text. The schema decides which
 * values are secrets.
 */
export function secretFilesOf(config: Config, path: string): string[] {
  const written: unknown = readDocument(path, readFileSync(path, 'utf8')).document.toJS();
  const files = secretsIn(config).flatMap(({ at, secret }) => {
    const text = valueAtPath(at, written);
    if (typeof text !== 'string') return [];
    const referenced = [...text.matchAll(/\$\{file:([^}]*)\}/g)].map(([, name = '']) =>
      resolve(dirname(path), name),
    );
    return holdsSecret(text, secret) ? [path, ...referenced] : referenced;
  });
  return [...new Set(files)];
}

interface FoundSecret {
  readonly at: KeyPath;
  readonly secret: Secret | SecretUrl;
}

function secretsIn(value: unknown, at: KeyPath = []): FoundSecret[] {
  if (value instanceof Secret || value instanceof SecretUrl) return [{ at, secret: value }];
  if (Array.isArray(value)) return value.flatMap((item, index) => secretsIn(item, [...at, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => secretsIn(inner, [...at, key]));
}

/** Returns whether the text itself contains a secret. In a URL, only the parts that are never shown are secret. */
function holdsSecret(text: string, secret: Secret | SecretUrl): boolean {
  if (text.includes('${')) return false;
  return secret instanceof Secret || new URL(secret.toString()).href !== secret.reveal();
}
