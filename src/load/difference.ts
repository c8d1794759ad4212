import { MAX_DIFFERENCES } from '../dialect/response_limits.ts';
import { ExactNumber, isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { isSame, textOf } from './content.ts';

export interface Difference {
  /** The field's JSON Pointer in the document. For lists, it includes the element's position in the later version. */
  readonly path: string;
  /** The value in the earlier version; undefined if it was absent. */
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/**
 * Returns the differences between two versions, field by field. Null and an absent field are treated as equal.
 *
 * List elements are matched by content, so a different order is not a difference. Unmatched elements of the two lists
 * are paired by similarity. An officer who moved is therefore reported as a changed address, not as one officer removed
 * and another added. A list or object with more than MAX_DIFFERENCES differences is reported as one difference.
 */
export function differences(before: JsonObject, after: JsonObject): Difference[] {
  const found: Difference[] = [];
  compare(found, '', before, after);
  return found;
}

function compare(found: Difference[], path: string, before: Json | undefined, after: Json | undefined): void {
  if (isSame(before, after) || (isNullish(before) && isNullish(after))) return;
  const foundBefore = found.length;
  if (isObjectOrNullish(before) && isObjectOrNullish(after))
    compareObjects(found, path, before ?? {}, after ?? {});
  else if (isListOrNullish(before) && isListOrNullish(after))
    compareLists(found, path, before ?? [], after ?? []);
  else found.push({ path, before, after });
  if (found.length - foundBefore <= MAX_DIFFERENCES) return;
  found.length = foundBefore;
  found.push({ path, before, after });
}

function compareObjects(found: Difference[], path: string, before: JsonObject, after: JsonObject): void {
  const maxLength = found.length + MAX_DIFFERENCES;
  for (const key of Object.keys(before)) {
    if (found.length > maxLength) return;
    compare(found, below(path, key), before[key], own(after, key));
  }
  for (const key of Object.keys(after)) {
    if (found.length > maxLength) return;
    if (!Object.hasOwn(before, key)) compare(found, below(path, key), undefined, after[key]);
  }
}

function compareLists(found: Difference[], path: string, before: Json[], after: Json[]): void {
  const maxLength = found.length + MAX_DIFFERENCES;
  const { removed, added } = unmatched(before, after);
  const mayPair = removed.length * added.length <= MAX_PAIRED_ELEMENTS ** 2;
  for (const element of added) {
    if (found.length > maxLength) return;
    const partner = mayPair ? takeMostSimilar(removed, element.value) : undefined;
    compareElements(found, below(path, String(element.at)), partner, element.value);
  }
  for (const element of removed) {
    if (found.length > maxLength) return;
    found.push({ path: below(path, String(element.at)), before: element.value, after: undefined });
  }
}

function compareElements(found: Difference[], path: string, before: Json | undefined, after: Json): void {
  if (isObject(before) && isObject(after)) compareObjects(found, path, before, after);
  else found.push({ path, before, after });
}

interface Element {
  readonly at: number;
  readonly value: Json;
}

/** Returns the elements of each list that have no equal in the other list. Duplicates are matched one to one. */
function unmatched(before: Json[], after: Json[]): { removed: Element[]; added: Element[] } {
  const byContent = new Map<string, { readonly positions: number[]; matched: number }>();
  before.forEach((value, at) => {
    const key = sortedText(value);
    const equal = byContent.get(key);
    if (equal === undefined) byContent.set(key, { positions: [at], matched: 0 });
    else equal.positions.push(at);
  });
  const added = after.flatMap((value, at) => {
    const equal = byContent.get(sortedText(value));
    if (equal === undefined || equal.matched === equal.positions.length) return [{ at, value }];
    equal.matched += 1;
    return [];
  });
  const unmatchedBefore = [...byContent.values()]
    .flatMap(({ positions, matched }) => positions.slice(matched))
    .sort((a, b) => a - b);
  return { removed: unmatchedBefore.map((at) => ({ at, value: before[at] as Json })), added };
}

/**
 * Removes the element most similar to `value` from `removed` and returns it, if at least half of its fields are equal.
 */
function takeMostSimilar(removed: Element[], value: Json): Json | undefined {
  if (!isObject(value)) return undefined;
  let best = -1;
  let bestSimilarity = 0.5;
  removed.forEach((element, at) => {
    const similarity = isObject(element.value) ? similarityOf(element.value, value) : 0;
    if (similarity > bestSimilarity || (similarity === bestSimilarity && best === -1))
      [best, bestSimilarity] = [at, similarity];
  });
  return best === -1 ? undefined : removed.splice(best, 1)[0]?.value;
}

// Pairing takes time proportional to the product of the two lengths. The elements of longer lists are reported as
// removed and added instead.
const MAX_PAIRED_ELEMENTS = 64;

function similarityOf(a: JsonObject, b: JsonObject): number {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  const same = [...keys].filter((key) => isSame(own(a, key), own(b, key))).length;
  return keys.size === 0 ? 0 : same / keys.size;
}

function sortedText(value: Json): string {
  return textOf(sorted(value));
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key] as Json)]),
  );
}

function below(path: string, key: string): string {
  return `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function isObject(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && !(value instanceof ExactNumber);
}

function isNullish(value: Json | undefined): value is null | undefined {
  return value === null || value === undefined;
}

function isObjectOrNullish(value: Json | undefined): value is JsonObject | null | undefined {
  return isObject(value) || isNullish(value);
}

function isListOrNullish(value: Json | undefined): value is Json[] | null | undefined {
  return Array.isArray(value) || isNullish(value);
}
