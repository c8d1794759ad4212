import type { Pointer } from '../dialect/dialect.ts';
import { isJsonObject, type Json } from './json.ts';

/** The value at a JSON Pointer (RFC 6901), or undefined where there is none. Only own keys count. */
export function valueAt(document: Json | undefined, pointer: Pointer): Json | undefined {
  let value = document;
  for (const key of segmentsOf(pointer)) {
    if (Array.isArray(value)) value = /^(0|[1-9]\d*)$/.test(key) ? value[Number(key)] : undefined;
    else if (isJsonObject(value)) value = Object.hasOwn(value, key) ? value[key] : undefined;
    else return undefined;
  }
  return value;
}

export function segmentsOf(pointer: Pointer): string[] {
  if (pointer === '') return [];
  return pointer.slice(1).split('/').map(unescapeSegment);
}

export function pointerOf(segments: readonly string[]): Pointer {
  return segments.map((segment) => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function unescapeSegment(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}
