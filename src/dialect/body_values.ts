import { isJsonObject, type Json, scalarText } from '../json/json.ts';
import { type Pointer, valueAt } from '../json/pointer.ts';

/** The reason why a body does not match the dialect. */
export class NotUnderstood {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}

/** Where a record or summary contains the entity id. */
export interface IdPaths {
  readonly id: Pointer;
  readonly id_fallbacks: readonly Pointer[];
}

/** The value at the path of the id, or at the first fallback that has one. */
export function idIn(document: Json | undefined, { id, id_fallbacks }: IdPaths): Json | undefined {
  const found = valueAt(document, id);
  if (id_fallbacks.length === 0 || idText(found) !== null) return found;
  return id_fallbacks.map((pointer) => valueAt(document, pointer)).find((value) => idText(value) !== null);
}

/**
 * The text of an id; null: the value cannot be an id. Text that is not well-formed Unicode is no id, because UTF-8 cannot
 * store it: different ids would become the same.
 */
export function idText(value: Json | undefined): string | null {
  if (typeof value === 'boolean') return null;
  const text = scalarText(value);
  return text === null || text === '' || !text.isWellFormed() ? null : text;
}

/** A number of companies: a whole number that is not negative, or its text. */
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
