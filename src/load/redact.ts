import { readBody } from '../dialect/body.ts';
import { scalarText } from '../dialect/decode.ts';
import type { SearchDialect } from '../dialect/dialect.ts';
import { isJsonObject, type Json, stringifyJson } from '../dialect/json.ts';
import { segmentsOf, valueAt } from '../dialect/pointer.ts';

/**
 * A search answer without the entities of these ids; null where none of them is in it. A body that cannot be
 * read, and names one of them, is emptied.
 */
export function withoutEntities(
  dialect: SearchDialect,
  body: Buffer,
  contentType: string,
  ids: ReadonlySet<string>,
): Buffer | null {
  if (![...ids].some((id) => body.includes(id))) return null;
  const { json } = readBody(body, contentType);
  const list = valueAt(json, dialect.results);
  if (json === undefined || !Array.isArray(list)) return Buffer.alloc(0);
  const kept = list.filter((item) => !ids.has(idOf(dialect, item) ?? ''));
  return kept.length === list.length
    ? null
    : Buffer.from(stringifyJson(replaced(json, segmentsOf(dialect.results), kept)));
}

function idOf({ item, id }: SearchDialect, element: Json): string | null {
  return scalarText(valueAt(valueAt(element, item), id));
}

function replaced(value: Json, keys: readonly string[], by: Json): Json {
  const [key, ...deeper] = keys;
  if (key === undefined) return by;
  if (Array.isArray(value))
    return value.map((inner, at) => (String(at) === key ? replaced(inner, deeper, by) : inner));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, name === key ? replaced(inner, deeper, by) : inner]),
  );
}
