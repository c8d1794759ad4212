import { MAX_DEPTH, MAX_VALUES } from '../dialect/response_limits.ts';

/**
 * A JSON value with exact numbers. An integer beyond 2^53 is a bigint. Any other number that a double cannot represent
 * exactly is an ExactNumber, which keeps the received digits.
 */
export type Json = null | boolean | number | bigint | ExactNumber | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** A number that a double cannot represent exactly. */
export class ExactNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }

  toJSON(): unknown {
    return rawJson(this.digits);
  }
}

/** Thrown if the values in JSON text would take too much memory. The message completes a sentence: `is nested …`. */
export class LimitExceeded extends SyntaxError {}

/**
 * Parses JSON text with or without a BOM. If a key is repeated, its last value is used. `__proto__` is a normal key.
 *
 * @throws LimitExceeded before parsing, if the text is nested deeper than MAX_DEPTH or has more than MAX_VALUES values.
 * @throws SyntaxError if the text is not JSON.
 */
export function parseJson(text: string): Json {
  const json = text.charCodeAt(0) === BOM ? text.slice(1) : text;
  const { exceeded, mayLoseDigits } = scan(json);
  if (exceeded !== null) throw new LimitExceeded(exceeded);
  return mayLoseDigits ? (JSON.parse(json, keepExact as Reviver) as Json) : (JSON.parse(json) as Json);
}

/** Converts a value to JSON text. Numbers keep their exact values. */
export function stringifyJson(value: Json): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // JSON.stringify throws a TypeError only for a bigint. Always passing a replacer would be several times slower.
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === 'bigint' ? rawJson(inner.toString()) : inner,
    );
  }
}

/** Converts a value so that JSON.stringify writes every number with its exact digits. */
export function faithful(value: Json): unknown {
  if (typeof value === 'bigint') return rawJson(value.toString());
  if (value instanceof ExactNumber) return rawJson(value.digits);
  if (Array.isArray(value)) return value.map(faithful);
  if (typeof value !== 'object' || value === null) return value;
  // Object.fromEntries defines own properties, so `__proto__` remains a normal key.
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, faithful(inner)]));
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

/** Returns a scalar as text. Returns null for null, lists, objects and undefined. */
export function scalarText(value: Json | undefined): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value);
  return value instanceof ExactNumber ? value.digits : null;
}

/**
 * Checks the limits in one pass that skips strings. The same pass detects numbers that may lose digits in a double:
 * those with 16 or more digits, or an exponent.
 *
 * The number of values is 1 + commas + non-empty lists and objects, because n > 0 members have n - 1 commas. An empty
 * list with a space in it, `[ ]`, counts as a list with one member.
 */
function scan(json: string): { exceeded: string | null; mayLoseDigits: boolean } {
  let depth = 0;
  let values = 1;
  let numeralChars = 0;
  let mayLoseDigits = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if ((code >= ZERO && code <= NINE) || code === POINT) {
      numeralChars += 1;
      if (numeralChars === MAX_SAFE_NUMERAL_CHARS) mayLoseDigits = true;
      continue;
    }
    if (numeralChars > 0 && (code === SMALL_E || code === LARGE_E)) mayLoseDigits = true;
    numeralChars = 0;
    if (code === QUOTE) at = endOfString(json, at);
    else if (code === COMMA) values += 1;
    else if (isOpening(code)) {
      depth += 1;
      if (depth > MAX_DEPTH) return { exceeded: TOO_DEEP, mayLoseDigits };
      if (!isClosing(json.charCodeAt(at + 1))) values += 1;
    } else if (isClosing(code)) depth -= 1;
    else continue;
    if (values > MAX_VALUES) return { exceeded: tooMany(), mayLoseDigits };
  }
  return { exceeded: null, mayLoseDigits };
}

function isOpening(code: number): boolean {
  return code === OPEN_LIST || code === OPEN_OBJECT;
}

function isClosing(code: number): boolean {
  return code === CLOSE_LIST || code === CLOSE_OBJECT;
}

/** Returns the offset of the quote that closes the string at `start`, or the length of the text if there is none. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}

type Reviver = (this: unknown, key: string, value: unknown) => unknown;

// A reviver for JSON.parse. Its third argument holds the number's source text (ECMA-262, "JSON.parse source text
// access").
function keepExact(this: unknown, _key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== 'number' || context.source === undefined) return value;
  if (isInteger(context.source)) return Number.isSafeInteger(value) ? value : exactInteger(context.source);
  return isExact(value, context.source) ? value : new ExactNumber(context.source);
}

function isInteger(literal: string): boolean {
  return /^-?\d+$/.test(literal);
}

// Longer integers stay text, because arithmetic on millions of digits would block the process. No count or identifier
// is that long.
function exactInteger(literal: string): bigint | ExactNumber {
  return literal.length <= MAX_BIGINT_CHARS ? BigInt(literal) : new ExactNumber(literal);
}

/** Returns whether the double has the same significant digits as the number in the source text. */
function isExact(value: number, source: string): boolean {
  return Number.isFinite(value) && significand(String(value)) === significand(source);
}

/**
 * Returns a number's significant digits and its decimal exponent, such as `15e2` for `-1500`. Numbers with equal
 * absolute values give the same result.
 */
function significand(literal: string): string {
  const [mantissa = '', exponent = '0'] = literal.toLowerCase().replace(/^-/, '').split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  // The pattern /0+$/ is avoided because its running time can be quadratic in the number of zeros.
  let length = digits.length;
  while (digits.charCodeAt(length - 1) === ZERO) length -= 1;
  if (length === 0) return '0';
  return `${digits.slice(0, length)}e${Number(exponent) - fraction.length + digits.length - length}`;
}

const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;

const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} levels`;
// Formatted only when needed, because loading number formats adds 15 ms and 8 MB to every command's start.
const tooMany = () => `has more than ${MAX_VALUES.toLocaleString('en')} values`;
const MAX_BIGINT_CHARS = 1000;
const BOM = 0xfeff;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const ZERO = 0x30;
const NINE = 0x39;
const POINT = 0x2e;
const SMALL_E = 0x65;
const LARGE_E = 0x45;
/** A double keeps all digits of a number with up to 15 digits, which has 16 characters with its point. */
const MAX_SAFE_NUMERAL_CHARS = 16;

/** A scalar, empty object or empty list, with the keys that lead to it. List elements are numbered from 1. */
export interface JsonField {
  readonly keys: readonly string[];
  readonly value: Json;
}

/** Returns the first `most` fields of a document, in document order. */
export function jsonFields(document: Json, most: number): JsonField[] {
  const fields: JsonField[] = [];
  collect(fields, [], document, most);
  return fields;
}

function collect(fields: JsonField[], keys: readonly string[], value: Json, most: number): void {
  if (fields.length >= most) return;
  const entries = Array.isArray(value)
    ? value.map((inner, at) => [String(at + 1), inner] as const)
    : isJsonObject(value)
      ? Object.entries(value)
      : [];
  if (entries.length === 0) fields.push({ keys, value });
  for (const [key, inner] of entries) collect(fields, [...keys, key], inner, most);
}
