import { isJsonObject, type Json, parseJson, scalarText } from './json.ts';

/**
 * A JSON Pointer (RFC 6901) that can select list elements. '' is the whole body.
 *
 * - A segment in brackets narrows a list, and the first element left is selected: `/links/[rel=next]/href`,
 *   `/names/[type=1][endDate=absent]/name`, `/names/[language!=en][last]/text`. `selectorsIn` gives the grammar.
 * - A list with one element is simply its element, so `/names/text` reads `{"names":[{"text":"Acme"}]}`. A selector
 *   accepts an object as a list with one element.
 * - `*` is the first value of an object that is not empty: `/labels/*` reads `{"labels":{"fr":"Acme"}}`.
 * - A path continues inside a text that is JSON: `/content/name` reads `{"content":"{\"name\":\"Acme\"}"}`.
 */
export type Pointer = string;

/** One pair of brackets: a position, or a condition on the value at a path inside the element. */
export type Selector =
  | { readonly position: number | 'last' }
  | {
      readonly path: readonly string[];
      readonly isNegated: boolean;
      /** The text that a value must equal. `null` matches no value; `absent` matches no value and empty text. */
      readonly wanted: { readonly text: string } | 'null' | 'absent';
    };

/** Returns the value at a pointer, or undefined if there is none. Inherited properties are ignored. */
export function valueAt(document: Json | undefined, pointer: Pointer): Json | undefined {
  let value = document;
  for (const segment of segmentsOf(pointer)) {
    if (value === undefined) return undefined;
    value = stepInto(value, segment);
  }
  return value;
}

/** Returns the value at a pointer. A list with one element is its element. */
export function onlyValueAt(document: Json | undefined, pointer: Pointer): Json | undefined {
  const value = valueAt(document, pointer);
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

/** Returns the value at keys and positions, without selectors and without skipping lists with one element. */
export function valueAtKeys(document: Json | undefined, keys: readonly string[]): Json | undefined {
  return keys.reduce((value, key) => member(value, key), document);
}

/**
 * Returns the selectors in a segment, or [] if the segment is a key. Each pair of brackets has one of these forms:
 *
 *     [0]            position from the start
 *     [last]         last position
 *     [key=value]    the element's value at `key` equals the text, or is a list that contains it
 *     [a/b!=value]   the value at the path `a/b` does not equal the text
 *     [key=null]     the value is null or missing
 *     [key=absent]   the value is null, missing or empty text
 *     [key="null"]   the text in the quotes, even if it is null, absent or contains a bracket
 */
export function selectorsIn(segment: string): Selector[] {
  if (!SELECTORS.test(segment)) return [];
  return [...segment.matchAll(SELECTOR)].map(([, position, path = '', operator, quoted, plain = '']) => {
    if (position !== undefined) return { position: position === 'last' ? position : Number(position) };
    const isWord = quoted === undefined && (plain === 'null' || plain === 'absent');
    return {
      path: path.split('/'),
      isNegated: operator === '!=',
      wanted: isWord ? plain : { text: quoted ?? plain },
    };
  });
}

/** Splits a pointer into its segments. A "/" inside a selector does not end the segment. */
export function segmentsOf(pointer: Pointer): string[] {
  if (pointer === '') return [];
  const segments = pointer.includes('/[')
    ? [...pointer.matchAll(SEGMENT)].map(([, segment = '']) => segment)
    : pointer.slice(1).split('/');
  if (!pointer.includes('~')) return segments;
  return segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function pointerOf(segments: readonly string[]): Pointer {
  return segments.map((segment) => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Describes a JSON Pointer for messages. */
export function pathInWords(pointer: Pointer): string {
  return pointer === '' ? 'the top of the body' : pointer;
}

function stepInto(value: Json, segment: string): Json | undefined {
  const found = member(value, segment);
  if (found !== undefined) return found;
  if (segment === '*' && isJsonObject(value))
    return Object.values(value).find((one) => one !== null && one !== '');
  const selectors = segment.startsWith('[') ? selectorsIn(segment) : [];
  if (selectors.length > 0) return selected(Array.isArray(value) ? value : [value], selectors);
  const only = Array.isArray(value) && value.length === 1 && !POSITION.test(segment) ? value[0] : undefined;
  return only === undefined ? undefined : stepInto(only, segment);
}

/** Returns the object or list in a text that is JSON. Returns any other value itself. */
export function parsedText(value: Json | undefined): Json | undefined {
  if (typeof value !== 'string' || !/^\s*[{[]/.test(value)) return value;
  try {
    return parseJson(value);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return value;
  }
}

function member(found: Json | undefined, key: string): Json | undefined {
  const value = parsedText(found);
  if (Array.isArray(value)) return POSITION.test(key) ? value[Number(key)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function selected(list: readonly Json[], selectors: readonly Selector[]): Json | undefined {
  const left = selectors.reduce<readonly Json[]>((elements, selector) => {
    if ('path' in selector)
      return elements.filter((element) => isJsonObject(element) && isMet(element, selector));
    return elements.slice(selector.position === 'last' ? -1 : selector.position).slice(0, 1);
  }, list);
  return left[0];
}

function isMet(element: Json, { path, isNegated, wanted }: Extract<Selector, { path: unknown }>): boolean {
  const values = reachedFrom(element, path).filter((value) => value !== null);
  const isEqual =
    wanted === 'null'
      ? values.length === 0
      : wanted === 'absent'
        ? values.every((value) => value === '')
        : values.some((value) => scalarText(value) === wanted.text);
  return isEqual !== isNegated;
}

/** Returns all values at a path. A list on the path stands for each of its elements. */
function reachedFrom(value: Json | undefined, [key, ...deeper]: readonly string[]): Json[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && (key === undefined || !POSITION.test(key)))
    return value.flatMap((element) => reachedFrom(element, key === undefined ? [] : [key, ...deeper]));
  return key === undefined ? [value] : reachedFrom(member(value, key), deeper);
}

const POSITION = /^(0|[1-9]\d*)$/;
const BRACKETS = String.raw`\[(?:(last|\d+)|([^[\]=]+?)(!?=)(?:"([^"]*)"|([^\]]*)))\]`;
const SELECTOR = new RegExp(BRACKETS, 'g');
const SELECTORS = new RegExp(`^(?:${BRACKETS})+$`);
const SEGMENT = new RegExp(`/((?:${BRACKETS})+(?=/|$)|[^/]*)`, 'g');
