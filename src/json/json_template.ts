import { isJsonObject, type Json, type JsonObject, stringifyJson } from './json.ts';
import { type Pointer, segmentsOf } from './pointer.ts';

/** JSON text with holes. `fill` inserts JSON text into each hole. */
export interface Template<Hole extends string> {
  fill(values: Readonly<Record<Hole, string>>): string;
}

/** A hole or a fixed value at a JSON path of the body. */
export type Placement<Hole extends string> =
  | { readonly at: Pointer; readonly hole: Hole }
  | { readonly at: Pointer; readonly value: Json };

/**
 * Compiles the placements into text once, so that a response is a concatenation. A hole is marked by a control character
 * that no profile contains. The marks are removed before any value of a request is inserted, so that a request cannot
 * inject one.
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
 * Sets a value at a pointer, creates the objects on the path, and returns the document.
 *
 * @throws TypeError if a scalar or list is on the path.
 */
export function placedAt(document: Json, pointer: Pointer, value: Json): Json {
  const segments = segmentsOf(pointer);
  const last = segments.pop();
  if (last === undefined) return value;
  if (!isJsonObject(document)) throw new TypeError(`"${pointer}" cannot be inside a list or a scalar`);
  let holder = document;
  for (const segment of segments) holder = objectAt(holder, segment, pointer);
  setOwn(holder, last, value);
  return document;
}

/** Sets an own key, even `__proto__`. */
export function setOwn(object: JsonObject, key: string, value: Json): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

function objectAt(holder: JsonObject, key: string, pointer: Pointer): JsonObject {
  const existing = Object.hasOwn(holder, key) ? holder[key] : undefined;
  if (existing === undefined) {
    const created: JsonObject = {};
    setOwn(holder, key, created);
    return created;
  }
  if (isJsonObject(existing)) return existing;
  throw new TypeError(`"${pointer}" leads through "${key}", which has another value`);
}

const MARK = '\u0001';
const HOLE = /"\\u0001(\w+)\\u0001"/;
