import type { Pointer } from '../dialect/dialect.ts';
import { ExactNumber, isJsonObject, type Json } from '../json/json.ts';
import { pointerOf } from '../json/pointer.ts';

/** A scalar in a body and its JSON path. */
export interface Leaf {
  readonly pointer: Pointer;
  readonly value: Json;
}

/**
 * Returns the scalars of a body that are not inside a list. Only the first 2,000 values of at most 16 levels are read.
 */
export function leavesOf(json: Json): Leaf[] {
  const leaves: Leaf[] = [];
  walk(json, [], (value, path) => {
    if (!Array.isArray(value) && !isJsonObject(value)) leaves.push({ pointer: pointerOf(path), value });
  });
  return leaves;
}

/** Returns the lists of a body that are not inside another list. */
export function arraysOutside(json: Json): { readonly pointer: Pointer; readonly list: Json[] }[] {
  const arrays: { pointer: Pointer; list: Json[] }[] = [];
  walk(json, [], (value, path) => {
    if (Array.isArray(value)) arrays.push({ pointer: pointerOf(path), list: value });
  });
  return arrays;
}

function walk(
  json: Json,
  path: readonly string[],
  visit: (value: Json, path: readonly string[]) => void,
): void {
  let seen = 0;
  const descend = (value: Json, at: readonly string[]): void => {
    if (++seen > MAX_VALUES || at.length > MAX_DEPTH) return;
    visit(value, at);
    if (!isJsonObject(value)) return;
    for (const key of Object.keys(value)) descend(value[key] as Json, [...at, key]);
  };
  descend(json, path);
}

const MAX_VALUES = 2000;
const MAX_DEPTH = 16;

/** Splits a key into words: `companyNumber`, `company_number` and `company-number` each have two words. */
export function wordsOfKey(key: string): string[] {
  return key
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

export function isNumber(value: Json | undefined): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** Returns a whole number with at most 15 digits, which can also be a string of digits; null for any other value. */
export function wholeNumberOf(value: Json | undefined): number | null {
  if (value instanceof ExactNumber || (!isNumber(value) && typeof value !== 'string')) return null;
  const text = String(value).trim();
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}
