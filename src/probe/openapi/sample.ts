import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts';
import type { Exchange, ProbeRequest } from '../exchange.ts';
import { wordsOfKey } from '../words.ts';
import type { ApiDocument, Operation } from './document.ts';

/** An operation and a sample response that fits its schema. */
export interface Described {
  readonly operation: Operation;
  readonly response: Exchange;
}

/**
 * Builds a sample response from an operation's schema, so that the probe's findings can evaluate it. A list has three
 * elements, and a list inside a list has one. Values differ from element to element. If there is no schema, the
 * document's example is the response.
 */
export function sampleResponse(
  { resolved }: ApiDocument,
  { path, content }: Operation,
  kind: ProbeRequest['kind'],
): Exchange {
  const json = sampleOf(content, resolved);
  return {
    request: { kind, path, params: [], why: '' },
    ...{ status: 200, headers: {}, json, text: '', reading: 'ok' },
  };
}

function sampleOf(content: JsonObject | undefined, resolved: ApiDocument['resolved']): Json | undefined {
  if (content === undefined) return undefined;
  const budget = { values: MAX_VALUES };
  const sample = sampleValue(content.schema, { key: '', element: null, above: [], budget, resolved });
  const isEmpty = sample === null || (isJsonObject(sample) && Object.keys(sample).length === 0);
  return isEmpty ? exampleOf(content, resolved) : sample;
}

function exampleOf(holder: JsonObject, resolved: ApiDocument['resolved']): Json | undefined {
  const [first] = Array.isArray(holder.examples)
    ? holder.examples
    : Object.values(resolved(holder.examples) ?? {}).map((named) => resolved(named)?.value);
  return holder.example ?? first ?? undefined;
}

interface Position {
  readonly key: string;
  /** The element's index in the outer list, or null if the value is not inside a list. */
  readonly element: number | null;
  /** The schemas that enclose this value. If a schema contains itself, the sample stops at the repetition. */
  readonly above: readonly JsonObject[];
  readonly budget: { values: number };
  readonly resolved: ApiDocument['resolved'];
}

function sampleValue(given: Json | undefined, position: Position): Json {
  const { resolved, element, budget } = position;
  const schema = resolved(given);
  if (schema === undefined || position.above.includes(schema) || budget.values-- <= 0) return null;
  const inner = { ...position, above: [...position.above, schema] };
  const type = [schema.type].flat().find((name) => name !== 'null');
  if (type === 'array' || isJsonObject(schema.items))
    return (element === null ? [0, 1, 2] : [element]).map((index) =>
      sampleValue(schema.items, { ...inner, element: index }),
    );
  const combined = combinedValues(schema, inner);
  const members = membersOf(schema, inner, combined);
  if (members !== null) return members;
  if (combined[0] !== undefined) return combined[0];
  if (type !== undefined && type !== 'object') return scalarOf(schema, position);
  const example = exampleOf(schema, resolved);
  if (isJsonObject(example)) return example;
  return type === 'object' ? {} : scalarOf(schema, position);
}

/** Returns an object's members, including members from the schemas that it combines, or null if the schema has none. */
function membersOf(schema: JsonObject, position: Position, combined: readonly Json[]): JsonObject | null {
  const own = Object.entries(position.resolved(schema.properties) ?? {}).map(
    ([key, property]): [string, Json] => [key, sampleValue(property, { ...position, key })],
  );
  const inherited = combined.filter(isJsonObject);
  if (own.length === 0 && inherited.length === 0) return null;
  return Object.fromEntries([...inherited.toReversed().flatMap(Object.entries), ...own]);
}

/** Returns sample values for the schemas that a schema combines (allOf) or chooses from (oneOf, anyOf). */
function combinedValues({ allOf, oneOf, anyOf }: JsonObject, position: Position): Json[] {
  const listed = (list: Json | undefined) => (Array.isArray(list) ? list : []);
  return [...listed(allOf), ...[...listed(oneOf), ...listed(anyOf)].slice(0, MAX_ALTERNATIVES)]
    .filter((part) => position.resolved(part)?.type !== 'null')
    .map((part) => sampleValue(part, position));
}

function scalarOf(
  { type, format, enum: values, ...schema }: JsonObject,
  { key, element: position }: Position,
): Json {
  const element = position ?? 0;
  if (Array.isArray(values) && values.length > 0) return values[0] ?? null;
  const name = [type].flat().find((one) => one !== 'null');
  if (name === 'integer' || name === 'number') return 1_000 + element;
  if (name === 'boolean') return true;
  if (format === 'date') return `2020-01-0${element + 1}`;
  if (format === 'date-time') return `2020-01-0${element + 1}T00:00:00Z`;
  const example = [schema.example, Array.isArray(schema.examples) ? schema.examples[0] : null].find(
    (one) => typeof one === 'string',
  );
  const isUrl =
    /^(uri|url|iri)/.test(String(format ?? '')) ||
    wordsOfKey(key).some((word) => URL_WORDS.has(word)) ||
    (typeof example === 'string' && /^(https?:\/\/|\/)/.test(example));
  if (isUrl) return `https://host.example/${encodeURIComponent(key)}/${element}`;
  // The value has a space in it, so that every value looks equally like a name.
  return `${key} ${element}`;
}

const URL_WORDS = new Set(['url', 'uri', 'href', 'link']);
const MAX_VALUES = 5_000;
const MAX_ALTERNATIVES = 3;
