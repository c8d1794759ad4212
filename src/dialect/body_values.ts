import { isJsonObject, type Json, scalarText } from '../json/json.ts';
import { placedAt } from '../json/json_template.ts';
import { onlyValueAt, type Pointer, parsedText, segmentsOf, valueAtKeys } from '../json/pointer.ts';
import { plainText } from '../names/plain_text.ts';
import { filled, placeholdersIn, valuesIn } from './template.ts';

/** Why a body does not match the dialect. */
export class NotUnderstood {
  readonly why: string;
  /** The id of the record in the body, if it is another entity's record. */
  readonly otherId: string | null;

  constructor(why: string, otherId: string | null = null) {
    this.why = why;
    this.otherId = otherId;
  }
}

/** A JSON path, or a template of several that does not begin with "/": `{/jurisdiction_code}/{/company_number}`. */
export type TextPath = string;

/** Returns the JSON paths in a text path. */
export function pointersIn(path: TextPath): Pointer[] {
  return isTemplate(path) ? placeholdersIn(path) : [path];
}

/** Returns a path with each of its JSON paths changed. */
export function withPointers(path: TextPath, change: (pointer: Pointer) => Pointer): TextPath {
  if (!isTemplate(path)) return change(path);
  return filled(
    path,
    Object.fromEntries(pointersIn(path).map((pointer) => [pointer, `{${change(pointer)}}`])),
  );
}

const isTemplate = (path: TextPath): boolean => path !== '' && !path.startsWith('/');

/** Returns the value at a path. The value of a template is a text, and undefined if one of its paths has no scalar. */
export function valueAtPath(document: Json | undefined, path: TextPath): Json | undefined {
  if (!isTemplate(path)) return onlyValueAt(document, path);
  const texts = placeholdersIn(path).map((pointer) => [pointer, textAt(document, pointer)] as const);
  const values = texts.flatMap(([pointer, text]) => (text === null || text === '' ? [] : [[pointer, text]]));
  return values.length < texts.length ? undefined : filled(path, Object.fromEntries(values));
}

/** Sets the value at a path, which is the inverse of `valueAtPath`. A text that does not fit a template is not set. */
export function placedAtPath(document: Json, path: TextPath, value: Json): Json {
  if (!isTemplate(path)) return placedAt(document, path, value);
  const parts = Object.entries(valuesIn(path, scalarText(value) ?? '') ?? {});
  return parts.reduce((placed: Json, [pointer, text]) => placedAt(placed, pointer, text), document);
}

/** The JSON paths to the entity id in a record or summary. */
interface IdPaths {
  /** Null if the document does not contain its id. */
  readonly id: TextPath | null;
  readonly id_fallbacks: readonly TextPath[];
}

/** Returns the value at the id path or, if it is not a valid id, the first valid id at the fallback paths. */
export function idIn(document: Json | undefined, { id, id_fallbacks }: IdPaths): Json | undefined {
  const found = id === null ? undefined : valueAtPath(document, id);
  if (id_fallbacks.length === 0 || idText(found) !== null) return found;
  return id_fallbacks.map((path) => valueAtPath(document, path)).find((value) => idText(value) !== null);
}

/** The JSON paths to the name in a record or summary. */
interface NamePaths {
  readonly name: TextPath | null;
  readonly name_fallbacks: readonly (TextPath | readonly TextPath[])[];
}

/**
 * Returns the name or, if there is none at its path, the first name at the fallback paths. HTML in a name is removed.
 */
export function nameIn(document: Json | undefined, { name, name_fallbacks }: NamePaths): string | null {
  const found = plainTextAt(document, name);
  if (name_fallbacks.length === 0 || (found !== null && found.trim() !== '')) return found;
  return (
    name_fallbacks.map((paths) => joinedTexts(document, [paths].flat())).find((text) => text !== '') ?? found
  );
}

function joinedTexts(document: Json | undefined, paths: readonly TextPath[]): string {
  const texts = paths.map((path) => plainTextAt(document, path)?.trim() ?? '');
  return texts.filter((text) => text !== '').join(' ');
}

/** Returns the text of the scalar at a path without HTML, or null if there is none. */
export function plainTextAt(document: Json | undefined, path: TextPath | null): string | null {
  const text = textAt(document, path);
  return text === null ? null : plainText(text);
}

/** Returns the record in the response to a call for `entityId`, or undefined if there is none. */
export function recordIn(root: Pointer, body: Json | undefined, entityId: string): Json | undefined {
  return parsedText(valueAtKeys(body, recordKeys(root, entityId)));
}

/** Returns the keys and positions that lead to the record of `entityId`. */
export function recordKeys(root: Pointer, entityId: string): string[] {
  return segmentsOf(root).map((key) => key.replaceAll('{id}', () => entityId));
}

/** Returns the text of the scalar at a path, or null if there is none. */
export function textAt(document: Json | undefined, path: TextPath | null): string | null {
  return path === null ? null : scalarText(valueAtPath(document, path));
}

/**
 * Converts a value to an id. Returns null if the value cannot be an id. Text that is not well-formed Unicode is
 * rejected, because different ids could become equal when they are encoded as UTF-8.
 */
export function idText(value: Json | undefined): string | null {
  if (typeof value === 'boolean') return null;
  const text = scalarText(value);
  return text === null || text === '' || !text.isWellFormed() ? null : text;
}

/**
 * Returns whether the id in a record is the requested one. Case, surrounding spaces and the leading zeros of digits are
 * ignored, because an API can write an id as a number in one response and as padded text in another. One of the two can
 * be a URL or a path that ends with the other.
 */
export function isSameId(found: string, requested: string): boolean {
  const [one, other] = [found.trim().toLowerCase(), requested.trim().toLowerCase()];
  return withoutZeros(one) === withoutZeros(other) || isPathTo(one, other) || isPathTo(other, one);
}

const withoutZeros = (id: string): string => id.replace(/^0+(?=\d+$)/, '');

/** Returns whether the path or URL has at least two segments and ends with the id. */
function isPathTo(path: string, id: string): boolean {
  return /[^/]\/[^/]*$/.test(path) && !id.includes('/') && path.endsWith(`/${id}`);
}

/** Reads a count, which is a non-negative integer such as `42` or `"42"`. Returns null for any other value. */
export function countOf(value: Json | undefined): number | null {
  const text = scalarText(value);
  return text !== null && /^\d{1,15}$/.test(text.trim()) ? Number(text) : null;
}

export function kindOf(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (isJsonObject(value)) return 'an object';
  if (typeof value === 'string')
    return value.isWellFormed() ? 'text' : 'text that is not well-formed Unicode';
  return typeof value === 'boolean' ? 'a boolean' : 'a number';
}
