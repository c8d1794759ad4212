import { ExactNumber, type Json } from '../../dialect/json.ts';

/** The same value for JSON.stringify, which then writes every number as it was read. */
export function faithful(value: Json): unknown {
  if (typeof value === 'bigint') return rawJson(value.toString());
  if (value instanceof ExactNumber) return rawJson(value.digits);
  if (Array.isArray(value)) return value.map(faithful);
  if (typeof value !== 'object' || value === null) return value;
  // fromEntries defines members, so that a key `__proto__` stays a key.
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, faithful(inner)]));
}

// ECMA-262 "JSON.parse source text access"; TypeScript does not know it yet.
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown };
