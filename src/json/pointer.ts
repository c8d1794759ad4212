import { z } from 'zod';
import { isJsonObject, type Json } from './json.ts';

/** A JSON Pointer (RFC 6901); '' is the whole body. */
export const Pointer = z
  .string()
  .regex(/^(\/([^~/]|~[01])*)*$/, 'must be a JSON Pointer: empty, or beginning with "/"')
  .describe('JSON Pointer (RFC 6901); "" is the whole body');
export type Pointer = z.infer<typeof Pointer>;

/** The value at a JSON Pointer, or undefined if there is none. Inherited keys do not count. */
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

/** A JSON Pointer for messages. */
export function pathInWords(pointer: Pointer): string {
  return pointer === '' ? 'the top of the body' : pointer;
}

function unescapeSegment(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}
