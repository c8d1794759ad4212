import { pointersIn, type TextPath, textAt } from '../dialect/body_values.ts';
import type { Pointer } from '../dialect/dialect.ts';
import type { Json } from '../json/json.ts';
import { segmentsOf } from '../json/pointer.ts';
import { leavesOf } from './bodies.ts';
import { FAMILY_NAME_WORDS, GIVEN_NAME_WORDS, wordsOfKey } from './words.ts';

/** Names of persons whose parts are in two fields. */

/**
 * Returns the path to the whole name if `name` leads only to a family name. The given name's path differs from it in one
 * key, such as `/person/given-names/value` and `/person/family-name/value`, or `/forename` and `/name`. It adds a text in
 * nearly all documents that have both, which must be at least `least`. A key such as `name` leads to the whole name if another key has the family name.
 */
export function wholeName(documents: readonly Json[], name: Pointer, least = 2): TextPath {
  const own = segmentsOf(name);
  const besides = new Map<Pointer, { readonly key: string; readonly instead: string }>();
  for (const { pointer } of documents.flatMap(leavesOf)) {
    const keys = segmentsOf(pointer);
    const [at = -1, ...more] = keys.flatMap((key, index) => (key === own[index] ? [] : [index]));
    if (keys.length === own.length && at >= 0 && more.length === 0)
      besides.set(pointer, { key: keys[at] ?? '', instead: own[at] ?? '' });
  }
  const given = [...besides].find(([, { key }]) => hasWord(key, GIVEN_NAME_WORDS));
  if (given === undefined) return name;
  const [pointer, { instead }] = given;
  const hasFamily = [...besides.values()].some(
    (one) => one.instead === instead && hasWord(one.key, FAMILY_NAME_WORDS),
  );
  if (hasFamily && !hasWord(instead, FAMILY_NAME_WORDS)) return name;
  const both = documents.flatMap((document) => {
    const [first, last] = [pointer, name].map((path) => textAt(document, path)?.trim() ?? '');
    return first && last ? [{ first, last }] : [];
  });
  const adding = both.filter(({ first, last }) => !last.toLowerCase().includes(first.toLowerCase()));
  return both.length >= least && adding.length >= both.length * MOST ? `{${pointer}} {${name}}` : name;
}

/** Returns the parts of a whole name, which are its fallback because a person can lack one of them. */
export function partsOfName(name: TextPath): readonly Pointer[] {
  const parts = pointersIn(name);
  return parts.length > 1 ? parts : [];
}

/** Returns the parts of a name in the order in which they are written: given names before family names. */
export function inOrderOfName(parts: readonly Pointer[]): Pointer[] {
  const orderOf = (pointer: Pointer) =>
    isGivenName(pointer) ? 0 : hasWord(segmentsOf(pointer).at(-1) ?? '', FAMILY_NAME_WORDS) ? 2 : 1;
  return parts.toSorted((one, other) => orderOf(one) - orderOf(other));
}

/** Returns whether a path leads to a given name, or to the first of a list of them. */
export const isGivenName = (pointer: Pointer): boolean =>
  hasWord(segmentsOf(pointer.replace(/\/0$/, '')).at(-1) ?? '', GIVEN_NAME_WORDS);

/** Returns whether a key means a given or a family name. */
export const isPartOfName = (key: string): boolean =>
  hasWord(key, GIVEN_NAME_WORDS) || hasWord(key, FAMILY_NAME_WORDS);

const hasWord = (key: string, wanted: ReadonlySet<string>): boolean =>
  wordsOfKey(key).some((word) => wanted.has(word));

const MOST = 0.8;
