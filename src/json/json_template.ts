import { isJsonObject, type Json, type JsonObject, stringifyJson } from './json.ts';
import { type Pointer, segmentsOf } from './pointer.ts';

/** JSON text with holes: `fill` writes the given JSON texts into them. */
export interface Template<Hole extends string> {
  fill(values: Readonly<Record<Hole, string>>): string;
}

/** What stands where in a body: a hole by name, or a value that is always the same. */
export type Placement<Hole extends string> =
  | { readonly at: Pointer; readonly hole: Hole }
  | { readonly at: Pointer; readonly value: Json };

/**
 * Compiles the placements into text once, so that an answer is a concatenation. A hole is told by a key
 * that no shape can hold, and is cut out before any value of a request is known: nothing can be injected.
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

/** The document with a value put at a pointer; objects on the way are made. Throws where a scalar or list is in the way. */
export function placedAt(document: Json, pointer: Pointer, value: Json): Json {
  const segments = segmentsOf(pointer);
  const last = segments.pop();
  if (last === undefined) return value;
  if (!isJsonObject(document)) throw new TypeError(`"${pointer}" cannot stand inside a list or a scalar`);
  let holder = document;
  for (const segment of segments) holder = objectAt(holder, segment, pointer);
  setOwn(holder, last, value);
  return document;
}

/** Defines an own key even where it is called `__proto__`. */
export function setOwn(object: JsonObject, key: string, value: Json): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

function objectAt(holder: JsonObject, key: string, pointer: Pointer): JsonObject {
  const existing = Object.hasOwn(holder, key) ? holder[key] : undefined;
  if (existing === undefined) {
    const made: JsonObject = {};
    setOwn(holder, key, made);
    return made;
  }
  if (isJsonObject(existing)) return existing;
  throw new TypeError(`"${pointer}" leads through "${key}", which is taken`);
}

const MARK = '\u0001';
const HOLE = /"\\u0001(\w+)\\u0001"/;
