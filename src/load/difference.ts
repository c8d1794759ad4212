import { MAX_DIFFERENCES } from '../dialect/limits.ts';
import { ExactNumber, isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { isSame, textOf } from './content.ts';

export interface Difference {
  /** JSON Pointer into the document; inside a list, the position in the later one. */
  readonly path: string;
  /** undefined: it was not there. */
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/**
 * What changed between two versions, field by field. Null and absent are the same nothing. Elements of
 * lists are matched by content, so a list in another order is no change; what is left over on both sides is
 * paired by likeness, so that an officer who moved is one changed address and not a leaver and a joiner.
 * A list or object with more than MAX_DIFFERENCES of them is one difference, of the whole.
 */
export function differences(before: JsonObject, after: JsonObject): Difference[] {
  const found: Difference[] = [];
  compare(found, '', before, after);
  return found;
}

function compare(found: Difference[], path: string, before: Json | undefined, after: Json | undefined): void {
  if (isSame(before, after) || (isNothing(before) && isNothing(after))) return;
  const foundBefore = found.length;
  if (isObjectOrNothing(before) && isObjectOrNothing(after))
    compareObjects(found, path, before ?? {}, after ?? {});
  else if (isListOrNothing(before) && isListOrNothing(after))
    compareLists(found, path, before ?? [], after ?? []);
  else found.push({ path, before, after });
  if (found.length - foundBefore <= MAX_DIFFERENCES) return;
  found.length = foundBefore;
  found.push({ path, before, after });
}

function compareObjects(found: Difference[], path: string, before: JsonObject, after: JsonObject): void {
  const most = found.length + MAX_DIFFERENCES;
  for (const key of Object.keys(before)) {
    if (found.length > most) return;
    compare(found, below(path, key), before[key], own(after, key));
  }
  for (const key of Object.keys(after)) {
    if (found.length > most) return;
    if (!Object.hasOwn(before, key)) compare(found, below(path, key), undefined, after[key]);
  }
}

function compareLists(found: Difference[], path: string, before: Json[], after: Json[]): void {
  const most = found.length + MAX_DIFFERENCES;
  const { removed, added } = unmatched(before, after);
  const mayPair = removed.length * added.length <= MAX_PAIRING ** 2;
  for (const element of added) {
    if (found.length > most) return;
    const partner = mayPair ? takeMostAlike(removed, element.value) : undefined;
    compareElements(found, below(path, String(element.at)), partner, element.value);
  }
  for (const element of removed) {
    if (found.length > most) return;
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

/** What is left of two lists after equal elements have met, each as often as it occurs. */
function unmatched(before: Json[], after: Json[]): { removed: Element[]; added: Element[] } {
  const waiting = new Map<string, { readonly places: number[]; met: number }>();
  before.forEach((value, at) => {
    const key = sortedText(value);
    const equal = waiting.get(key);
    if (equal === undefined) waiting.set(key, { places: [at], met: 0 });
    else equal.places.push(at);
  });
  const added = after.flatMap((value, at) => {
    const equal = waiting.get(sortedText(value));
    if (equal === undefined || equal.met === equal.places.length) return [{ at, value }];
    equal.met += 1;
    return [];
  });
  const left = [...waiting.values()].flatMap(({ places, met }) => places.slice(met)).sort((a, b) => a - b);
  return { removed: left.map((at) => ({ at, value: before[at] as Json })), added };
}

/** The removed element that shares at least half of its fields with this one, taken out of the list. */
function takeMostAlike(removed: Element[], value: Json): Json | undefined {
  if (!isObject(value)) return undefined;
  let best = -1;
  let bestLikeness = 0.5;
  removed.forEach((element, at) => {
    const likeness = isObject(element.value) ? likenessOf(element.value, value) : 0;
    if (likeness > bestLikeness || (likeness === bestLikeness && best === -1))
      [best, bestLikeness] = [at, likeness];
  });
  return best === -1 ? undefined : removed.splice(best, 1)[0]?.value;
}

// Pairing costs the product of both sides; a list rewritten whole is told as leavers and joiners.
const MAX_PAIRING = 64;

function likenessOf(a: JsonObject, b: JsonObject): number {
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

function isNothing(value: Json | undefined): value is null | undefined {
  return value === null || value === undefined;
}

function isObjectOrNothing(value: Json | undefined): value is JsonObject | null | undefined {
  return isObject(value) || isNothing(value);
}

function isListOrNothing(value: Json | undefined): value is Json[] | null | undefined {
  return Array.isArray(value) || isNothing(value);
}
