import { MAX_DEPTH, MAX_VALUES } from '../dialect/limits.ts';

/**
 * JSON whose numbers survive: integers beyond 2^53 become bigint, and any other number that a double
 * would alter becomes an ExactNumber holding the digits as they were sent.
 */
export type Json = null | boolean | number | bigint | ExactNumber | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

export class ExactNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }

  toJSON(): unknown {
    return rawJson(this.digits);
  }
}

/** The text may be JSON, but would take too much memory as values. The message is a predicate: `is nested …`. */
export class LimitExceeded extends SyntaxError {}

/**
 * Parses JSON text (a leading BOM is tolerated). Of a repeated key the last value counts, and own `__proto__`
 * keys stay plain keys.
 *
 * @throws LimitExceeded before any value is made, if the text nests deeper than MAX_DEPTH or holds more than MAX_VALUES.
 * @throws SyntaxError if the text is no JSON.
 */
export function parseJson(text: string): Json {
  const json = text.charCodeAt(0) === BOM ? text.slice(1) : text;
  const { exceeded, mayLoseDigits } = scan(json);
  if (exceeded !== null) throw new LimitExceeded(exceeded);
  return mayLoseDigits ? (JSON.parse(json, keepExact as Reviver) as Json) : (JSON.parse(json) as Json);
}

/** Writes JSON text in which every number has exactly the value that was read. */
export function stringifyJson(value: Json): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // Only a bigint is refused; a replacer for all values would make every text several times slower.
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === 'bigint' ? rawJson(inner.toString()) : inner,
    );
  }
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

/**
 * Decides how the text is parsed, in one pass that steps over strings: does it exceed a limit, and
 * has it a number of sixteen digits or with an exponent? Only in those can a double lose something.
 *
 * A list or object of n > 0 members has n - 1 commas, so the values of a text are its commas and its lists and
 * objects with members, plus one at the top. `[ ]` counts as if it had a member.
 */
function scan(json: string): { exceeded: string | null; mayLoseDigits: boolean } {
  let depth = 0;
  let values = 1;
  let numeral = 0;
  let mayLoseDigits = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if ((code >= ZERO && code <= NINE) || code === POINT) {
      numeral += 1;
      if (numeral === LONGEST_SAFE_NUMERAL) mayLoseDigits = true;
      continue;
    }
    if (numeral > 0 && (code === SMALL_E || code === LARGE_E)) mayLoseDigits = true;
    numeral = 0;
    if (code === QUOTE) at = endOfString(json, at);
    else if (code === COMMA) values += 1;
    else if (isOpening(code)) {
      depth += 1;
      if (depth > MAX_DEPTH) return { exceeded: TOO_DEEP, mayLoseDigits };
      if (!isClosing(json.charCodeAt(at + 1))) values += 1;
    } else if (isClosing(code)) depth -= 1;
    else continue;
    if (values > MAX_VALUES) return { exceeded: TOO_MANY, mayLoseDigits };
  }
  return { exceeded: null, mayLoseDigits };
}

function isOpening(code: number): boolean {
  return code === OPEN_LIST || code === OPEN_OBJECT;
}

function isClosing(code: number): boolean {
  return code === CLOSE_LIST || code === CLOSE_OBJECT;
}

/** Where the string that opens at `start` closes; the end of the text where it does not. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}

type Reviver = (this: unknown, key: string, value: unknown) => unknown;

// ECMA-262 "JSON.parse source text access": the third argument carries the literal as written.
function keepExact(this: unknown, _key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== 'number' || context.source === undefined) return value;
  if (isInteger(context.source)) return Number.isSafeInteger(value) ? value : exactInteger(context.source);
  return survives(value, context.source) ? value : new ExactNumber(context.source);
}

function isInteger(literal: string): boolean {
  return /^-?\d+$/.test(literal);
}

// No count or identifier is longer, and arithmetic on millions of digits would hold up everything else.
function exactInteger(literal: string): bigint | ExactNumber {
  return literal.length <= LONGEST_BIGINT ? BigInt(literal) : new ExactNumber(literal);
}

/** Does the double print the same significant digits as the literal? */
function survives(value: number, source: string): boolean {
  return Number.isFinite(value) && significand(String(value)) === significand(source);
}

/** Digits without sign, point and zeros at either end, with the decimal exponent: equal for equal values. */
function significand(literal: string): string {
  const [mantissa = '', exponent = '0'] = literal.toLowerCase().replace(/^-/, '').split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  // Not /0+$/, whose time grows with the square of a long run of zeros.
  let length = digits.length;
  while (digits.charCodeAt(length - 1) === ZERO) length -= 1;
  if (length === 0) return '0';
  return `${digits.slice(0, length)}e${Number(exponent) - fraction.length + digits.length - length}`;
}

const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;

const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} levels`;
const TOO_MANY = `holds more than ${MAX_VALUES.toLocaleString('en')} values`;
const LONGEST_BIGINT = 1000;
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
/** Fifteen digits and the point; one more may be too much for a double. */
const LONGEST_SAFE_NUMERAL = 16;

/** The same value for JSON.stringify, which then writes every number as it was read. */
export function faithful(value: Json): unknown {
  if (typeof value === 'bigint') return rawJson(value.toString());
  if (value instanceof ExactNumber) return rawJson(value.digits);
  if (Array.isArray(value)) return value.map(faithful);
  if (typeof value !== 'object' || value === null) return value;
  // fromEntries defines members, so that a key `__proto__` stays a key.
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, faithful(inner)]));
}
