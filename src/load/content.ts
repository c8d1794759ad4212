import { hash } from 'node:crypto';
import { isJsonObject, type Json, stringifyJson } from '../json/json.ts';
import { segmentsOf } from '../json/pointer.ts';

/** Places whose change is no change, ready to be looked up: keys from the document's root. `*` is any element or key. */
export type Volatile = readonly (readonly string[])[];

export function volatilePlaces(pointers: readonly string[]): Volatile {
  return pointers.map(segmentsOf).filter((keys) => keys.length > 0);
}

/**
 * Sixteen bytes that are equal when two documents are, but for volatile fields. Different bytes do not mean
 * different content: a reordered object or list has another hash, and only the comparison tells.
 */
export function contentHash(document: Json, ignored: Volatile): Buffer {
  return bytesHash(textOf(withoutVolatile(document, ignored)));
}

export function bytesHash(bytes: Buffer | string): Buffer {
  return hash('sha256', bytes, 'buffer').subarray(0, 16);
}

/** The document less its volatile places; shares what is unaffected. */
export function withoutVolatile(document: Json, ignored: Volatile): Json {
  return ignored.reduce((left, keys) => without(left, keys, 0), document);
}

/** Are these values the same, member by member, in any order of keys? */
export function isSame(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) &&
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((value, at) => isSame(value, b[at]))
    );
  if (!isJsonObject(a) || !isJsonObject(b)) return textOf(a) === textOf(b);
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]))
  );
}

/** JSON text for comparing, not for storing. */
export function textOf(value: Json): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // JSON.stringify refuses bigint, and is several times faster on all else.
    if (error instanceof TypeError) return stringifyJson(value);
    throw error;
  }
}

function without(value: Json, keys: readonly string[], depth: number): Json {
  const key = keys[depth];
  if (key === undefined) return value;
  const isLast = depth === keys.length - 1;
  if (Array.isArray(value))
    return isLast
      ? value.filter((_, at) => !isMeant(key, String(at)))
      : value.map((inner, at) => (isMeant(key, String(at)) ? without(inner, keys, depth + 1) : inner));
  if (!isJsonObject(value) || !(key === '*' || Object.hasOwn(value, key))) return value;
  const members = Object.entries(value);
  // fromEntries defines members, so that a key `__proto__` stays a key.
  return Object.fromEntries(
    isLast
      ? members.filter(([name]) => !isMeant(key, name))
      : members.map(([name, inner]) => [name, isMeant(key, name) ? without(inner, keys, depth + 1) : inner]),
  );
}

function isMeant(key: string, name: string): boolean {
  return key === '*' || key === name;
}
