import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';

/**
 * Converts rows without keys to objects. Some APIs return a table as `{"columns": ["id", "name"], "rows": [[1, "Acme"]]}`,
 * at the top of the body or in one of its members. A list names the cells if it has as many different texts, or objects
 * with a text at `name`, as every row has cells. Any other body is returned unchanged.
 */
export function withNamedCells(body: Json): Json {
  if (!isJsonObject(body)) return body;
  const named = namedIn(body);
  const entries = Object.entries(named).map(([key, value]): [string, Json] => [
    key,
    isJsonObject(value) ? namedIn(value) : value,
  ]);
  const isSame = named === body && entries.every(([key, value]) => value === body[key]);
  return isSame ? body : Object.fromEntries(entries);
}

function namedIn(object: JsonObject): JsonObject {
  const entries = Object.entries(object);
  const tables = entries.filter((entry): entry is [string, Json[][]] => isTable(entry[1]));
  if (tables.length === 0) return object;
  const headers = entries.map(([, value]) => namesIn(value)).filter((names) => names !== null);
  const named = tables.flatMap(([key, rows]) => {
    const names = headers.find(({ length }) => rows.every((row) => row.length === length));
    return names === undefined ? [] : [[key, rows.map((row) => rowOf(names, row))] as const];
  });
  return named.length === 0 ? object : { ...object, ...Object.fromEntries(named) };
}

function isTable(value: Json): value is Json[][] {
  return Array.isArray(value) && value.length > 0 && value.every((row) => Array.isArray(row));
}

/** Returns the names of a table's columns, or null if the value is no list of different names. */
function namesIn(value: Json): string[] | null {
  if (!Array.isArray(value) || value.length < 2) return null;
  const names = value
    .map((one) => (isJsonObject(one) ? one.name : one))
    .filter((name) => typeof name === 'string' && name !== '') as string[];
  return names.length === value.length && new Set(names).size === names.length ? names : null;
}

function rowOf(names: readonly string[], cells: readonly Json[]): JsonObject {
  return Object.fromEntries(names.map((name, at) => [name, cells[at] ?? null]));
}
