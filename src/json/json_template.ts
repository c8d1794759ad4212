import { isJsonObject, type Json, type JsonObject, stringifyJson } from './json.ts';
import { type Pointer, pointerOf, type Selector, segmentsOf, selectorsIn, valueAt } from './pointer.ts';

/** JSON text with named holes. `fill` inserts JSON text into each hole and returns the whole text. */
interface Template<Hole extends string> {
  fill(values: Readonly<Record<Hole, string>>): string;
}

/** Puts a hole or a fixed value at a JSON path in the body. */
export type Placement<Hole extends string> =
  | { readonly at: Pointer; readonly hole: Hole }
  | { readonly at: Pointer; readonly value: Json };

/**
 * Compiles the placements into pieces of text once, so that each response only concatenates them. During compilation, a
 * control character that no profile contains marks each hole. The marks are removed before any value from a request is
 * inserted, so a request cannot inject a hole.
 */
export function compileTemplate<Hole extends string>(placements: readonly Placement<Hole>[]): Template<Hole> {
  let body: Json = {};
  for (const placement of placements) {
    const value = 'hole' in placement ? `${MARK}${placement.hole}${MARK}` : placement.value;
    body = placedAt(body, placement.at, value);
  }
  const pieces = stringifyJson(body).split(HOLE);
  return {
    fill(values) {
      let text = pieces[0] ?? '';
      for (let i = 1; i < pieces.length; i += 2) text += values[pieces[i] as Hole] + (pieces[i + 1] ?? '');
      return text;
    },
  };
}

/**
 * Sets a value at a JSON Pointer, creates missing objects and lists on the path, and returns the document. The index 0,
 * `*` or a condition such as `[rel=next]` creates a list. If no element meets the condition, one is added.
 *
 * @throws TypeError if the path leads through a scalar, or through a list without an index 0 or a condition.
 */
export function placedAt(document: Json, pointer: Pointer, value: Json): Json {
  const [segment, ...deeper] = segmentsOf(pointer);
  return segment === undefined ? value : placedIn(document, segment, deeper, { pointer, value });
}

function placedIn(
  holder: Json | undefined,
  segment: string,
  [next, ...deeper]: readonly string[],
  placement: { readonly pointer: Pointer; readonly value: Json },
): Json {
  const inner = (existing: Json | undefined): Json =>
    next === undefined ? placement.value : placedIn(existing, next, deeper, placement);
  const selectors = selectorsIn(segment);
  const isInList = selectors.length > 0 || ((segment === '0' || segment === '*') && !isJsonObject(holder));
  if (isInList && (holder === undefined || Array.isArray(holder))) {
    const list = holder ?? [];
    const found = valueAt(list, pointerOf([segment]));
    const at = found === undefined ? list.length : list.indexOf(found);
    list[at] = inner(found ?? elementWith(selectors));
    return list;
  }
  const object = holder ?? {};
  if (!isJsonObject(object)) throw new TypeError(`"${placement.pointer}" leads through a scalar or a list`);
  setOwn(object, segment, inner(Object.hasOwn(object, segment) ? object[segment] : undefined));
  return object;
}

/** Returns a new element that the selectors select. A key that must be absent is left out. */
function elementWith(selectors: readonly Selector[]): Json | undefined {
  if (selectors.length === 0) return undefined;
  let element: Json = {};
  for (const selector of selectors) {
    if (!('path' in selector) || selector.isNegated || selector.wanted === 'absent') continue;
    const value = selector.wanted === 'null' ? null : selector.wanted.text;
    element = placedAt(element, pointerOf(selector.path), value);
  }
  return element;
}

/** Sets an own property, even if the key is `__proto__`. */
export function setOwn(object: JsonObject, key: string, value: Json): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

const MARK = '\u0001';
const HOLE = /"\\u0001(\w+)\\u0001"/;
