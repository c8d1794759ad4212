import { z } from 'zod';
import { editDistance } from '../names/similarity.ts';
import { ConfigFile } from './schema.ts';

/** The configuration keys, derived from the JSON Schema, for suggestions, type conversion and documentation. */

interface SchemaNode {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly [keyword: string]: unknown;
}

export type KeyPath = readonly (string | number)[];

// The schema permits a reference in any value, so that editors do not mark references as errors.
const OR_REFERENCE = '|\\$\\{(env|file):';

/** Returns the configuration file's JSON Schema, which is built once. */
export function configSchema(): SchemaNode {
  schema ??= buildSchema();
  return schema;
}

let schema: SchemaNode | null = null;

function buildSchema(): SchemaNode {
  const built = z.toJSONSchema(ConfigFile, {
    io: 'input',
    target: 'draft-07',
    override: ({ jsonSchema }) => {
      // Zod limits every integer to a double's safe range. Omit this limit, because it does not help the schema's
      // readers.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (typeof jsonSchema.pattern === 'string' && !jsonSchema.pattern.endsWith(OR_REFERENCE))
        jsonSchema.pattern += OR_REFERENCE;
    },
  });
  return { ...(built as SchemaNode), title: 'Configuration of registry-mirror' };
}

/** Returns all schema nodes for the value at a path. A union produces several nodes. */
export function nodesAt(path: KeyPath): SchemaNode[] {
  let nodes = alternatives(configSchema());
  for (const step of path)
    nodes = nodes.flatMap((node) => {
      const next = typeof step === 'number' ? node.items : node.properties?.[step];
      return next === undefined ? [] : alternatives(next);
    });
  return nodes;
}

function alternatives(node: SchemaNode): SchemaNode[] {
  const inner = [...(node.anyOf ?? []), ...(node.oneOf ?? [])];
  return inner.length === 0
    ? [node]
    : inner.flatMap(alternatives).map((one) => ({ ...node, anyOf: [], oneOf: [], ...one }));
}

/** Returns the keys permitted at a path. */
export function keysAt(path: KeyPath): string[] {
  return [...new Set(nodesAt(path).flatMap((node) => Object.keys(node.properties ?? {})))];
}

/** Returns the permitted values at a path, if the schema lists them. */
export function choicesAt(path: KeyPath): string[] {
  const choices = nodesAt(path).flatMap((node) =>
    node.const === undefined ? (node.enum ?? []) : [node.const],
  );
  return [...new Set(choices.map(String))];
}

/** Returns the dotted paths of all keys with this name. */
export function pathsOfKey(key: string): string[] {
  return leaves(configSchema())
    .filter(({ path }) => path.at(-1) === key)
    .map(({ path }) => path.join('.'));
}

export interface Leaf {
  readonly path: readonly string[];
  readonly node: SchemaNode;
}

/** Returns all keys that the file can have, including sections. A key in a list has `[]` in its path. */
export function leaves(node: SchemaNode, path: readonly string[] = []): Leaf[] {
  const found = alternatives(node).flatMap((inner) => [
    ...Object.entries(inner.properties ?? {}).flatMap(([key, next]) => [
      { path: [...path, key], node: next },
      ...leaves(next, [...path, key]),
    ]),
    ...(inner.items === undefined ? [] : leaves(inner.items, [...path.slice(0, -1), `${path.at(-1)}[]`])),
  ]);
  // Paging styles share keys. Use the description from the first style.
  return [...new Map(found.reverse().map((leaf) => [leaf.path.join('.'), leaf])).values()].reverse();
}

/**
 * Converts an environment value to its key's type. For example, `100` becomes a number if the key does not permit text.
 * Text that cannot be converted is returned unchanged. A later check rejects it and names the key.
 */
export function convertText(text: string, path: KeyPath): unknown {
  const types = new Set(nodesAt(path).flatMap((node) => node.type ?? typeof node.const));
  if (types.size === 0 || (types.has('string') && !types.has('integer'))) return text;
  if (types.has('null') && text === 'null') return null;
  if ((types.has('integer') || types.has('number')) && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/**
 * Returns the candidate with the smallest edit distance from a word, or null if that distance is more than a third of
 * the word's length.
 */
export function nearest(word: string, candidates: readonly string[]): string | null {
  const ranked = candidates
    .map((candidate) => ({
      candidate,
      edits: editDistance([...word.toLowerCase()], [...candidate.toLowerCase()]),
    }))
    .sort((a, b) => a.edits - b.edits);
  const best = ranked[0];
  return best !== undefined && best.edits < word.length && best.edits <= Math.ceil(word.length / 3)
    ? best.candidate
    : null;
}
