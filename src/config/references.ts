import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isPair, isScalar, isSeq, visit } from 'yaml';
import type { ConfigProblem } from './config_error.ts';
import { configValueAt, type Origin, problemAt } from './config_problems.ts';
import { readDocument } from './document.ts';
import type { Environment } from './environment.ts';
import { convertText, type KeyPath } from './key_paths.ts';
import type { Config } from './schema.ts';
import { Secret, SecretUrl } from './secret.ts';

const REFERENCE = /\$\{(?:(env|file):([^}]*)|[^}]*)\}/g;

/**
 * Replaces `${env:NAME}` and `${file:PATH}` in all of the document's values. File paths are relative to `directory`. A
 * line break at the end of a referenced file is removed. Returns a problem for each reference that cannot be resolved.
 */
export function resolveReferences(origin: Origin, directory: string, env: Environment): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  visit(origin.document, {
    Scalar(role, node, ancestors) {
      if (role === 'key' || typeof node.value !== 'string' || !node.value.includes('${')) return;
      const path = pathTo([...ancestors, node]);
      const text = node.value.replace(REFERENCE, (whole, kind?: string, name?: string) => {
        const found = lookUp(kind, name ?? '', whole, directory, env);
        if ('text' in found) return found.text;
        problems.push(problemAt(path, origin, found));
        return UNRESOLVED;
      });
      node.value = convertText(text, path);
    },
  });
  return problems;
}

type Found = { readonly text: string } | { readonly message: string; readonly remedy: string };

function lookUp(
  kind: string | undefined,
  name: string,
  whole: string,
  directory: string,
  env: Environment,
): Found {
  if (kind === 'env') {
    const text = env[name];
    if (text === undefined || text === '')
      return {
        message: `the environment variable ${name} is ${text === undefined ? 'not set' : 'empty'}`,
        remedy: `set it before you start the program: export ${name}=…`,
      };
    return { text };
  }
  if (kind === 'file') {
    try {
      return { text: readFileSync(resolve(directory, name), 'utf8').replace(/\r?\n$/, '') };
    } catch (error) {
      return {
        message: `the file ${resolve(directory, name)} cannot be read (${codeOf(error)})`,
        remedy: 'create it or correct the path, which is relative to the configuration file',
      };
    }
  }
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the file uses this notation
  return { message: `${whole} is not a known reference`, remedy: 'write ${env:NAME} or ${file:PATH}' };
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}

/**
 * Replaces an unresolved reference. The word is valid as `upstream.api_key` and in `upstream.headers`, whose references
 * may stay unresolved.
 */
const UNRESOLVED = 'unresolved';

/** Returns the keys and indexes that lead to a node. */
function pathTo(nodes: readonly unknown[]): KeyPath {
  return nodes.flatMap((node, index): KeyPath => {
    if (isPair(node) && isScalar(node.key)) return [String(node.key.value)];
    return isSeq(node) ? [node.items.indexOf(nodes[index + 1])] : [];
  });
}

/**
 * Returns the files that hold the configuration's secrets. These are the files to which secrets refer by
 * `${file:PATH}`, and the configuration file at `path` if it has a secret in plain text. The schema decides which
 * values are secrets.
 */
export function secretFilesOf(config: Config, path: string): string[] {
  const written: unknown = readDocument(path, readFileSync(path, 'utf8')).document.toJS();
  const files = secretsIn(config).flatMap(({ at, secret }) => {
    const text = configValueAt(at, written);
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
