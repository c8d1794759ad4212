import { endOfString } from './json.ts';

/**
 * Finds values in JSON text without parsing it, so that numbers in the service's responses keep the digits received.
 * The text must be valid JSON, which is checked when it is received.
 */

/** The offsets of a value in the text. `from` is inclusive and `to` is exclusive. */
export interface Slice {
  readonly from: number;
  readonly to: number;
}

/**
 * Returns the slice of the value at a JSON Pointer's segments, or null if there is none. If a key is repeated, its last
 * value is used.
 */
export function sliceAt(text: string, segments: readonly string[]): Slice | null {
  let slice: Slice = trimmed(text);
  for (const segment of segments) {
    const inner = innerSlice(text, slice, segment);
    if (inner === null) return null;
    slice = inner;
  }
  return slice;
}

/** Returns the slices of a list's elements, or [] if the value is not a list. */
export function elementsOf(text: string, { from }: Slice): Slice[] {
  const elements: Slice[] = [];
  if (text[from] !== '[') return elements;
  let at = skipSpace(text, from + 1);
  while (text[at] !== ']') {
    const to = endOfValue(text, at);
    elements.push({ from: at, to });
    at = skipSpace(text, to);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return elements;
}

function innerSlice(text: string, slice: Slice, segment: string): Slice | null {
  if (text[slice.from] === '[')
    return /^(0|[1-9]\d*)$/.test(segment) ? (elementsOf(text, slice)[Number(segment)] ?? null) : null;
  return text[slice.from] === '{' ? memberOf(text, slice.from, segment) : null;
}

function memberOf(text: string, start: number, key: string): Slice | null {
  let found: Slice | null = null;
  let at = skipSpace(text, start + 1);
  while (text[at] !== '}') {
    const endOfKey = endOfString(text, at) + 1;
    const isWanted = JSON.parse(text.slice(at, endOfKey)) === key;
    const from = skipSpace(text, skipSpace(text, endOfKey) + 1);
    const to = endOfValue(text, from);
    if (isWanted) found = { from, to };
    at = skipSpace(text, to);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return found;
}

function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return endOfString(text, start) + 1;
  if (first !== OPEN_OBJECT && first !== OPEN_LIST) return endOfScalar(text, start);
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_OBJECT || code === OPEN_LIST) depth += 1;
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return text.length;
}

function endOfScalar(text: string, start: number): number {
  let at = start;
  while (at < text.length && !SCALAR_ENDS.has(text.charCodeAt(at))) at += 1;
  return at;
}

function trimmed(text: string): Slice {
  const from = skipSpace(text, text.charCodeAt(0) === BOM ? 1 : 0);
  return { from, to: endOfValue(text, from) };
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (SPACE.has(text.charCodeAt(at))) at += 1;
  return at;
}

const QUOTE = 0x22;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const BOM = 0xfeff;
const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);
const SCALAR_ENDS = new Set([...SPACE, 0x2c, CLOSE_LIST, CLOSE_OBJECT]);
