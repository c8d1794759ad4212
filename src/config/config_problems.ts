import { type Document, isMap, isScalar, type LineCounter } from 'yaml';
import type { z } from 'zod';
import type { ConfigProblem } from './config_error.ts';
import { choicesAt, type KeyPath, keysAt, nearest, nodesAt, pathsOfKey } from './key_paths.ts';

/** The configuration's data, and where each value comes from, so that each problem can be shown with its position. */
export interface Origin {
  readonly file: string;
  readonly document: Document;
  readonly lines: LineCounter;
  /** The variable that sets each value from the environment, by dotted key. */
  readonly overridden: ReadonlyMap<string, string>;
  readonly data: unknown;
}

/** Converts the issues from a failed parse to problems with positions in the file. */
export function problemsOf(issues: readonly z.core.$ZodIssue[], origin: Origin): ConfigProblem[] {
  return issues.flatMap((issue) => {
    const path = issue.path.filter((step) => typeof step !== 'symbol');
    if (issue.code !== 'unrecognized_keys') return [problemAt(path, origin, textOf(issue, path, origin))];
    return issue.keys.map((key) => problemAt([...path, key], origin, unknownKey(path, key), 'key'));
  });
}

export const UNKNOWN_KEY = 'unknown key';

/** A problem's text. */
export interface ProblemText {
  readonly message: string;
  readonly remedy: string | null;
}

/** Creates a problem at a key's position in the file, or at its section's position if the key is missing. */
export function problemAt(
  path: KeyPath,
  origin: Origin,
  text: ProblemText,
  at: 'key' | 'value' = 'value',
): ConfigProblem {
  const key = path.join('.');
  const overriddenBy = origin.overridden.get(key);
  if (overriddenBy !== undefined) return { where: overriddenBy, line: null, column: null, key, ...text };
  const { line, col } = origin.lines.linePos(offsetOf(path, origin.document, at));
  return { where: origin.file, line: Math.max(line, 1), column: Math.max(col, 1), key, ...text };
}

function offsetOf(path: KeyPath, document: Document, at: 'key' | 'value'): number {
  for (let length = path.length; length >= 0; length--) {
    const offset = offsetOfNode(path.slice(0, length), document, at);
    if (offset !== null) return offset;
  }
  return 0;
}

function offsetOfNode(path: KeyPath, document: Document, at: 'key' | 'value'): number | null {
  if (path.length === 0) return document.contents?.range?.[0] ?? 0;
  const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
  const pair = isMap(parent)
    ? parent.items.find((item) => isScalar(item.key) && String(item.key.value) === String(path.at(-1)))
    : undefined;
  const node =
    pair === undefined
      ? document.getIn(path, true)
      : at === 'value' && isScalar(pair.value)
        ? pair.value
        : pair.key;
  const range = (node as { range?: readonly number[] | null } | undefined)?.range;
  return range?.[0] ?? null;
}

function unknownKey(path: KeyPath, key: string): ProblemText {
  const near = nearest(key, keysAt(path));
  if (near === key) return { message: 'is not used with the other keys of its section', remedy: 'remove it' };
  if (near !== null) return { message: UNKNOWN_KEY, remedy: `did you mean ${near}?` };
  const paths = pathsOfKey(key).filter((known) => known !== [...path, key].join('.'));
  const elsewhere =
    paths.length === 1 ? `it belongs at ${paths[0]}` : `known keys: ${keysAt(path).join(', ')}`;
  return { message: UNKNOWN_KEY, remedy: elsewhere };
}

function textOf(issue: z.core.$ZodIssue, path: KeyPath, origin: Origin): ProblemText {
  if (issue.code !== 'custom' && isMissing(path, origin.data)) return missing(path);
  switch (issue.code) {
    case 'invalid_type':
      return issue.message.startsWith('Invalid input')
        ? wrongType(issue.expected, configValueAt(path, origin.data))
        : { message: issue.message, remedy: null };
    case 'invalid_value':
      return oneOf(issue.values.map(String), configValueAt(path, origin.data), issue.message);
    case 'invalid_union':
      return !('discriminator' in issue)
        ? { message: issue.message, remedy: null }
        : oneOf(choicesAt(path), configValueAt(path, origin.data), issue.message);
    case 'invalid_key':
      return { message: issue.issues[0]?.message ?? issue.message, remedy: null };
    case 'custom':
      return { message: issue.message, remedy: (issue.params?.remedy as string | undefined) ?? null };
    case 'too_small':
      return {
        message: `must be ${issue.inclusive === false ? 'above' : 'at least'} ${issue.minimum}`,
        remedy: null,
      };
    case 'too_big':
      return { message: `must be at most ${issue.maximum}`, remedy: null };
    default:
      return { message: issue.message, remedy: null };
  }
}

function missing(path: KeyPath): ProblemText {
  const description = nodesAt(path)[0]?.description;
  const choices = choicesAt(path);
  const meaning = [description, choices.length > 1 ? choices.join(', ') : undefined]
    .filter((part) => part !== undefined)
    .join(': ');
  return { message: `is missing${meaning === '' ? '' : ` (${meaning})`}`, remedy: `add ${path.at(-1)}` };
}

const TYPE_NAMES: Record<string, string> = {
  string: 'text',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'a section with keys',
  array: 'a list',
  record: 'a section with keys',
};

function wrongType(expected: string, value: unknown): ProblemText {
  const found =
    value === null ? 'null' : Array.isArray(value) ? 'a list' : (TYPE_NAMES[typeof value] ?? typeof value);
  const remedy = expected === 'string' && typeof value === 'number' ? 'put it in quotes' : null;
  return { message: `must be ${TYPE_NAMES[expected] ?? expected}, not ${found}`, remedy };
}

function oneOf(choices: readonly string[], value: unknown, otherwise: string): ProblemText {
  if (choices.length < 2) return { message: otherwise, remedy: null };
  const near = typeof value === 'string' ? nearest(value, choices) : null;
  return {
    message: `must be one of ${choices.join(', ')}`,
    remedy: near === null ? null : `did you mean ${near}?`,
  };
}

function isMissing(path: KeyPath, data: unknown): boolean {
  return path.length > 0 && configValueAt(path, data) === undefined && nodesAt(path).length > 0;
}

/** Returns the value at a path in the configuration's data, or undefined if there is none. */
export function configValueAt(path: KeyPath, data: unknown): unknown {
  let value = data;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}
