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
}

/** Parses JSON text (a leading BOM is tolerated). Throws SyntaxError. Own `__proto__` keys stay plain keys. */
export function parseJson(text: string): Json {
  const json = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  return MAY_LOSE_DIGITS.test(json)
    ? (JSON.parse(json, keepExact as Reviver) as Json)
    : (JSON.parse(json) as Json);
}

/** Writes JSON text back with every number exactly as it was read. */
export function stringifyJson(value: Json): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'bigint'
      ? rawJson(inner.toString())
      : inner instanceof ExactNumber
        ? rawJson(inner.digits)
        : inner,
  );
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  );
}

// Sixteen digits or an exponent: the only texts in which a double can lose something. A hit inside a
// string merely costs the slower path.
const MAY_LOSE_DIGITS = /[\d.]{16}|\d[eE][+-]?\d/;

type Reviver = (this: unknown, key: string, value: unknown) => unknown;

// ECMA-262 "JSON.parse source text access": the third argument carries the literal as written.
function keepExact(this: unknown, _key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== 'number' || context.source === undefined) return value;
  if (/^-?\d+$/.test(context.source)) return Number.isSafeInteger(value) ? value : BigInt(context.source);
  return survives(value, context.source) ? value : new ExactNumber(context.source);
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
  const trimmed = digits.replace(/0+$/, '');
  if (trimmed === '') return '0';
  return `${trimmed}e${Number(exponent) - fraction.length + digits.length - trimmed.length}`;
}

const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;
