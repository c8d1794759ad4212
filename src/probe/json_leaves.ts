import type { Pointer } from '../dialect/dialect.ts';
import { ExactNumber, isJsonObject, type Json } from '../json/json.ts';
import { pointerOf } from '../json/pointer.ts';

/** A scalar in a body and its JSON path. */
export interface Leaf {
  readonly pointer: Pointer;
  readonly value: Json;
}

/** Returns the scalars in a body that are not inside a list. It reads at most 2,000 values and 16 levels. */
export function leavesOf(json: Json): Leaf[] {
  const leaves: Leaf[] = [];
  walk(json, [], (value, path) => {
    if (!Array.isArray(value) && !isJsonObject(value)) leaves.push({ pointer: pointerOf(path), value });
  });
  return leaves;
}

/** Returns the lists in a body that are not inside another list. */
export function arraysOutside(json: Json): { readonly pointer: Pointer; readonly list: Json[] }[] {
  const arrays: { pointer: Pointer; list: Json[] }[] = [];
  walk(json, [], (value, path) => {
    if (Array.isArray(value)) arrays.push({ pointer: pointerOf(path), list: value });
  });
  return arrays;
}

/**
 * Returns the scalars in each list's current element, such as the name without an end date in a list of names. The
 * pointer selects the element by a condition: `/names/[until=null]/name`. Lists without exactly one such element are
 * omitted.
 */
export function currentLeavesOf(json: Json): Leaf[] {
  return arraysOutside(json).flatMap(({ pointer, list }) => {
    const objects = list.filter(isJsonObject);
    const keys = new Set(objects.flatMap((object) => Object.keys(object)).filter(isEndKey));
    return [...keys].flatMap((key): Leaf[] => {
      const [current, ...others] = objects.filter((object) => (object[key] ?? null) === null);
      return current === undefined || others.length > 0
        ? []
        : leavesUnder(`${pointer}${pointerOf([`[${key}=null]`])}`, current);
    });
  });
}

/** Returns whether a key names an end date, such as `endDate`, `valid_until` or `dateFin`. */
function isEndKey(key: string): boolean {
  return /^[^[\]=]+$/.test(key) && wordsOfKey(key).some((word) => END_WORDS.has(word));
}

const END_WORDS: ReadonlySet<string> = new Set(
  `end ended ends until expiry expires expired to thru fin bis ende hasta fine tot eind til slutt slut till koniec do
  loppu paattyi`.split(/\s+/),
);

/**
 * Returns the scalars in lists of links that name their relation. For `{"links": [{"rel": "next", "href": "…"}]}`, the
 * path is `/links/[rel=next]/href`.
 */
export function linkLeavesOf(json: Json): Leaf[] {
  return arraysOutside(json).flatMap(({ pointer, list }) =>
    list.filter(isJsonObject).flatMap((link) => {
      const relation = RELATION_KEYS.find((key) => typeof link[key] === 'string');
      const name = relation === undefined ? '' : String(link[relation]);
      return /^[\w-]{1,40}$/.test(name)
        ? leavesUnder(`${pointer}${pointerOf([`[${relation}=${name}]`])}`, link)
        : [];
    }),
  );
}

const RELATION_KEYS = ['rel', 'relation', 'relationship'];

function leavesUnder(root: Pointer, json: Json): Leaf[] {
  return leavesOf(json).map(({ pointer, value }) => ({ pointer: root + pointer, value }));
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

/** Returns a whole number with at most 15 digits, given as a number or a string. Returns null for any other value. */
export function wholeNumberOf(value: Json | undefined): number | null {
  if (value instanceof ExactNumber || (!isNumber(value) && typeof value !== 'string')) return null;
  const text = String(value).trim();
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}
