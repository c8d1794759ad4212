import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isPair, isScalar, isSeq, visit } from 'yaml';
import type { ConfigProblem } from './config_error.ts';
import { type Origin, problemAt } from './config_problems.ts';
import type { Environment } from './environment.ts';
import { convertText, type KeyPath } from './key_paths.ts';

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
