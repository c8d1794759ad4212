import { isJsonObject, type Json, scalarText } from './json.ts';

/**
 * A JSON Pointer (RFC 6901). '' is the whole body. In a list, a segment can be a condition instead of an index. For
 * example, `/links/[rel=next]/href` selects the first element whose `rel` is `next`. `[until=null]` also selects
 * elements without `until`. An element must meet all conditions in a segment, such as `[type=legal][until=null]`.
 */
export type Pointer = string;

/** Returns the value at a JSON Pointer, or undefined if there is none. Inherited properties are ignored. */
export function valueAt(document: Json | undefined, pointer: Pointer): Json | undefined {
  let value = document;
  for (const key of segmentsOf(pointer)) {
    if (Array.isArray(value)) value = elementOf(value, key);
    else if (isJsonObject(value)) value = Object.hasOwn(value, key) ? value[key] : undefined;
    else return undefined;
  }
  return value;
}

/** Returns the conditions in a segment such as `[rel=next]` as keys and values, and [] for any other segment. */
export function conditionsIn(segment: string): (readonly [key: string, wanted: string])[] {
  if (!/^(\[[^[\]=]+=[^\]]*\])+$/.test(segment)) return [];
  return [...segment.matchAll(/\[([^=]+)=([^\]]*)\]/g)].map(([, key = '', wanted = '']) => [key, wanted]);
}

export function segmentsOf(pointer: Pointer): string[] {
  if (pointer === '') return [];
  return pointer.slice(1).split('/').map(unescapeSegment);
}

export function pointerOf(segments: readonly string[]): Pointer {
  return segments.map((segment) => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Describes a JSON Pointer for messages. */
export function pathInWords(pointer: Pointer): string {
  return pointer === '' ? 'the top of the body' : pointer;
}

function elementOf(list: readonly Json[], segment: string): Json | undefined {
  if (/^(0|[1-9]\d*)$/.test(segment)) return list[Number(segment)];
  const conditions = conditionsIn(segment);
  if (conditions.length === 0) return undefined;
  return list.find((element) =>
    conditions.every(([key, wanted]) => {
      const value = isJsonObject(element) && Object.hasOwn(element, key) ? (element[key] ?? null) : null;
      return value === null ? isJsonObject(element) && wanted === 'null' : scalarText(value) === wanted;
    }),
  );
}

function unescapeSegment(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}
