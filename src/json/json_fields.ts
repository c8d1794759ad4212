import { isJsonObject, type Json } from './json.ts';

/** A scalar, empty object or empty list, with the keys that lead to it. List elements are numbered from 1. */
export interface JsonField {
  readonly keys: readonly string[];
  readonly value: Json;
}

/** Returns the first `most` fields of a document, in document order. */
export function jsonFields(document: Json, most: number): JsonField[] {
  const fields: JsonField[] = [];
  collect(fields, [], document, most);
  return fields;
}

function collect(fields: JsonField[], keys: readonly string[], value: Json, most: number): void {
  if (fields.length >= most) return;
  const entries = Array.isArray(value)
    ? value.map((inner, at) => [String(at + 1), inner] as const)
    : isJsonObject(value)
      ? Object.entries(value)
      : [];
  if (entries.length === 0) fields.push({ keys, value });
  for (const [key, inner] of entries) collect(fields, [...keys, key], inner, most);
}
