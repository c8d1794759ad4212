import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { type Pointer, pointerOf, type Selector, segmentsOf, selectorsIn, valueAt } from './pointer.ts';

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
