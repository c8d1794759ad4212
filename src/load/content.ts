import { hash } from 'node:crypto';
import { isJsonObject, type Json, stringifyJson } from '../json/json.ts';
import { segmentsOf } from '../json/pointer.ts';

/** The volatile fields, each as a list of keys from the document's root. `*` matches any element or key. */
export type Volatile = readonly (readonly string[])[];

export function volatilePaths(pointers: readonly string[]): Volatile {
  return pointers.map(segmentsOf).filter((keys) => keys.length > 0);
}

/**
 * Returns an 8-byte hash of the document without its volatile fields. Equal hashes mean equal content. Different hashes
 * can also mean that only the order differs, so compare the documents to find out.
 */
export function contentHash(document: Json, ignored: Volatile): Buffer {
  return bytesHash(textOf(withoutVolatile(document, ignored))).subarray(0, 8);
}

export function bytesHash(bytes: Buffer | string): Buffer {
  return hash('sha256', bytes, 'buffer').subarray(0, 16);
}

/** Returns the document without its volatile fields. Unchanged parts are shared with `document`, not copied. */
export function withoutVolatile(document: Json, ignored: Volatile): Json {
  return ignored.reduce((rest, keys) => without(rest, keys, 0), document);
}

/** Returns whether two values have the same content. The order of keys is ignored. */
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

/** Returns JSON text for comparisons only. */
export function textOf(value: Json): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // JSON.stringify is several times faster than stringifyJson, but throws if the value contains a bigint.
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
      ? value.filter((_, at) => !matchesKey(key, String(at)))
      : value.map((inner, at) => (matchesKey(key, String(at)) ? without(inner, keys, depth + 1) : inner));
  if (!isJsonObject(value) || !(key === '*' || Object.hasOwn(value, key))) return value;
  const members = Object.entries(value);
  // Object.fromEntries defines own properties, so `__proto__` remains a normal key.
  return Object.fromEntries(
    isLast
      ? members.filter(([name]) => !matchesKey(key, name))
      : members.map(([name, inner]) => [
          name,
          matchesKey(key, name) ? without(inner, keys, depth + 1) : inner,
        ]),
  );
}

function matchesKey(key: string, name: string): boolean {
  return key === '*' || key === name;
}
